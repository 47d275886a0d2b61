import { lazy, memoizeWeak } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import type { AgentOutcome, AttemptsSummary, Gate, ResultsByMetric, TaskSummary } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { GateThreshold, RunPlan } from '../core/run-plan.ts';
import { meetsThreshold } from '../core/scoring.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { type GatedLabels, thresholdsFor } from '../core/task-gates.ts';
import { type Verdict, verdictOf } from '../core/verdict.ts';
import { withCorrectedShares } from '../metrics/aggregate/corrected-shares.ts';
import { runMeans } from '../metrics/aggregate/run-means.ts';
import { type ComparedSession, taskAgreement } from '../metrics/attempts/compared-sessions.ts';
import { createSimilarTasks } from '../metrics/attempts/similar-tasks.ts';
import {
  type Attempt,
  type Correctness,
  correctness,
  countCorrect,
  estimateTask,
  gatedEstimate,
  groupAttempts,
  planEstimates,
  summarizeAttempts,
  type TaskGroup,
  taskStatistics,
} from '../metrics/attempts/task-attempts.ts';
import type { TaskView } from '../metrics/metric.ts';
import { hasSessionThreshold } from '../report-model/attempt-correctness.ts';
import { metricResults } from './gates.ts';
import type { MissingResults } from './missing-results.ts';
import { errorOutcome, resultBuilder } from './outcomes.ts';
import type { MetricPlan, MetricPlans } from './plan.ts';
import { evaluateThreshold } from './threshold.ts';

export interface FinishedSession {
  readonly evaluated: SessionOutcome;
  readonly outcome: AgentOutcome;
  readonly verdict: Verdict;
}

export interface RunSummary {
  readonly metrics: ResultsByMetric;
  readonly gates: readonly Gate[];
  readonly scenarios: readonly TaskSummary[];
  readonly attempts: AttemptsSummary | null;
}

/**
 * Summarizes several sessions: run metrics, tasks and their attempts, and the gates on them.
 *
 * @param compared the sessions with other attempts, by id.
 * @param missing collects metrics of several sessions that cannot be computed.
 */
export function summarizeRun(
  finished: readonly FinishedSession[],
  plan: RunPlan,
  metricPlans: MetricPlans,
  compared: ReadonlyMap<string, ComparedSession>,
  missing: MissingResults,
): RunSummary {
  const thresholdsOf = memoizeWeak((labels: GatedLabels) => thresholdsFor(plan, labels));
  const sessions: Attempt[] = finished.map(({ evaluated, outcome, verdict }) => ({
    evaluated,
    outcome,
    facts: evaluated.facts,
    verdict,
    hasThreshold: hasSessionThreshold(thresholdsOf(evaluated)),
    result: (name) => evaluated.metrics[name],
  }));
  const outcomes = new Map(finished.map(({ evaluated }) => [evaluated.id, evaluated]));
  const groups = groupAttempts(sessions);
  const similarTo = lazy(() => createSimilarTasks(groups));
  const correct = correctness(
    plan.correctBy ?? undefined,
    groups.flatMap((group) => group.attempts),
  );

  const tasks = groups.map((group) => {
    const labels = taskLabels(group);
    const metricPlan = metricPlans.forTask(labels);
    const metrics = evaluateTaskMetrics(group, (least) => similarTo()(group, least), metricPlan, missing);
    const gates = [
      ...thresholdsOf(labels).flatMap((threshold) => {
        if (threshold.gateScope !== 'scenario') return [];
        const results = resultsInTask(threshold, group, metrics, outcomes);
        return [evaluateThreshold(threshold, 'scenario', group.name, results, plan)];
      }),
      ...attemptsGate(group, correct, plan),
    ];
    const statistics = taskStatistics(group, metricPlan);
    const agreement = taskAgreement(group.attempts.flatMap(({ evaluated }) => compared.get(evaluated.id) ?? []));
    return {
      labels,
      metrics,
      gates,
      summary: taskSummary(group, { metrics, statistics, agreement, gates, correct, plan }),
    };
  });

  const labelsOfTask = new Map(
    tasks.flatMap(({ labels, summary }) => summary.sessions.map((id) => [id, labels] as const)),
  );
  const metrics = evaluateRunMetrics(sessions, metricPlans.all, missing);
  const runGates = plan.thresholds.flatMap((threshold) => {
    if (threshold.gateScope !== 'run') return [];
    // A task with a threshold of its own is gated by that alone.
    const isGated = (labels: GatedLabels) => thresholdsOf(labels).includes(threshold);
    const sessions = finished.filter(({ evaluated }) => isGated(labelsOfTask.get(evaluated.id) ?? evaluated));
    if (sessions.length === 0 && finished.length > 0) return [];
    const gatedTasks = tasks.filter(({ labels }) => isGated(labels));
    return [evaluateThreshold(threshold, 'run', null, resultsInRun(threshold, metrics, gatedTasks, sessions), plan)];
  });

  return {
    metrics: {
      ...withCorrectedShares(
        runMeans(
          finished.map(({ evaluated }) => evaluated),
          metricPlans.all,
        ),
        finished.map(({ evaluated }) => evaluated),
        plan.calibrations,
      ),
      ...metrics,
    },
    gates: [...runGates, ...tasks.flatMap(({ gates }) => gates)],
    scenarios: tasks.map(({ summary }) => summary),
    attempts: summarizeAttempts(
      groups.map((group) => countCorrect(group, correct)),
      correct.by,
      plan,
    ),
  };
}

/** A task has the tags of all its attempts. */
function taskLabels({ attempts }: TaskGroup): GatedLabels {
  const tags = new Set(attempts.flatMap(({ evaluated }) => evaluated.tags ?? []));
  return { task: attempts[0]?.evaluated.task, tags: [...tags] };
}

function resultsInRun(
  { metric }: GateThreshold,
  runMetrics: ResultsByMetric,
  tasks: readonly { readonly metrics: ResultsByMetric }[],
  finished: readonly FinishedSession[],
): Result[] {
  if (metric.scope === 'run') return [runMetrics[metric.name]].flatMap((result) => result ?? []);
  if (metric.scope === 'scenario') return tasks.flatMap(({ metrics }) => metrics[metric.name] ?? []);
  return finished.flatMap(({ evaluated }) => metricResults(evaluated, metric));
}

function evaluateTaskMetrics(
  group: TaskGroup,
  similar: TaskView['similar'],
  plan: MetricPlan,
  missing: MissingResults,
): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.scenario) {
    metrics[planned.metric.name] = resultBuilder(planned)(
      evaluateSafely(planned.metric.name, missing, () =>
        planned.metric.evaluate({ attempts: group.attempts, similar }, planned.options),
      ),
    );
  }
  return metrics;
}

function evaluateRunMetrics(
  sessions: readonly Attempt[],
  plan: MetricPlan,
  missing: MissingResults,
): Record<string, Result> {
  const metrics: Record<string, Result> = {};
  for (const planned of plan.run) {
    metrics[planned.metric.name] = resultBuilder(planned)(
      evaluateSafely(planned.metric.name, missing, () => planned.metric.evaluate({ sessions }, planned.options)),
    );
  }
  return metrics;
}

function evaluateSafely<T>(
  name: string,
  missing: MissingResults,
  evaluate: () => T,
): T | ReturnType<typeof errorOutcome> {
  try {
    return evaluate();
  } catch (error) {
    missing.add('metric-failed', name, errorMessage(error));
    return errorOutcome(name, error);
  }
}

function resultsInTask(
  { metric }: GateThreshold,
  group: TaskGroup,
  metrics: ResultsByMetric,
  outcomes: ReadonlyMap<string, SessionOutcome>,
): Result[] {
  if (metric.scope === 'scenario') return [metrics[metric.name]].flatMap((result) => result ?? []);
  return group.attempts.flatMap((attempt) => {
    const outcome = outcomes.get(attempt.evaluated.id);
    return outcome ? metricResults(outcome, metric) : [];
  });
}

interface TaskFigures {
  readonly metrics: ResultsByMetric;
  readonly statistics: TaskSummary['statistics'];
  readonly agreement: TaskSummary['agreement'];
  readonly gates: readonly Gate[];
  readonly correct: Correctness;
  readonly plan: RunPlan;
}

function taskSummary(
  group: TaskGroup,
  { metrics, statistics, agreement, gates, correct, plan }: TaskFigures,
): TaskSummary {
  const first = group.attempts[0];
  const counts = countCorrect(group, correct);
  const { ks, estimator } = planEstimates([counts], plan);
  const estimates = counts.n > 0 ? ks.map((k) => estimateTask(counts, k, estimator)) : [];
  return {
    name: group.name,
    file: first?.evaluated.source.file ?? '',
    line: null,
    verdict: taskVerdict(group, gates, plan),
    assessment: estimates.at(-1)?.assessment ?? null,
    attempts: group.attempts.length,
    correct: counts.c,
    leftOut: counts.undecided,
    passAtK: estimates.map(({ k, passAtK: value, passAtKCi: ci }) => ({ k, value, ci })),
    passPowK: estimates.map(({ k, passPowK: value, passPowKCi: ci }) => ({ k, value, ci })),
    metrics,
    ...(statistics ? { statistics } : {}),
    ...(agreement ? { agreement } : {}),
    sessions: group.attempts.map((attempt) => attempt.evaluated.id),
    traceFiles: [...new Set(group.attempts.map((attempt) => attempt.evaluated.source.file))],
  };
}

/** By its gates, and by the verdict of every attempt unless all attempts gate together. */
function taskVerdict(group: TaskGroup, gates: readonly Gate[], plan: RunPlan): Verdict {
  const attempts = group.attempts.map(({ verdict }) => (verdict === 'undecided' ? null : verdict === 'passed'));
  return verdictOf([...gates.map((gate) => gate.met), ...(plan.gates.attempts ? [] : attempts)]);
}

/** The gate on pass@k or pass^k of a task. */
function attemptsGate(group: TaskGroup, correct: Correctness, plan: RunPlan): readonly Gate[] {
  const configured = plan.gates.attempts;
  if (!configured) return [];
  const { k, measure, value, bound } = configured;
  const counts = countCorrect(group, correct);
  const { value: actual, estimator } = gatedEstimate(counts, configured, plan.estimator);
  const name = measure.replace('k', String(k));
  const reason =
    actual === null
      ? `${name} needs ${k} attempts with a known result, there ${counts.n === 1 ? 'is' : 'are'} ${counts.n}`
      : `${name} ${bound === 'lower' ? 'is at least' : 'is'} ${actual.toFixed(2)} (${estimator}), required: at least ${value.toFixed(2)}`;
  return [
    {
      scope: 'scenario',
      subject: group.name,
      metric: name,
      threshold: value,
      actual,
      scored: counts.n,
      of: group.attempts.length,
      met: actual === null ? null : meetsThreshold(actual, value),
      reason,
    },
  ];
}
