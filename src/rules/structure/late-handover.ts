import { joinWithAnd } from '../../core/text/lists.ts';
import type { Rule } from '../rule.ts';
import { isEscalation } from '../shared/escalation.ts';
import { codeSpan } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';

export const lateHandover: Rule = {
  id: 'late-handover',
  title: 'Handed over late',
  proves: 'The agent handed the conversation over to a human after a call had failed or had changed something.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Looks for the first call that hands the conversation over to a human (`transfer_to_human_agents`, `escalate_to_human`), and reports it if a call of the agent had failed before, or had changed state. Who hands over without either has usually recognized that the request is not theirs; who hands over after either has usually tried, and left work half done.',
    silent:
      'It is an observation: policies may require a handover after a failure or a change. Ignores handovers that failed, and handovers to other agents of the same system.',
    remedy:
      'Read the failed call and the changes. If the request was never the agent’s to serve, have it check that before the first change; if it was, the failure is the thing to fix.',
  },
  check(view) {
    const handover = view.calls.find(({ step }) => isEscalation(step));
    if (!handover) return [];
    const failures = view.calls.slice(0, handover.index).filter(({ failed }) => failed);
    const changes = view.changes.filter(({ index }) => index < handover.index);
    const reasons = [countOf(failures.length, 'failed call'), countOf(changes.length, 'change')].flatMap(
      (it) => it ?? [],
    );
    if (reasons.length === 0) return [];
    const [failure, change] = [failures.at(-1), changes.at(-1)];
    return [
      {
        turn: handover.turn,
        message: `${codeSpan(handover.step.name)} handed the conversation over after ${joinWithAnd(reasons)}.`,
        evidence: [
          view.evidence(handover.turn, handover.step.pointer, 'the handover'),
          ...(failure ? [view.evidence(failure.turn, failure.step.pointer, 'the last failed call before it')] : []),
          ...(change ? [view.evidence(change.turn, change.step.pointer, 'the last change before it')] : []),
        ],
        calls: [handover.step.pointer],
      },
    ];
  },
};

function countOf(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
