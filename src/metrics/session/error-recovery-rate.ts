import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { createRuleView, errorText, type RuleView } from '../../rules/rule-view.ts';
import { codeSpan, formatValue, inlineText } from '../../rules/shared/message-format.ts';
import { type FailedCall, findFailedCalls } from '../../rules/structure/recovery.ts';
import { unrecoveredError } from '../../rules/structure/unrecovered-error.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';

/**
 * Failed tool calls that a later call recovered / failed tool calls. Recovery is defined as in the rule
 * unrecovered-error. Calls whose recovery the trace may hide are not counted.
 */
export const errorRecoveryRate = sessionMetric({
  name: 'error_recovery_rate',
  question: 'When a tool failed, did the agent still achieve the purpose of the call?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: [],

  evaluate({ session, findings }): MetricOutcome {
    const view = createRuleView(session);
    const all = findFailedCalls(view);
    const errors = all.filter(({ recoveredBy, isUnrecovered: lost }) => recoveredBy !== null || lost);
    if (errors.length === 0) {
      if (all.length > 0) return NOT_RECOVERABLE;
      return session.turns.some(({ captured }) => captured === false) ? NOT_RECORDED : NO_ERRORS;
    }
    const lost = errors.filter((error) => error.isUnrecovered);
    const recovered = errors.length - lost.length;
    return {
      status: 'scored',
      score: recovered / errors.length,
      source: 'rules',
      reason:
        lost.length === 0
          ? `A later call recovered ${errors.length === 1 ? 'the only error' : `each of ${errors.length} errors`}.`
          : `${lost.length} of ${errors.length} tool errors ${lost.length === 1 ? 'was' : 'were'} never recovered, the first of ${codeSpan(lost[0]?.call.step.name ?? '')}.`,
      evidence: [
        ...lost.map((error) => evidenceOfError(view, error)),
        ...errors.flatMap((error) => evidenceOfRecovery(view, error)),
      ],
      metadata: {
        errors: all.map(({ call: { step, turn }, recoveredBy, isUnrecovered: lost }) => ({
          tool: step.name,
          turn,
          pointer: step.pointer,
          error: inlineText(errorText(step), 200),
          lost,
          recoveredBy: recoveredBy && {
            tool: recoveredBy.step.name,
            turn: recoveredBy.turn,
            pointer: recoveredBy.step.pointer,
          },
        })),
        recovered,
        findings: findings
          .filter(({ rule }) => rule === unrecoveredError.id)
          .map(({ rule, calls = [] }) => ({ rule, calls })),
      },
    };
  },
});

const NO_ERRORS: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 1,
  source: 'rules',
  reason: 'No tool call failed, so there was no error to recover from.',
});
const NOT_RECORDED = notApplicable('The trace has no tool error, but it does not record the whole session.');
const NOT_RECOVERABLE = notApplicable('Tool calls failed, and the trace does not show whether they were recovered.');

function evidenceOfError(view: RuleView, { call: { step, turn } }: FailedCall): Evidence {
  const text = errorText(step);
  const what = text === '' ? 'failed' : `failed with ${formatValue(text)}`;
  return view.evidence(
    turn,
    step.resultPointer ?? step.pointer,
    `${codeSpan(step.name)} ${what} and was not recovered`,
  );
}

function evidenceOfRecovery(view: RuleView, { call: { step, turn }, recoveredBy }: FailedCall): Evidence[] {
  if (!recoveredBy) return [];
  return [
    view.evidence(turn, step.resultPointer ?? step.pointer, `${codeSpan(step.name)} failed`),
    view.evidence(recoveredBy.turn, recoveredBy.step.pointer, `${codeSpan(recoveredBy.step.name)} succeeded`),
  ];
}
