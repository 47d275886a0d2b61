import { memoizeWeak } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import type { MetricOutcome, Result } from '../core/result.ts';
import { SCORE_WITHIN_RUN } from '../core/result-metadata.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { type ComparedSession, compareSessions, type EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';
import type { ComparedView } from '../metrics/metric.ts';
import { checkAttempts } from '../rules/index.ts';
import { collectObservations, collectProblems } from './agent-problems.ts';
import type { OutcomeStorage } from './outcome-storage.ts';
import { errorOutcome, resultBuilder } from './outcomes.ts';
import type { MetricPlan, MetricPlans } from './plan.ts';
import { applySuppressions } from './suppression.ts';

interface ComparedOutcomes {
  readonly outcomes: readonly SessionOutcome[];
  /** The sessions with other attempts, by id. */
  readonly compared: ReadonlyMap<string, ComparedSession>;
}

/**
 * The outcomes with the results and findings that depend on the other attempts of a session's task. Outcomes without others
 * stay as they are. Scores in the trace take precedence.
 *
 * @param earlier attempts of earlier runs that count as others.
 */
export function compareAttempts(
  outcomes: readonly SessionOutcome[],
  plan: RunPlan,
  metrics: MetricPlans,
  storage: OutcomeStorage | undefined,
  earlier: readonly EarlierAttempt[] = [],
): ComparedOutcomes {
  const compared = compareSessions(outcomes);
  const all = earlier.length === 0 ? compared : compareSessions(outcomes, earlier);
  const stepsOf = memoizeWeak((own: MetricPlan) =>
    own.session
      .filter(({ metric }) => metric.compare)
      .map((planned) => ({ planned, toResult: resultBuilder(planned) })),
  );
  return {
    compared: new Map(Array.from(compared.values(), (session) => [session.id, session])),
    outcomes: outcomes.map((outcome) => {
      const session = all.get(outcome);
      if (!session) return outcome;
      const withinRun = session.agreement.earlier > 0 ? { session: compared.get(outcome) } : null;
      const steps = stepsOf(metrics.forTask(outcome));
      const complete = withFindings(withMetrics(outcome, session, steps, plan, withinRun), session, plan);
      return storage?.put(complete) ?? complete;
    }),
  };
}

/** A metric that compares attempts, and the conversion of its outcomes to results. */
interface ComparisonStep {
  readonly planned: MetricPlan['session'][number];
  readonly toResult: (outcome: MetricOutcome) => Result;
}

function withMetrics(
  outcome: SessionOutcome,
  session: ComparedSession,
  steps: readonly ComparisonStep[],
  plan: RunPlan,
  withinRun: { readonly session: ComparedSession | undefined } | null,
): SessionOutcome {
  const metrics: Record<string, Result> = { ...outcome.metrics };
  const missing = [...outcome.missing];
  const viewOf = ({ id, ...compared }: ComparedSession): ComparedView => ({
    ...compared,
    facts: outcome.facts,
    risk: plan.risk ?? undefined,
    result: (name) => outcome.metrics[name],
  });
  for (const { planned, toResult } of steps) {
    const { metric, options } = planned;
    const known = metrics[metric.name];
    if (!known || known.source === 'imported' || known.status === 'cancelled') continue;
    try {
      const result = metric.compare?.(viewOf(session), options);
      if (!result) continue;
      if (!withinRun) {
        metrics[metric.name] = toResult(result);
        continue;
      }
      const own = withinRun.session && metric.compare?.(viewOf(withinRun.session), options);
      const { status, score: ownScore } = own ? toResult(own) : known;
      const score = status === 'scored' ? ownScore : null;
      metrics[metric.name] = toResult({ ...result, metadata: { ...result.metadata, [SCORE_WITHIN_RUN]: score } });
    } catch (error) {
      missing.push({ code: 'metric-failed', metric: metric.name, reason: errorMessage(error), count: 1 });
      metrics[metric.name] = toResult(errorOutcome(metric.name, error));
    }
  }
  return { ...outcome, metrics, missing };
}

function withFindings(outcome: SessionOutcome, { comparison }: ComparedSession, plan: RunPlan): SessionOutcome {
  const found = plan.rulesEnabled ? checkAttempts(comparison, plan.rules) : [];
  const all = found.filter(({ turn }) => plan.turn === null || turn === plan.turn);
  if (all.length === 0) return outcome;
  // Findings have evidence, so what locates and groups them needs no transcript.
  const session: Session = {
    id: outcome.id,
    source: outcome.source,
    turns: [],
    suppressions: outcome.attemptSuppressions,
  };
  const { findings, suppressed } = applySuppressions(session, all);
  return {
    ...outcome,
    problems: [...outcome.problems, ...collectProblems({ session, findings, turns: [] }, plan)],
    observations: [...outcome.observations, ...collectObservations({ session, findings })],
    suppressed: [...outcome.suppressed, ...suppressed],
  };
}
