import type { Rule } from '../rule.ts';
import { ABANDONED_STRATEGY } from './marker-phrases.ts';
import { findMarkedTurns } from './marker-sentences.ts';

export const abandonedStrategy: Rule = {
  id: 'abandoned-strategy',
  title: 'Strategy abandoned',
  proves: 'The agent abandoned the approach it had started and took another one.',
  severity: 'info',
  label: null,
  affects: ['confidence'],
  page: {
    how: 'Looks for sentences that announce a change of approach ("let me try a different approach", "that didn\'t work, I\'ll use", "instead of searching, I will", "let\'s start over") in everything the agent says and thinks in a turn. The finding quotes the first one.',
    silent:
      'Ignores sentences that address the user, who may choose another way; questions; and plain retries. A change of approach that is not announced is not found. Only English phrases are recognized.',
    remedy:
      'One change of approach is normal. Several in one turn mean that the agent had no way to reach the goal: check what its tools returned before each change, and whether the task can be done with these tools at all.',
  },
  check: (view) =>
    findMarkedTurns(
      view,
      ABANDONED_STRATEGY,
      'The agent gives up one way for another',
      'a text that announces another approach',
    ),
};
