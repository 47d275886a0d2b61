import type { Rule } from '../rule.ts';
import { stopCause } from '../shared/finish-reason.ts';
import { codeSpan, endSentence, inlineText } from '../shared/message-format.ts';

/** How much of the end the message quotes. */
const TAIL_LENGTH = 59;

export const truncatedAnswer: Rule = {
  id: 'truncated-answer',
  title: 'Answer cut off',
  proves: 'The answer ends because the model reached its limit, not because it was complete.',
  severity: 'medium',
  label: null,
  affects: [],
  page: {
    how: "The model's last message of the turn is the turn's answer, and its provider reports that it stopped at a limit: `length`, `max_tokens`, `MAX_TOKENS`, `max_output_tokens`, `model_length` or `incomplete`.",
    silent:
      'Does not report if the trace does not say why the model stopped. An answer that only looks unfinished, such as one with an unclosed code block, proves nothing by itself. A message that was cut off and then continued by the agent is not the answer.',
    remedy:
      'Raise the limit of output tokens, or have the agent give shorter answers; if the context was full, shorten the input.',
  },
  check: (view) =>
    view.session.turns.flatMap(({ steps, output, outputPointer }, index) => {
      const last = steps.at(-1);
      if (last?.type !== 'model' || stopCause(last) !== 'limit') return [];
      const { text = '', finishReason = '', pointer } = last;
      if (output === null || text.trim() === '' || text.trim() !== output.trim()) return [];
      return {
        turn: index,
        message: endSentence(
          `The answer breaks off at ${lastWords(text)}: the model had reached its limit (${codeSpan(finishReason)})`,
        ),
        evidence: [
          view.evidence(index, outputPointer ?? pointer, 'the truncated answer'),
          ...(outputPointer === undefined || outputPointer === pointer
            ? []
            : [view.evidence(index, pointer, 'the message with the reason')]),
        ],
      };
    }),
};

function lastWords(text: string): string {
  const tail = inlineText(text.slice(-TAIL_LENGTH));
  return `"${text.length > TAIL_LENGTH ? '…' : ''}${tail}"`;
}
