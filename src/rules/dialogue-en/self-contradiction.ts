import type { Rule } from '../rule.ts';
import { SELF_CONTRADICTION } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const selfContradiction: Rule = {
  id: 'self-contradiction',
  title: 'Takes back what it said',
  proves: 'The agent took back what it had said, done or assumed.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  page: {
    how: 'Looks for sentences in which the agent takes something back ("I made a mistake", "let me correct that", "the total is actually $375, not $299", "the previous answer was wrong") in all that it says and thinks in a turn, and quotes the first.',
    silent:
      'Apologies that correct nothing ("I apologize for the inconvenience"), interruptions of its own thought ("Wait, …"), agreeing with the user, and correcting what another agent has stated. A contradiction that the agent does not notice itself is not found. Only English words are known.',
    remedy:
      'See whether what was taken back had already been acted on or told to the user. A mistake that the agent finds by itself, in time, is a good sign.',
  },
  check: (view) =>
    findMarkedTurns(view, SELF_CONTRADICTION, 'The agent takes something back', 'a text that takes something back'),
};
