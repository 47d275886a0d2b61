import type { Rule } from '../rule.ts';
import { codeSpan, formatArguments, turnLabel } from '../shared/message-format.ts';
import { looksLikeFinalStep } from '../shared/tool-effect.ts';

export const callWithoutResult: Rule = {
  id: 'call-without-result',
  title: 'Call without a result',
  proves: 'The agent requested a call and went on, and nothing shows that the call was ever executed.',
  severity: 'medium',
  label: null,
  affects: [],
  page: {
    how: 'Checks every call that has neither a result nor an error, in sessions that record results. Reports it if the agent went on: the turn has an answer, another turn follows, or the next call has a result.',
    silent:
      'Skips sessions in which no call has a result, since the format omits them. Ignores tools that end the work or hand it over (`finish`, `transfer_to_human_agents`), calls of tools that do not exist, turns whose content was not recorded, and a trace that ends with the call.',
    remedy:
      'Check whether the tool ran. If it did, record its result in the trace, even if it is empty. If it did not, the answer has no basis: return an error to the agent when a call is lost or times out.',
  },
  check(view) {
    const { calls, session } = view;
    // The trace must record results, and something must have happened after the call.
    if (!calls.some(({ step }) => step.outcome === 'ok' || step.outcome === 'error')) return [];
    return calls.flatMap(({ step, turn, tool, index }) => {
      const current = session.turns[turn];
      // A tool that does not exist cannot answer; `unknown-tool` reports it.
      if (
        step.outcome !== 'missing' ||
        !current ||
        current.captured === false ||
        tool === null ||
        looksLikeFinalStep(step.name)
      )
        return [];
      const wentOn =
        current.output !== null || turn < session.turns.length - 1 || calls[index + 1]?.step.outcome === 'ok';
      if (!wentOn) return [];
      return {
        turn,
        message: `${codeSpan(step.name)} was called ${formatArguments(step.arguments)} in ${turnLabel(turn)}, and no result of it is in the trace.`,
        evidence: [view.evidence(turn, step.pointer, 'the call without a result')],
      };
    });
  },
};
