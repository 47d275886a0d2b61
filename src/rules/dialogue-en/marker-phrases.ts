/**
 * English phrases of agents that express doubt, mistakes, changes of approach and refusals. They are in one file so
 * that one pattern can match all of them.
 */

/** Phrases of one kind, and the sentences in which they do not count. */
export interface MarkerPhrases {
  /** Has the flag `g`. */
  readonly words: RegExp;
  /** Matched against the sentence around the phrase. */
  readonly unless: RegExp;
}

const DOUBTS = [
  /i(?:['’]m| am) (?:not (?:entirely |completely |quite |really |fully |totally |absolutely |100% )?(?:sure|certain|confident)|unsure)/,
  /i (?:do not|don['’]t) (?:actually |really )?know (?:if|whether|why|how|what|where|which|for (?:sure|certain))/,
  /i(?:['’]ll| will|['’]m| am)? (?:just )?(?:assume|assuming|guess|suspect|suppose|presume)/,
  /i (?:think|believe) [^.!?\n]{0,60}?\b(?:might|may|could|probably|perhaps)/,
  /not sure (?:if|whether|why|how|what|which)/,
  /unclear (?:to me )?(?:if|whether|why|how|what|which)/,
];

const GUESSES = [
  // "I should probably" states a plan.
  /probably(?<!\b(?:i|we)(?: should| could| can| must| will| would| need to|['’]ll|['’]d) probably)/,
  /presumably/,
  /(?:or|but|so|then|and),? (?:maybe|perhaps)|(?<=^|[.!?:,;]\s|\n[ \t*-]{0,8})(?:maybe|perhaps)/,
  /(?:most |very |quite )?likely (?:due to|because|caused by|related to|means)/,
  /(?:might|could) be (?:due to|because|caused by|related to)/,
];

const RETRACTIONS = [
  /i (?:misspoke|misread|miscalculated|miscounted|misunderstood|misinterpreted|misstated|mistyped|overlooked|stand corrected|was (?:wrong|mistaken|incorrect))/,
  /i (?:take (?:that|it) back|got (?:that|this|it) wrong)/,
  /i(?:['’]ve| have)? made (?:a|an|the|some) (?:\w{1,30} ){0,2}(?:mistake|error|oversight|typo)/,
  /i made an assumption [^.!?\n]{0,80}?\b(?:incorrect|wrong)/,
  /my (?:mistake|bad|oversight|misunderstanding|miscalculation)/,
  /my (?:earlier|previous|initial|first|last) (?:\w{1,30} ){0,3}(?:was|were|is) (?:\w{1,30} )?(?:incorrect|wrong|inaccurate|mistaken|off)/,
  /(?:previous|earlier) (?:response|answer|statement|message|calculation|assumption|conclusion|analysis|claim)s?\b(?! (?:stating|saying|claiming|given|provided|by|from|of)\b)[^.!?\n]{0,80}?\b(?:was|were|is|are|be) (?:incorrect|wrong|inaccurate|mistaken)/,
  /(?:actually|no|wait|hmm|oops),? (?:no, )?(?:that|this|it)(?:['’]s| is| was|['’]d be) (?:wrong|incorrect|not (?:quite )?(?:right|correct|true))/,
  /scratch that|strike that|on second thought|let me correct (?:that|this|myself|my)/,
  /there was an oversight/,
  /is actually [^.!?\n]{1,40}?, not/,
  /apologi[sz]e for (?:the|my|that|this) (?:\w{1,30} )?(?:oversight|mistake|miscalculation|mix-?up)/,
  /apologi[sz]e for (?:the|any|my) (?:\w{1,30} )?(?:confusion|misunderstanding|error)[^\n]{0,120}?\b(?:the (?:correct|actual|right) [\w ]{1,30} (?:is|are|was)|actually|should have)/,
  /(?<=^|[.!?\n]\s{0,3})correction(?=:)/,
];

const DECISION =
  /(?:let me|let['’]s|i(?:['’]ll| will| should| must| need to|['’]m going to)|we (?:should|will|need to))/.source;

const CHANGES_OF_APPROACH = [
  `${DECISION}\\b[^.!?\\n]{0,80}?\\b(?:different|alternative) (?:approach|way|method|strategy|tactic|route|technique|tool|function|solution|angle)`,
  `${DECISION}\\b[^.!?\\n]{0,80}?\\banother (?:approach|way|method|strategy|tactic|route)`,
  `${DECISION} (?:now )?(?:give up|start (?:over|again|afresh|from scratch)|restart (?:the task|from)|(?:rethink|reconsider|change|switch|revise) (?:my|the|our) (?:approach|strategy|plan|tactics?))`,
  `(?:did not|didn['’]t|does not|doesn['’]t|is not|isn['’]t) work(?:ing)?\\b[^\\n]{0,80}?\\b(?:let me|let['’]s|i(?:['’]ll| will)) (?:now )?(?:try|use|do|go|switch|check|look)\\b(?! (?:it |that )?again)`,
  `instead of \\w{1,30}ing\\b[^.!?\\n]{0,120}?\\b${DECISION}`,
  `instead, ${DECISION}`,
  `(?:let me|let['’]s) [^.!?\\n]{1,80}? instead(?! of)`,
];

const CANNOT = /i(?: can['’]?t| cannot| can not| won['’]t| will not|(?:['’]m| am) (?:unable|not able) to)/.source;

const REFUSALS = [
  `${CANNOT} (?:help|assist)(?: you)?(?: with (?:that|this|it|your request)(?: request)?)?(?=\\s*(?:[.,!]|$))`,
  `${CANNOT} (?:comply|fulfil?l (?:that|this|your)|engage in|participate in)\\b`,
  /i(?: must| have to| need to|['’]ll have to| respectfully)? (?:decline|refuse) (?:to|this|that|your)\b/,
  /i(?:['’]m| am) not (?:comfortable|willing) (?:to|with|\w+ing)\b/,
  /against my (?:\w+ )?(?:guidelines|programming|principles)\b/,
  /as an ai(?: (?:language )?model| assistant)?,? i(?: can['’]?t| cannot| won['’]t|(?:['’]m| am) (?:unable|not able))\b/,
];

/** Doubt about facts or about the agent's own actions. */
export const HEDGING: MarkerPhrases = {
  words: anyPhrase([...DOUBTS, ...GUESSES]),
  // Advice, politeness and conditions are not doubt.
  unless: /\b(?:you|please)\b|^\W*(?:if|when|unless|in case)\b/i,
};

export const SELF_CONTRADICTION: MarkerPhrases = {
  words: anyPhrase(RETRACTIONS),
  unless: /^\W*(?:if|whether|in case|unless)\b|\bif i\b/i,
};

export const ABANDONED_STRATEGY: MarkerPhrases = {
  words: anyPhrase(CHANGES_OF_APPROACH),
  // Another approach that is offered to the user is the user's choice.
  unless: /\byou\b|\?$/i,
};

export const REFUSAL: MarkerPhrases = {
  words: anyPhrase(REFUSALS),
  // A refusal with a reason or a condition is an answer.
  unless: /\b(?:because|since|due to|polic(?:y|ies)|without|until|unless|if|as (?:it|the|your)|requires?|eligible)\b/i,
};

const ANY_PHRASE = [...DOUBTS, ...GUESSES, ...RETRACTIONS, ...CHANGES_OF_APPROACH, ...REFUSALS];

/**
 * Every phrase contains one of these. Most texts have none, and then the pattern of all phrases, which takes longer to compile than all
 * other rules take for a short session, is not used. Rarer is better: not `help`, which most answers offer.
 */
const WORDS_OF_PHRASES = new RegExp(
  [
    /sure|certain|confident|t (?:actually |really )?know|assum|guess|suspect|suppose|presum|i (?:think|believe)|unclear/,
    /probably|maybe|perhaps|likely|be (?:due|because|caused|related)/,
    /i mis|my mis|mistake|overlooked|oversight|stand corrected|(?:that|it) back|wrong|made (?:a|an|the|some) |my bad/,
    /incorrect|inaccurate|my (?:earlier|previous|initial|first|last) |not (?:quite )?(?:right|correct|true)|correction/,
    /(?:scratch|strike) that|second thought|let me correct|is actually|apologi[sz]e/,
    /different|alternative|another|give up|start|rethink|reconsider|change|switch|revise|t work|instead/,
    /(?:t|able)(?: to)? (?:help|assist|comply|fulfil|engage|participate)|decline|refuse|comfortable|willing|against my|as an ai/,
  ]
    .map(phraseSource)
    .join('|'),
  'i',
);

/** For tests. */
export const MARKER_PHRASES: readonly string[] = ANY_PHRASE.map(phraseSource);

/** Whether a text may contain a phrase of any kind. */
export function mayContainMarker(text: string): boolean {
  return WORDS_OF_PHRASES.test(text);
}

/** Matches any marker. Nearly all texts have none, and one combined pattern excludes them fast. */
export const ANY_MARKER = anyPhrase(ANY_PHRASE);

function phraseSource(phrase: RegExp | string): string {
  return typeof phrase === 'string' ? phrase : phrase.source;
}

/** Combines phrases that begin and end with a word. Phrases built from parts are strings. */
function anyPhrase(wordings: readonly (RegExp | string)[]): RegExp {
  return new RegExp(`\\b(?:${wordings.map(phraseSource).join('|')})\\b`, 'gi');
}
