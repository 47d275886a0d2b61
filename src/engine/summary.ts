import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import type { AttemptsSummary, Gate, ResultsByMetric, SessionReport, TaskSummary } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import { passAtK } from '../metrics/attempts/pass-at-k.ts';
import { taskStatistics } from './attempt-statistics.ts';
import {
  type Attempt,
  type Correctness,
  chooseK,
  correctness,
  countCorrect,
  groupAttempts,
  summarizeAttempts,
  type TaskGroup,
} from './attempts.ts';
import { metricResults } from './gates.ts';
import type { MissingResults } from './missing-results.ts';
import { errorOutcome, resultBuilder } from './outcomes.ts';
import type { MetricPlan } from './plan.ts';
import type { SessionResults } from './session-evaluation.ts';
import { evaluateThreshold, type GateThreshold } from './threshold.ts';
import { gateScope } from './thresholds.ts';

export interface FinishedSession {
  readonly report: SessionReport;
  readonly results: SessionResults;
}

export interface RunSummary {
  readonly metrics: ResultsByMetric;
  readonly gates: readonly Gate[];
  readonly scenarios: readonly TaskSummary[];
  readonly attempts: AttemptsSummary | null;
}

/**
 * What is said of several sessions together: run metrics, scenarios and their attempts, and the gates on them.
 *
 * @param unanswered hears of metrics of several sessions that cannot be computed.
 */
export function summarizeRun(
  finished: readonly FinishedSession[],
  plan: MetricPlan,
  thresholds: readonly GateThreshold[],
  configuration: Configuration,
  asked: { readonly k?: readonly number[]; readonly correctBy?: string },
  unanswered: MissingResults,
): RunSummary {
  const sessions: Attempt[] = finished.map(({ report, results }) => ({
    session: results.session,
    report,
    verdict: report.verdict,
    result: (name) => results.metrics[name],
  }));
  const byId = new Map(finished.map(({ report, results }) => [report.id, results]));
  const groups = groupAttempts(sessions);
  const correct = correctness(
    asked.correctBy,
    groups.flatMap((group) => group.attempts),
  );
  const at = (scope: Gate['scope']) => thresholds.filter((threshold) => gateScope(threshold, configuration) === scope);

  const scenarios = groups.map((group) => {
    const metrics = evaluateTaskMetrics(group, plan, unanswered);
    const gates = at('scenario').map((threshold) => {
      const results = resultsInTask(threshold, group, metrics, byId);
      return evaluateThreshold(threshold, 'scenario', group.name, results, configuration);
    });
    return {
      metrics,
      gates,
      report: taskSummary(group, { metrics, statistics: taskStatistics(group, plan), gates, correct, k: asked.k }),
    };
  });

  const metrics = evaluateRunMetrics(sessions, plan, unanswered);
  const runGates = at('run').map((threshold) => {
    const results = resultsInRun(threshold, metrics, scenarios, finished);
    return evaluateThreshold(threshold, 'run', null, results, configuration);
  });

  return {
    metrics,
    gates: [...runGates, ...scenarios.flatMap(({ gates }) => gates)],
    scenarios: scenarios.map(({ report }) => report),
    attempts: summarizeAttempts(
      groups.map((group) => countCorrect(group, correct)),
      correct.by,
      asked.k,
    ),
  };
}

function resultsInRun(
  { metric }: GateThreshold,
  ofRun: ResultsByMetric,
  scenarios: readonly { readonly metrics: ResultsByMetric }[],
  finished: readonly FinishedSession[],
): Result[] {
  if (metric.scope === 'run') return [ofRun[metric.name]].flatMap((result) => result ?? []);
  if (metric.scope === 'scenario') return scenarios.flatMap(({ metrics }) => metrics[metric.name] ?? []);
  return finished.flatMap(({ results }) => metricResults(results, metric));
}

function evaluateTaskMetrics(
  scenario: TaskGroup,
  plan: MetricPlan,
  unanswered: MissingResults,
): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.scenario) {
    metrics[planned.metric.name] = resultBuilder(planned)(
      evaluateSafely(planned.metric.name, unanswered, () =>
        planned.metric.evaluate({ attempts: scenario.attempts }, planned.options),
      ),
    );
  }
  return metrics;
}

function evaluateRunMetrics(
  sessions: readonly Attempt[],
  plan: MetricPlan,
  unanswered: MissingResults,
): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.run) {
    metrics[planned.metric.name] = resultBuilder(planned)(
      evaluateSafely(planned.metric.name, unanswered, () => planned.metric.evaluate({ sessions }, planned.options)),
    );
  }
  return metrics;
}

function evaluateSafely<T>(
  name: string,
  unanswered: MissingResults,
  evaluate: () => T,
): T | ReturnType<typeof errorOutcome> {
  try {
    return evaluate();
  } catch (error) {
    unanswered.add('metric-failed', name, errorMessage(error));
    return errorOutcome(name, error);
  }
}

function resultsInTask(
  { metric }: GateThreshold,
  scenario: TaskGroup,
  metrics: ResultsByMetric,
  byId: ReadonlyMap<string, SessionResults>,
): Result[] {
  if (metric.scope === 'scenario') return [metrics[metric.name]].flatMap((result) => result ?? []);
  return scenario.attempts.flatMap((attempt) => {
    const results = byId.get(attempt.report.id);
    return results ? metricResults(results, metric) : [];
  });
}

interface TaskFigures {
  readonly metrics: ResultsByMetric;
  readonly statistics: TaskSummary['statistics'];
  readonly gates: readonly Gate[];
  readonly correct: Correctness;
  readonly k: readonly number[] | undefined;
}

function taskSummary(scenario: TaskGroup, { metrics, statistics, gates, correct, k }: TaskFigures): TaskSummary {
  const first = scenario.attempts[0];
  const counts = countCorrect(scenario, correct);
  const { ks, estimator } = counts.n > 0 ? chooseK([counts], k) : { ks: [], estimator: 'unbiased' as const };
  const estimates = ks.map((each) => passAtK({ ...counts, k: each, estimator }));
  return {
    name: scenario.name,
    file: first?.session.source.file ?? '',
    line: null,
    verdict: taskVerdict(scenario, gates),
    assessment: estimates.at(-1)?.assessment ?? null,
    attempts: scenario.attempts.length,
    correct: counts.c,
    leftOut: counts.undecided,
    passAtK: estimates.map(({ k: each, passAtK: value }) => ({ k: each, value })),
    passPowK: estimates.map(({ k: each, passPowK: value }) => ({ k: each, value })),
    metrics,
    ...(statistics ? { statistics } : {}),
    sessions: scenario.attempts.map((attempt) => attempt.report.id),
    traceFiles: [...new Set(scenario.attempts.map((attempt) => attempt.session.source.file))],
  };
}

/** By its gates, and by the verdict of every attempt. */
function taskVerdict(scenario: TaskGroup, gates: readonly Gate[]): Verdict {
  const attempts = scenario.attempts.map(({ verdict }) => (verdict === 'undecided' ? null : verdict === 'passed'));
  return verdictOf([...gates.map((gate) => gate.met), ...attempts]);
}
