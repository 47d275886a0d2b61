import type { Rule } from './rule.ts';
import { code, sentence, value } from './wording.ts';

export const argumentsNotJson: Rule = {
  id: 'arguments-not-json',
  title: 'Arguments are not a JSON object',
  proves: 'The agent wrote arguments that cannot be read as a JSON object, where the tool takes one.',
  severity: 'high',
  label: 'wrong arguments',
  moves: ['argument_correctness'],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    return view.calls.flatMap(({ step, turn, tool }) => {
      const { arguments: args } = step;
      // Some tools take free text, and some exports blank what they hide.
      if (typeof args !== 'string' || args.trim() === '') return [];
      if (!args.trimStart().startsWith('{') && tool?.inputSchema === undefined) return [];
      return {
        turn,
        message: sentence(`The arguments of ${code(step.name)} are not a JSON object: ${value(args)}`),
        evidence: [view.evidence(turn, step.pointer, 'the call with unreadable arguments')],
      };
    });
  },
};
