import type { Rule } from './rule.ts';
import { looksFinal } from './tool-effect.ts';
import { code, inTurn, withArguments } from './wording.ts';

export const callWithoutResult: Rule = {
  id: 'call-without-result',
  title: 'Call without a result',
  proves: 'The agent asked for a call and went on, and nothing shows that the call was ever executed.',
  severity: 'medium',
  label: null,
  moves: [],
  page: { how: '', silent: '', remedy: '' },
  check(view) {
    const { calls, session } = view;
    // Only where this trace records results at all, and something came after the call.
    if (!calls.some(({ step }) => step.outcome === 'ok' || step.outcome === 'error')) return [];
    return calls.flatMap(({ step, turn, tool, at }) => {
      const one = session.turns[turn];
      // A tool that does not exist cannot answer: that is another rule's finding.
      if (step.outcome !== 'missing' || !one || one.captured === false || tool === null || looksFinal(step.name))
        return [];
      const wentOn = one.output !== null || turn < session.turns.length - 1 || calls[at + 1]?.step.outcome === 'ok';
      if (!wentOn) return [];
      return {
        turn,
        message: `${code(step.name)} was called ${withArguments(step.arguments)} in ${inTurn(turn)}, and no result of it is in the trace.`,
        evidence: [view.evidence(turn, step.pointer, 'the call without a result')],
      };
    });
  },
};
