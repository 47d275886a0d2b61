import type { Evidence, MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, type Session } from '../../core/session.ts';
import type { Rule } from '../../rules/rule.ts';
import { createRuleView } from '../../rules/rule-view.ts';
import { argumentsBreakSchema } from '../../rules/structure/arguments-break-schema.ts';
import { argumentsNotJson } from '../../rules/structure/arguments-not-json.ts';
import { callWithoutResult } from '../../rules/structure/call-without-result.ts';
import { unrecoveredError } from '../../rules/structure/unrecovered-error.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';

/**
 * Sound tool calls / tool calls. A call is unsound if a rule proves one of these: its arguments are not a JSON object,
 * they violate the tool's schema, it has no result, or it failed and no later call recovered it. The rules run again
 * here, because a rule that is switched off or a suppressed finding does not make a call sound.
 */
export const integrationQuality = sessionMetric({
  name: 'integration_quality',
  question: 'Were tools called with valid arguments, their results awaited and their errors recovered?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  needs: [],

  evaluate({ session }): MetricOutcome {
    let calls = 0;
    for (const turn of session.turns) if (turn.captured !== false) calls += agentToolCalls(turn).length;
    if (calls === 0) return NO_CALLS;

    const faults = findFaults(session);
    const unsound = new Set(faults.flatMap((fault) => fault.calls)).size;
    const counts = Object.fromEntries(
      CHECKS.map(([kind]) => [
        kind,
        faults.filter((fault) => fault.kind === kind).reduce((sum, fault) => sum + fault.calls.length, 0),
      ]),
    );
    return {
      status: 'scored',
      score: (calls - unsound) / calls,
      source: 'rules',
      reason:
        unsound === 0
          ? `No problem is proven for ${calls === 1 ? 'the only call' : `any of ${calls} calls`}.`
          : `${unsound} of ${calls} calls ${unsound === 1 ? 'is' : 'are'} unsound. ${faults[0]?.at.note ?? ''}`,
      evidence: faults.map(({ at }) => at),
      metadata: { calls, unsound, ...counts },
    };
  },
});

const NO_CALLS = notApplicable('The session has no recorded tool call.');

const CHECKS: readonly (readonly [kind: string, rule: Rule])[] = [
  ['argumentsNotJson', argumentsNotJson],
  ['invalidArguments', argumentsBreakSchema],
  ['missingResults', callWithoutResult],
  ['unrecoveredErrors', unrecoveredError],
];

interface IntegrationFault {
  readonly kind: string;
  readonly at: Evidence;
  /** Keys of the faulty calls: files with pointers. */
  readonly calls: readonly string[];
}

function findFaults(session: Session): IntegrationFault[] {
  const view = createRuleView(session);
  return CHECKS.flatMap(([kind, rule]) =>
    rule
      .check(view, rule.options?.parse({}))
      .flatMap(({ turn, evidence: [at], message, calls }): IntegrationFault[] => {
        if (!at) return [];
        const file = session.turns[turn]?.file ?? '';
        const pointers = calls ?? [at.pointer];
        return [{ kind, at: { ...at, note: message }, calls: pointers.map((pointer) => `${file}\n${pointer}`) }];
      }),
  );
}
