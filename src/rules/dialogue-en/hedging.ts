import type { Rule } from '../rule.ts';
import { HEDGING } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const hedging: Rule = {
  id: 'hedging',
  title: 'Hedging',
  proves: 'The agent spoke of facts, or of what it was doing, as if it did not know.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  page: {
    how: 'Looks for words of doubt in all that the agent says and thinks in a turn ("I\'m not sure", "I assume", "I think it might", "probably", "likely because"), and quotes the first sentence that has one.',
    silent:
      'Sentences that speak to the user ("you might want to"), what the agent means to do ("I should probably remove it"), conditions, questions in the answer, quotations and code. "It seems" and "might be" alone are a way of speaking. Only English words are known.',
    remedy:
      'Nothing, where the doubt was settled before the agent acted or answered. Otherwise have it look up what it guesses, or ask. An agent that thinks aloud hedges more than one that does not, and is no worse for it.',
  },
  check: (view) => findMarkedTurns(view, HEDGING, 'The agent is not sure of itself', 'a text that hedges'),
};
