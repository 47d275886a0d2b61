import type { Rule } from '../rule.ts';
import { codeSpan, formatArguments } from '../shared/message-format.ts';

export const stateChange: Rule = {
  id: 'state-change',
  title: 'State was changed',
  proves: 'A call changed something outside of the conversation.',
  severity: 'info',
  label: null,
  affects: [],
  page: {
    how: 'Lists every call that succeeded and changed state: by the annotation of its tool (`changesState`, or `readOnlyHint` and `destructiveHint` of MCP), by the configuration (`stateChangingTools`), else by the verb of its name (`cancel_reservation`, `sendEmail`). This is what the agent did, as a list to go through: in the customer service of public benchmarks, sessions in which more was changed failed more often.',
    silent:
      "Coding agents, where edits and commands are the work. Calls that failed, were refused by the user, or came back with a text that tells of a failure. Names that say both that they read and that they change, or neither; handing a conversation over; an agent's notes to itself.",
    remedy:
      'Nothing has to be done. Where a tool is listed that changes nothing, or one is missing, annotate it or name it in the configuration.',
  },
  check(view) {
    if (view.coding) return [];
    return view.changes.map(({ step, turn }) => ({
      turn,
      message: `${codeSpan(step.name)} changed state ${formatArguments(step.arguments)}.`,
      evidence: [
        view.evidence(turn, step.pointer, 'the call that changed state'),
        ...(step.resultPointer === undefined
          ? []
          : [view.evidence(turn, step.resultPointer, 'what it came back with')]),
      ],
      calls: [step.pointer],
    }));
  },
};
