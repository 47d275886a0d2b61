import type { Rule } from '../rule.ts';
import { stopCause } from '../shared/finish-reason.ts';
import { codeSpan, endSentence, quoteText } from '../shared/message-format.ts';
import { REFUSAL } from './marker-phrases.ts';
import { firstMarkedSentence } from './marker-sentences.ts';

/** A refusal that begins later in the answer does not refuse the whole request. */
const OPENING_LENGTH = 400;

export const refusedAnswer: Rule = {
  id: 'refused-answer',
  title: 'Refusal',
  proves: 'The agent refused to do what the user asked for, or a filter withheld its answer.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'The provider reports that the model\'s last message of the turn was filtered or refused (`content_filter`, `refusal`, `SAFETY`, …), or the answer refuses explicitly: "I can\'t help with that."',
    silent:
      'A refusal with a reason, such as a policy ("I cannot cancel this because …"), counts as an answer; in customer service it is often the right one. Only English phrases are recognized. A request that the agent should have refused but did not needs a judge.',
    remedy:
      "Check whether the request should have been refused. If not, look for what triggered the refusal: the instructions, a tool result, or the provider's filter.",
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
          evidence: [view.evidence(index, last.pointer, 'the message with this finish reason')],
        };
      }
      if (output === null || !marked.has(index)) return [];
      const refusal = firstMarkedSentence({ text: output.slice(0, OPENING_LENGTH), isAnswer: true }, REFUSAL);
      if (refusal === null) return [];
      return {
        turn: index,
        message: endSentence(`The agent refused: ${quoteText(refusal)}`),
        evidence: [view.evidence(index, outputPointer ?? pointer, 'the refusal')],
      };
    });
  },
};
