import { cutShortBy } from './finish-reason.ts';
import { firstMarked, type Markers } from './markers.ts';
import type { Rule } from './rule.ts';
import { code, quote, sentence } from './wording.ts';

const CANNOT = /i(?: can['’]?t| cannot| can not| won['’]t| will not|(?:['’]m| am) (?:unable|not able) to)/.source;

const REFUSALS = [
  `${CANNOT} (?:help|assist)(?: you)?(?: with (?:that|this|it|your request)(?: request)?)?(?=\\s*(?:[.,!]|$))`,
  `${CANNOT} (?:comply|fulfil?l (?:that|this|your)|engage in|participate in)\\b`,
  /i(?: must| have to| need to|['’]ll have to| respectfully)? (?:decline|refuse) (?:to|this|that|your)\b/.source,
  /i(?:['’]m| am) not (?:comfortable|willing) (?:to|with|\w+ing)\b/.source,
  /against my (?:\w+ )?(?:guidelines|programming|principles)\b/.source,
  /as an ai(?: (?:language )?model| assistant)?,? i(?: can['’]?t| cannot| won['’]t|(?:['’]m| am) (?:unable|not able))\b/
    .source,
];

const REFUSAL: Markers = {
  words: new RegExp(`\\b(?:${REFUSALS.join('|')})`, 'gi'),
  // A no for which there is a reason or a condition is an answer.
  unless: /\b(?:because|since|due to|polic(?:y|ies)|without|until|unless|if|as (?:it|the|your)|requires?|eligible)\b/i,
};

/** How far into an answer a refusal is of the whole request. */
const OPENING = 400;

export const refusedAnswer: Rule = {
  id: 'refused-answer',
  title: 'Refusal',
  proves: 'The agent refused to do what the user asked for, or its answer was withheld by a filter.',
  severity: 'info',
  label: null,
  moves: [],
  page: {
    how: 'The provider says that the model\'s last message of the turn was filtered or refused (`content_filter`, `refusal`, `SAFETY` …), or the answer refuses in so many words: "I can\'t help with that."',
    silent:
      'A reason for a no, such as a policy ("I cannot cancel this because …"), makes it an answer, which in customer service is often the right one. Only English words are known. A request that the agent should have refused and did not is for a judge to see.',
    remedy:
      'See whether the request was one to refuse. If it was not, look for what set the refusal off: the instructions, a tool result, or the filter of the provider.',
  },
  check: (view) =>
    view.session.turns.flatMap(({ input, output, outputPointer, pointer, steps }, index) => {
      if (input === null) return [];
      const last = steps.findLast((step) => step.type === 'model');
      if (last && cutShortBy(last) === 'filter') {
        return {
          turn: index,
          message: sentence(
            `The model's answer was refused or withheld: it ended with ${code(last.finishReason ?? '')}`,
          ),
          evidence: [view.evidence(index, last.pointer, 'the message that ended so')],
        };
      }
      const said = output === null ? null : firstMarked({ text: output.slice(0, OPENING), isAnswer: true }, REFUSAL);
      if (said === null) return [];
      return {
        turn: index,
        message: sentence(`The agent refused: ${quote(said)}`),
        evidence: [view.evidence(index, outputPointer ?? pointer, 'the refusal')],
      };
    }),
};
