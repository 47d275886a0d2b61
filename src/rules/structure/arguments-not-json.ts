import { get } from '../../core/json.ts';
import type { Rule } from '../rule.ts';
import { codeSpan, endSentence, formatValue } from '../shared/message-format.ts';
import { looksRedacted, looksTruncated } from '../shared/redacted.ts';

export const argumentsNotJson: Rule = {
  id: 'arguments-not-json',
  title: 'Arguments are not a JSON object',
  proves: 'The agent wrote arguments that cannot be read as a JSON object, for a tool that takes one.',
  severity: 'high',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  page: {
    how: "Reports a call whose arguments are text that is not a JSON object, if the text begins like one (`{`) or the tool's schema in the catalogue requires one.",
    silent:
      'Some tools take free text, so text is only reported if a schema requires an object. Ignores arguments that are empty, masked (`[REDACTED]`) or truncated by the export (they end in an ellipsis), and calls of tools that are not in the catalogue, which `unknown-tool` reports.',
    remedy:
      'In most cases the output was cut off: raise the limit of output tokens, or pass long texts in another way than as one argument. Otherwise have the provider enforce the schema (`strict`), and return the parser’s message as an error, so that the agent can correct itself.',
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
