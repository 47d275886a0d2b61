import type { Rule } from '../rule.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { SELF_CONTRADICTION } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const selfContradiction: Rule = {
  id: 'self-contradiction',
  title: 'Correction of its own statement',
  proves: 'The agent took back something it had said, done or assumed.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  // Coding agents think aloud: nearly every run has such a sentence, whether it succeeds or not.
  kinds: NOT_CODING,
  page: {
    how: 'Looks for sentences in which the agent corrects itself ("I made a mistake", "let me correct that", "the total is actually $375, not $299", "the previous answer was wrong") in everything it says and thinks in a turn. The finding quotes the first one.',
    silent:
      'Ignores apologies that correct nothing ("I apologize for the inconvenience"), interruptions of the agent\'s own reasoning ("Wait, …"), agreement with the user, and corrections of another agent. A contradiction that the agent does not notice is not found. Only English phrases are recognized.',
    remedy:
      'Check whether the agent had already acted on the wrong statement or told it to the user. A mistake that the agent finds by itself, in time, is a good sign.',
  },
  check: (view) =>
    findMarkedTurns(view, SELF_CONTRADICTION, 'The agent takes something back', 'a text with a correction'),
};
