import type { SessionReport } from '../core/report.ts';
import type { GateThreshold, RunPlan } from '../core/run-plan.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { thresholdsFor } from '../core/task-gates.ts';
import { correctness } from '../metrics/attempts/task-attempts.ts';

/** Whether one of these decides the verdicts of sessions, so that passing says more than that no rule objected. */
export function hasSessionThreshold(thresholds: readonly GateThreshold[]): boolean {
  return thresholds.some(({ metric: { scope } }) => scope === 'turn' || scope === 'session');
}

/** Whether a session is a correct attempt, as pass@k counts it; null where it is not known. */
export function isCorrectAttempt(
  { outcome, verdict, metrics }: Pick<SessionReport, 'outcome' | 'verdict' | 'metrics'>,
  evaluated: SessionOutcome,
  plan: Pick<RunPlan, 'thresholds' | 'correctBy'>,
): boolean | null {
  const attempt = {
    evaluated,
    outcome,
    verdict,
    facts: evaluated.facts,
    hasThreshold: hasSessionThreshold(thresholdsFor(plan, evaluated)),
    result: (name: string) => (Object.hasOwn(metrics, name) ? metrics[name] : undefined),
  };
  return correctness(plan.correctBy ?? undefined, [attempt]).of(attempt);
}
