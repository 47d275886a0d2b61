import type { SessionReport } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { correctness } from '../metrics/attempts/task-attempts.ts';

/** Whether thresholds of the user's decide the verdicts of sessions, so that passing says more than that no rule objected. */
export function hasSessionThreshold({ thresholds }: Pick<RunPlan, 'thresholds'>): boolean {
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
    hasThreshold: hasSessionThreshold(plan),
    result: (name: string) => (Object.hasOwn(metrics, name) ? metrics[name] : undefined),
  };
  return correctness(plan.correctBy ?? undefined, [attempt]).of(attempt);
}
