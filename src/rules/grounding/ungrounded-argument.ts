import type { Rule } from '../rule.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { describeMatch } from './result-matches.ts';

export const ungroundedArgument: Rule = {
  id: 'ungrounded-argument',
  title: 'Argument from nowhere',
  proves:
    'A call that changes state was given an identifier or an amount that nothing before it had shown to the agent.',
  severity: 'medium',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  page: {
    how:
      'Identifiers (letters with digits, long numbers, e-mail addresses) and amounts among the arguments of calls that change state are looked up in everything the agent had seen before that call, as `ungrounded-value` does, and amounts are tried as outcomes of a calculation. ' +
      'A call that failed changed nothing, so its finding weighs less.',
    silent:
      'For calls that only read: trying an identifier there is a way of asking. In sessions of coding agents, and from the first thing on that the trace did not keep. ' +
      'Where the instructions are not in the trace, an identifier is reported only if others of its kind were seen. ' +
      'Not looked at: dates, free text, and arguments that an agent writes itself (names, titles, paths, notes, keys against repetition, the identifier of what a call creates).',
    remedy:
      'Look where the value should have come from: a look-up that the agent skipped, or a question to the user. Describe in the tool where its argument comes from.',
  },
  check(view) {
    if (view.coding) return [];
    return view.grounding.arguments.map(({ turn, step, key, value: found, closest: near }) => ({
      turn,
      severity: step.outcome === 'error' || step.outcome === 'rejected' ? 'low' : 'medium',
      message: `${codeSpan(step.name)} was given ${codeSpan(key)} ${formatValue(found.text)}, which nothing before it had shown to the agent${near ? `; ${describeMatch(near)}` : ''}.`,
      evidence: [
        view.evidence(turn, step.pointer, 'the call'),
        ...(near
          ? [view.evidence(near.turn, near.step.resultPointer ?? near.step.pointer, 'the value most like it')]
          : []),
      ],
      calls: [step.pointer],
    }));
  },
};
