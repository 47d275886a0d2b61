import type { Rule } from '../rule.ts';
import { codeSpan } from '../shared/message-format.ts';

export const forbiddenTool: Rule = {
  id: 'forbidden-tool',
  title: 'Forbidden tool called',
  proves: 'The agent called a tool that the reference of its turn forbids.',
  severity: 'high',
  label: 'wrong tool',
  affects: ['tool_correctness'],
  page: {
    how: "Looks up every call of a turn in `reference.forbiddenTools` of that turn, which a session file or a sidecar states. A name with its namespace (`functions.delete_order`) is the tool's too. It also counts if the call failed or was never executed: the agent chose it.",
    silent: 'Does not report where no reference forbids a tool, nor calls of a simulated user.',
    remedy:
      'Do not offer the tool in this situation, or say in its description and in the instructions when it must not be used.',
  },
  check(view) {
    const forbidden = view.session.turns.map(({ reference }) => new Set(reference?.forbiddenTools));
    return view.calls.flatMap(({ step, turn }) => {
      const isForbidden = [step.name, step.name.split('.').at(-1) ?? ''].some((name) => forbidden[turn]?.has(name));
      if (!isForbidden) return [];
      return {
        turn,
        message: `${codeSpan(step.name)} was called, which the reference of the turn forbids.`,
        evidence: [view.evidence(turn, step.pointer, 'the call of a forbidden tool')],
        calls: [step.pointer],
      };
    });
  },
};
