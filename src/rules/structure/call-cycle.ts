import type { Rule, RuleFinding } from '../rule.ts';
import type { RuleView } from '../rule-view.ts';
import { codeSpan, joinWithAnd } from '../shared/message-format.ts';
import { type CallCycle, findCallCycles, isInformative } from './repetition.ts';

export const callCycle: Rule = {
  id: 'call-cycle',
  title: 'Calls in a circle',
  proves: 'The agent made the same sequence of calls again and again, with the same arguments and the same results.',
  severity: 'low',
  label: 'repeated tool call',
  affects: ['step_efficiency'],
  page: {
    how:
      'Two to four calls of one turn that were made three times or more, directly one after the other, with the same arguments and ' +
      'the same results each time, where none of them plainly changes anything. Where it is unknown what one of the tools does, ' +
      'and some result is more than a receipt, it is an observation (`info`).',
    silent:
      'Circles with a call that changes something, that failed, that waits or polls, or that has no result. Circles over several ' +
      'turns, since there the user asked again. ToolBench trees, whose neighbouring calls did not see each other. One ' +
      'call alone is `repeated-call`.',
    remedy:
      'Look at what the agent wrote between the calls: mostly it waits for a result that these tools cannot give, or lost sight of ' +
      'what it had seen. A limit to the number of steps ends such a circle; a tool that answers the question avoids it.',
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
    ...(certain ? {} : { severity: 'info' }),
  };
}

function describeCycle({ period, calls }: CallCycle): string {
  const rounds = Math.floor(calls.length / period);
  const names = [...new Set(calls.slice(0, period).map(({ step }) => step.name))].map(codeSpan);
  return names.length === 1
    ? `The same ${period} calls of ${names[0]} were made one after the other ${rounds} times`
    : `${joinWithAnd(names)} were called one after the other ${rounds} times`;
}
