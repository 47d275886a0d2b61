import type { Rule } from '../rule.ts';
import { ABANDONED_STRATEGY } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const abandonedStrategy: Rule = {
  id: 'abandoned-strategy',
  title: 'Strategy abandoned',
  proves: 'The agent gave up a way that it had begun to go, and took another.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  page: {
    how: 'Looks for sentences in which the agent changes course ("let me try a different approach", "that didn\'t work, I\'ll use", "instead of searching, I will", "let\'s start over") in all that it says and thinks in a turn, and quotes the first.',
    silent:
      'Sentences that speak to the user, who may choose another way; questions; trying the same again. A change of course without words is not found. Only English words are known.',
    remedy:
      'One change of course is how work goes. Several in a turn mean that the agent had no way that leads there: look at what its tools said before each, and whether the task can be done with them at all.',
  },
  check: (view) =>
    findMarkedTurns(view, ABANDONED_STRATEGY, 'The agent gives up one way for another', 'a text that changes course'),
};
