import { get } from '../../core/json.ts';
import type { Rule } from '../rule.ts';
import { codeSpan, endSentence, formatValue } from '../shared/message-format.ts';
import { looksRedacted, looksTruncated } from '../shared/redacted.ts';

export const argumentsNotJson: Rule = {
  id: 'arguments-not-json',
  title: 'Arguments are not a JSON object',
  proves: 'The agent wrote arguments that cannot be read as a JSON object, where the tool takes one.',
  severity: 'high',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  page: {
    how: [
      'A call is reported when its arguments are text that is no JSON object, and either begin as one (`{`) or are for a',
      'tool whose schema in the catalogue wants one.',
    ].join('\n'),
    silent: [
      'Some tools take free text, so text is not reported where no schema says otherwise. Nothing is said of arguments',
      'that are empty, masked (`[REDACTED]`) or cut by the export, which shows in an ellipsis at their end, nor of calls',
      'of a tool that is not in the catalogue: that is a finding of its own.',
    ].join('\n'),
    remedy: [
      'Mostly the answer was cut: raise the limit of output tokens, or have long texts passed in another way than as one',
      'argument. Otherwise let the provider enforce the schema (`strict`), and return the parser’s message as an error,',
      'so that the agent can correct itself.',
    ].join('\n'),
  },
  check(view) {
    return view.calls.flatMap(({ step, turn, tool }) => {
      const { arguments: args } = step;
      if (
        typeof args !== 'string' ||
        tool === null ||
        args.trim() === '' ||
        looksRedacted(args) ||
        looksTruncated(args)
      ) {
        return [];
      }
      const takesText = tool?.inputSchema === undefined || get(tool.inputSchema, 'type') === 'string';
      if (takesText && !args.trimStart().startsWith('{')) return [];
      return {
        turn,
        message: endSentence(`The arguments of ${codeSpan(step.name)} are not a JSON object: ${formatValue(args)}`),
        evidence: [view.evidence(turn, step.pointer, 'the call with unreadable arguments')],
        calls: [step.pointer],
      };
    });
  },
};
