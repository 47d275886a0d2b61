import type { Rule } from '../rule.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { HEDGING } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const hedging: Rule = {
  id: 'hedging',
  title: 'Hedging',
  proves: 'The agent spoke of facts, or of its own actions, as if it was not sure.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  // Coding agents think aloud: nearly every run has such a sentence, whether it succeeds or not.
  kinds: NOT_CODING,
  page: {
    how: 'Looks for expressions of doubt ("I\'m not sure", "I assume", "I think it might", "probably", "likely because") in everything the agent says and thinks in a turn. The finding quotes the first sentence that has one.',
    silent:
      'Ignores sentences that address the user ("you might want to"), the agent\'s own plans ("I should probably remove it"), conditions, questions in the answer, quotations and code. "It seems" and "might be" alone are figures of speech. Only English phrases are recognized.',
    remedy:
      'Nothing, if the doubt was resolved before the agent acted or answered. Otherwise have the agent look up what it guesses, or ask. An agent that thinks aloud hedges more than one that does not, and is not worse for it.',
  },
  check: (view) => findMarkedTurns(view, HEDGING, 'The agent is not sure of itself', 'a text that hedges'),
};
