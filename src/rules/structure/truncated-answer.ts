import type { Rule } from '../rule.ts';
import { stopCause } from '../shared/finish-reason.ts';
import { codeSpan, endSentence, inlineText } from '../shared/message-format.ts';

/** How much of the end is shown. */
const TAIL_LENGTH = 59;

export const truncatedAnswer: Rule = {
  id: 'truncated-answer',
  title: 'Answer cut off',
  proves: 'The answer ends because the model had reached its limit, and not because it was done.',
  severity: 'medium',
  label: null,
  affects: [],
  page: {
    how: "The model's last message of the turn is the turn's answer, and its provider says that it stopped at a limit: `length`, `max_tokens`, `MAX_TOKENS`, `max_output_tokens`, `model_length` or `incomplete`.",
    silent:
      'Where the trace does not say why the model stopped. An answer that only looks unfinished, such as one with a code block that is not closed, proves nothing by itself. A message that was cut off and after which the agent went on is not the answer.',
    remedy:
      'Raise the limit of output tokens, or have the agent answer in less; where the context was full, shorten what it is given.',
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
          view.evidence(index, outputPointer ?? pointer, 'the answer that breaks off'),
          ...(outputPointer === undefined || outputPointer === pointer
            ? []
            : [view.evidence(index, pointer, 'the message that says why')]),
        ],
      };
    }),
};

function lastWords(text: string): string {
  const tail = inlineText(text.slice(-TAIL_LENGTH));
  return `"${text.length > TAIL_LENGTH ? '…' : ''}${tail}"`;
}
