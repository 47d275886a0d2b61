import { type Markers, markedTurns } from './markers.ts';
import type { Rule } from './rule.ts';

const DECIDES = /(?:let me|let['’]s|i(?:['’]ll| will| should| must| need to|['’]m going to)|we (?:should|will|need to))/
  .source;

const GIVEN_UP = [
  `${DECIDES}\\b[^.!?\\n]{0,80}?\\b(?:different|alternative) (?:approach|way|method|strategy|tactic|route|technique|tool|function|solution|angle)`,
  `${DECIDES}\\b[^.!?\\n]{0,80}?\\banother (?:approach|way|method|strategy|tactic|route)`,
  `${DECIDES} (?:now )?(?:give up|start (?:over|again|afresh|from scratch)|restart (?:the task|from)|(?:rethink|reconsider|change|switch|revise) (?:my|the|our) (?:approach|strategy|plan|tactics?))`,
  `(?:did not|didn['’]t|does not|doesn['’]t|is not|isn['’]t) work(?:ing)?\\b[^\\n]{0,80}?\\b(?:let me|let['’]s|i(?:['’]ll| will)) (?:now )?(?:try|use|do|go|switch|check|look)\\b(?! (?:it |that )?again)`,
  `instead of \\w{1,30}ing\\b[^.!?\\n]{0,120}?\\b${DECIDES}`,
  `instead, ${DECIDES}`,
  `(?:let me|let['’]s) [^.!?\\n]{1,80}? instead(?! of)`,
];

const ABANDONED: Markers = {
  words: new RegExp(`\\b(?:${GIVEN_UP.join('|')})\\b`, 'gi'),
  // What another way is offered to the user for is the user's to choose.
  unless: /\byou\b|\?$/i,
};

export const abandonedStrategy: Rule = {
  id: 'abandoned-strategy',
  title: 'Strategy abandoned',
  proves: 'The agent gave up a way that it had begun to go, and took another.',
  severity: 'info',
  label: null,
  moves: ['confidence'],
  page: {
    how: 'Looks for sentences in which the agent changes course ("let me try a different approach", "that didn\'t work, I\'ll use", "instead of searching, I will", "let\'s start over") in all that it says and thinks in a turn, and quotes the first.',
    silent:
      'Sentences that speak to the user, who may choose another way; questions; trying the same again. A change of course without words is not found. Only English words are known.',
    remedy:
      'One change of course is how work goes. Several in a turn mean that the agent had no way that leads there: look at what its tools said before each, and whether the task can be done with them at all.',
  },
  check: (view) => markedTurns(view, ABANDONED, 'The agent gives up one way for another', 'a text that changes course'),
};
