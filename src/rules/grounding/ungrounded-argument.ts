import type { Rule } from '../rule.ts';
import { codeSpan, formatValue } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';
import { describeMatch } from './result-matches.ts';

export const ungroundedArgument: Rule = {
  id: 'ungrounded-argument',
  title: 'Ungrounded argument',
  proves: 'A call that changes state has an identifier or an amount that appears in nothing the agent had seen.',
  severity: 'medium',
  label: 'wrong arguments',
  affects: ['argument_correctness'],
  kinds: NOT_CODING,
  page: {
    how: 'Looks up identifiers (letters with digits, long numbers, e-mail addresses) and amounts in the arguments of state-changing calls in everything the agent had seen before the call, as `ungrounded-value` does; amounts are also tried as the outcome of a calculation. A call that failed changed nothing, so its finding has a lower severity.',
    silent:
      'Skips read-only calls, where trying an identifier is a way of asking, and everything after the first thing that the trace did not record. If the instructions are not in the trace, an identifier is only reported if others of its kind were seen. Ignores dates, free text, and arguments that the agent writes itself (names, titles, paths, notes, idempotency keys, the identifier of what a call creates).',
    remedy:
      "Check where the value should have come from: a look-up that the agent skipped, or a question to the user. Describe the source of the argument in the tool's schema.",
  },
  check(view) {
    return view.grounding.arguments.map(({ turn, step, key, value, closest }) => ({
      turn,
      severity: step.outcome === 'error' || step.outcome === 'rejected' ? 'low' : 'medium',
      message: `${codeSpan(step.name)} was given ${codeSpan(key)} ${formatValue(value.text)}, which nothing before it had shown to the agent${closest ? `; ${describeMatch(closest)}` : ''}.`,
      evidence: [
        view.evidence(turn, step.pointer, 'the call'),
        ...(closest
          ? [
              view.evidence(
                closest.turn,
                closest.step.resultPointer ?? closest.step.pointer,
                'the closest value in a result',
              ),
            ]
          : []),
      ],
      calls: [step.pointer],
    }));
  },
};
