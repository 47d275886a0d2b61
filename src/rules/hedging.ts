import { type Markers, markedTurns } from './markers.ts';
import type { Rule } from './rule.ts';

const OWN_DOUBT = [
  /i(?:['’]m| am) (?:not (?:entirely |completely |quite |really |fully |totally |absolutely |100% )?(?:sure|certain|confident)|unsure)/,
  /i (?:do not|don['’]t) (?:actually |really )?know (?:if|whether|why|how|what|where|which|for (?:sure|certain))/,
  /i(?:['’]ll| will|['’]m| am)? (?:just )?(?:assume|assuming|guess|suspect|suppose|presume)/,
  /i (?:think|believe) [^.!?\n]{0,60}?\b(?:might|may|could|probably|perhaps)/,
  /not sure (?:if|whether|why|how|what|which)/,
  /unclear (?:to me )?(?:if|whether|why|how|what|which)/,
];

const GUESSES = [
  /probably/,
  /presumably/,
  /(?:or|but|so|then|and),? (?:maybe|perhaps)|(?<=^|[.!?:,;]\s|\n[ \t*-]{0,8})(?:maybe|perhaps)/,
  /(?:most |very |quite )?likely (?:due to|because|caused by|related to|means)/,
  /(?:might|could) be (?:due to|because|caused by|related to)/,
];

const HEDGING: Markers = {
  words: new RegExp(`\\b(?:${[...OWN_DOUBT, ...GUESSES].map(({ source }) => source).join('|')})\\b`, 'gi'),
  // Advice, politeness and what is tied to a condition are no doubt of the agent's own.
  unless: /\b(?:you|please)\b|^\W*(?:if|when|unless|in case)\b/i,
};

export const hedging: Rule = {
  id: 'hedging',
  title: 'Hedging',
  proves: 'The agent spoke of facts, or of what it was doing, as if it did not know.',
  severity: 'info',
  label: null,
  moves: ['confidence'],
  page: {
    how: 'Looks for words of doubt in all that the agent says and thinks in a turn ("I\'m not sure", "I assume", "I think it might", "probably", "likely because"), and quotes the first sentence that has one.',
    silent:
      'Sentences that speak to the user ("you might want to"), conditions, questions in the answer, quotations and code. "It seems" and "might be" alone are a way of speaking. Only English words are known.',
    remedy:
      'Nothing, where the doubt was settled before the agent acted or answered. Otherwise have it look up what it guesses, or ask. An agent that thinks aloud hedges more than one that does not, and is no worse for it.',
  },
  check: (view) => markedTurns(view, HEDGING, 'The agent is not sure of itself', 'a text that hedges'),
};
