import { joinWithAnd } from '../../core/text/lists.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import type { RuleView } from '../rule-view.ts';
import { codeSpan } from '../shared/message-format.ts';
import { type CallCycle, findCallCycles, isInformative, repetitionSeverity } from './repetition.ts';

export const callCycle: Rule = {
  id: 'call-cycle',
  title: 'Cycle of calls',
  proves: 'The agent repeated the same sequence of calls, with the same arguments and the same results.',
  severity: 'low',
  label: 'repeated tool call',
  affects: ['step_efficiency'],
  page: {
    how: 'Reports a sequence of two to four calls in one turn that was made at least three times in a row, with the same arguments and the same results each time, and no call that clearly changes anything. If the effect of one of the tools is unknown, and some result is more than a receipt, it is an observation (`info`). From 5 rounds on, a finding is one level more severe, from 20 on two.',
    silent:
      'Ignores cycles with a call that changes something, failed, waits or polls, or has no result. Ignores cycles over several turns, since the user asked again there, and ToolBench trees, whose sibling calls did not see each other. Repetitions of a single call are reported as `repeated-call`.',
    remedy:
      'Read what the agent wrote between the calls: usually it waits for a result that these tools cannot give, or forgot what it had seen. A limit on the number of steps ends such a cycle; a tool that answers the question avoids it.',
  },
  check: (view) => findCallCycles(view).flatMap((circle) => toFinding(view, circle) ?? []),
};

function toFinding(view: RuleView, circle: CallCycle): RuleFinding | null {
  const { turn, period, calls } = circle;
  const certain = calls.every(({ effect }) => effect === 'reads');
  if (!certain && !calls.slice(0, period).some((call) => call.effect === 'reads' || isInformative(call))) return null;
  const [first, again] = [calls.slice(0, period), calls.slice(period)];
  return {
    turn,
    message: `${describeCycle(circle)}, with the same arguments and the same results each time.`,
    evidence: [
      ...again
        .slice(0, period)
        .map(({ step }) => view.evidence(turn, step.pointer, 'the same call, with the same result')),
      ...first.map(({ step }) => view.evidence(turn, step.pointer, 'the call of the first round')),
    ],
    calls: again.map(({ step }) => step.pointer),
    severity: repetitionSeverity(certain ? 'low' : 'info', roundsOf(circle)),
  };
}

function roundsOf({ period, calls }: CallCycle): number {
  return Math.floor(calls.length / period);
}

function describeCycle(circle: CallCycle): string {
  const { period, calls } = circle;
  const rounds = roundsOf(circle);
  const names = [...new Set(calls.slice(0, period).map(({ step }) => step.name))].map(codeSpan);
  return names.length === 1
    ? `The same ${period} calls of ${names[0]} were made one after the other ${rounds} times`
    : `${joinWithAnd(names)} were called one after the other ${rounds} times`;
}
