import type { Rule } from '../rule.ts';
import { stopCause } from '../shared/finish-reason.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { REFUSAL } from './marker-phrases.ts';
import { firstMarkedSentence } from './marker-sentences.ts';

/** How far into an answer a refusal is of the whole request. */
const OPENING_LENGTH = 400;

export const refusedAnswer: Rule = {
  id: 'refused-answer',
  title: 'Refusal',
  proves: 'The agent refused to do what the user asked for, or its answer was withheld by a filter.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'The provider says that the model\'s last message of the turn was filtered or refused (`content_filter`, `refusal`, `SAFETY` …), or the answer refuses in so many words: "I can\'t help with that."',
    silent:
      'A reason for a no, such as a policy ("I cannot cancel this because …"), makes it an answer, which in customer service is often the right one. Only English words are known. A request that the agent should have refused and did not is for a judge to see.',
    remedy:
      'See whether the request was one to refuse. If it was not, look for what set the refusal off: the instructions, a tool result, or the filter of the provider.',
  },
  check(view) {
    const marked = new Set(view.textsWithMarkers.map(({ turn }) => turn));
    return view.session.turns.flatMap(({ input, output, outputPointer, pointer, steps }, index) => {
      if (input === null) return [];
      const last = steps.findLast((step) => step.type === 'model');
      if (last && stopCause(last) === 'filter') {
        return {
          turn: index,
          message: endSentence(
            `The model's answer was refused or withheld: it ended with ${codeSpan(last.finishReason ?? '')}`,
          ),
          evidence: [view.evidence(index, last.pointer, 'the message that ended so')],
        };
      }
      if (output === null || !marked.has(index)) return [];
      const said = firstMarkedSentence({ text: output.slice(0, OPENING_LENGTH), isAnswer: true }, REFUSAL);
      if (said === null) return [];
      return {
        turn: index,
        message: endSentence(`The agent refused: ${quoteText(said)}`),
        evidence: [view.evidence(index, outputPointer ?? pointer, 'the refusal')],
      };
    });
  },
};
