import type { Rule } from '../rule.ts';
import { codeSpan, formatArguments } from '../shared/message-format.ts';
import { NOT_CODING } from '../shared/session-kind.ts';

export const stateChange: Rule = {
  id: 'state-change',
  title: 'State was changed',
  proves: 'A call changed something outside the conversation.',
  severity: 'info',
  label: null,
  affects: [],
  kinds: NOT_CODING,
  page: {
    how: 'Lists every successful call that changed state: according to the annotation of its tool (`changesState`, or `readOnlyHint` and `destructiveHint` of MCP), to the configuration (`stateChangingTools`), or else to the verb in its name (`cancel_reservation`, `sendEmail`). It is a checklist of what the agent did, and says nothing about success: in public benchmarks of customer service, sessions with a change failed more often in one domain (airline, where many requests must be declined), and less often in others (retail, telecom, where the change is the job).',
    silent:
      "Ignores calls that failed, were rejected by the user, or returned a text that reports a failure; names that suggest both reading and changing, or neither; handovers of a conversation; and an agent's notes to itself.",
    remedy:
      'Nothing is required. If a listed tool changes nothing, or a tool is missing, annotate it or name it in the configuration.',
  },
  check(view) {
    return view.changes.map(({ step, turn }) => ({
      turn,
      message: `${codeSpan(step.name)} changed state ${formatArguments(step.arguments)}.`,
      evidence: [
        view.evidence(turn, step.pointer, 'the call that changed state'),
        ...(step.resultPointer === undefined ? [] : [view.evidence(turn, step.resultPointer, 'its result')]),
      ],
      calls: [step.pointer],
    }));
  },
};
