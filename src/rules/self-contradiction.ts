import { type Markers, markedTurns } from './markers.ts';
import type { Rule } from './rule.ts';

const TAKEN_BACK = [
  /i (?:misspoke|misread|miscalculated|miscounted|misunderstood|misinterpreted|misstated|mistyped|overlooked|stand corrected|was (?:wrong|mistaken|incorrect))/,
  /i (?:take (?:that|it) back|got (?:that|this|it) wrong)/,
  /i(?:['’]ve| have)? made (?:a|an|the|some) (?:\w{1,30} ){0,2}(?:mistake|error|oversight|typo)/,
  /i made an assumption [^.!?\n]{0,80}?\b(?:incorrect|wrong)/,
  /my (?:mistake|bad|oversight|misunderstanding|miscalculation)/,
  /my (?:earlier|previous|initial|first|last) (?:\w{1,30} ){0,3}(?:was|were|is) (?:\w{1,30} )?(?:incorrect|wrong|inaccurate|mistaken|off)/,
  /(?:previous|earlier) (?:response|answer|statement|message|calculation|assumption|conclusion|analysis|claim)s?\b[^.!?\n]{0,80}?\b(?:was|were|is|are|be) (?:incorrect|wrong|inaccurate|mistaken)/,
  /(?:actually|no|wait|hmm|oops),? (?:no, )?(?:that|this|it)(?:['’]s| is| was|['’]d be) (?:wrong|incorrect|not (?:quite )?(?:right|correct|true))/,
  /scratch that|strike that|on second thought|let me correct (?:that|this|myself|my)/,
  /there was an oversight/,
  /is actually [^.!?\n]{1,40}?, not/,
  /apologi[sz]e for (?:the|my|that|this) (?:\w{1,30} )?(?:oversight|mistake|miscalculation|mix-?up)/,
  /apologi[sz]e for (?:the|any|my) (?:\w{1,30} )?(?:confusion|misunderstanding|error)[^\n]{0,120}?\b(?:the (?:correct|actual|right) [\w ]{1,30} (?:is|are|was)|actually|should have)/,
];

const SELF_CONTRADICTION: Markers = {
  words: new RegExp(
    `\\b(?:${TAKEN_BACK.map(({ source }) => source).join('|')})\\b|(?<=^|[.!?\\n]\\s{0,3})correction:`,
    'gi',
  ),
  unless: /^\W*(?:if|whether|in case|unless)\b|\bif i\b/i,
};

export const selfContradiction: Rule = {
  id: 'self-contradiction',
  title: 'Takes back what it said',
  proves: 'The agent took back what it had said, done or assumed.',
  severity: 'info',
  label: null,
  moves: ['confidence'],
  page: {
    how: 'Looks for sentences in which the agent takes something back ("I made a mistake", "let me correct that", "the total is actually $375, not $299", "the previous answer was wrong") in all that it says and thinks in a turn, and quotes the first.',
    silent:
      'Apologies that correct nothing ("I apologize for the inconvenience"), interruptions of its own thought ("Wait, …"), and agreeing with the user. A contradiction that the agent does not notice itself is not found. Only English words are known.',
    remedy:
      'See whether what was taken back had already been acted on or told to the user. A mistake that the agent finds by itself, in time, is a good sign.',
  },
  check: (view) =>
    markedTurns(view, SELF_CONTRADICTION, 'The agent takes something back', 'a text that takes something back'),
};
