import { canonicalJson } from '../../core/json.ts';
import type { AttemptsSummary, TaskSummary } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import type { RunPlan } from '../../core/run-plan.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { bootstrapMeans } from '../../stats/bootstrap.ts';
import { mean } from '../aggregate/aggregate.ts';
import type { MetricTemplates } from '../aggregate/run-means.ts';
import type { EvaluatedSession } from '../metric.ts';
import { attemptStatistics } from './attempt-statistics.ts';
import { type Assessment, type Estimator, passAtK } from './pass-at-k.ts';

/** An evaluated session as an attempt of its task. */
export interface Attempt extends EvaluatedSession {
  readonly evaluated: Pick<SessionOutcome, 'id' | 'source' | 'goal' | 'task' | 'tags' | 'turns' | 'metrics'>;
  /** A threshold of the user's on a metric decides its verdict, so that passing says more than that no rule objected. */
  readonly hasThreshold: boolean;
}

/** The attempts of one task. */
export interface TaskGroup {
  readonly name: string;
  readonly attempts: readonly Attempt[];
}

/**
 * Sessions of one format, dataset, agent and task id are attempts of one task. If the file names no dataset, two tasks
 * with the same id and different goals are different tasks: ids such as `5` are common to many benchmarks. An id that a
 * person declared is enough.
 */
export function groupAttempts(sessions: readonly Attempt[]): TaskGroup[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of sessions) {
    const { task, source, goal } = attempt.evaluated;
    if (!task) continue;
    const dataset = task.dataset ?? (task.declared ? null : { goal: goal ?? null });
    const key = canonicalJson([source.format, dataset, task.agent ?? null, task.id]);
    const group = groups.get(key);
    if (group) group.push(attempt);
    else groups.set(key, [attempt]);
  }
  return [...groups.values()].map((attempts) => ({ name: taskName(attempts), attempts }));
}

/**
 * Sessions of one dataset and task id are attempts that can be compared, whichever agent made them and whichever format
 * recorded them. If neither a dataset is named nor the id was declared, they need one goal and one format.
 *
 * @returns the groups by `comparableKey`.
 */
export function groupComparable<Session extends Pick<SessionOutcome, 'source' | 'goal' | 'task'>>(
  sessions: readonly Session[],
): Map<string, Session[]> {
  const groups = Map.groupBy(sessions, (session) => comparableKey(session) ?? '');
  groups.delete('');
  return groups;
}

/** Equal for sessions that are attempts of one task, whichever agent made them; null without a task. */
export function comparableKey({
  task,
  source,
  goal,
}: Pick<SessionOutcome, 'goal' | 'task'> & { readonly source: { readonly format: string } }): string | null {
  if (!task) return null;
  const isNamed = task.dataset !== undefined || task.declared === true;
  return canonicalJson([task.id, isNamed ? (task.dataset ?? null) : { format: source.format, goal: goal ?? null }]);
}

function taskName([first]: readonly Attempt[]): string {
  const task = first?.evaluated.task;
  return [task?.dataset, task?.id, task?.agent].filter((part) => part !== undefined).join(' · ');
}

export interface Correctness {
  /** What decides, for the report. */
  readonly by: string;
  /** Null when it is unknown: such an attempt counts neither as correct nor as tried. */
  of(attempt: Attempt): boolean | null;
}

/**
 * By the outcome, whatever source says it, else by the verdict where a threshold decides it. Otherwise it is unknown: a
 * session without findings is no session that did its job. `correctBy` overrides it.
 */
export function correctness(correctBy: string | undefined, attempts: readonly Attempt[]): Correctness {
  if (correctBy === 'verdict') return { by: 'verdict', of: isCorrectByVerdict };
  if (correctBy !== undefined) return { by: correctBy, of: (attempt) => isCorrectByResult(attempt.result(correctBy)) };
  const known = attempts.filter(isOutcomeKnown).length;
  const byVerdict = attempts.filter((attempt) => !isOutcomeKnown(attempt) && attempt.hasThreshold).length;
  return {
    by: byVerdict === 0 ? 'outcome' : known === 0 ? 'verdict' : 'outcome, else verdict',
    of(attempt) {
      if (isOutcomeKnown(attempt)) return attempt.outcome.status === 'succeeded';
      return attempt.hasThreshold ? isCorrectByVerdict(attempt) : null;
    },
  };
}

function isOutcomeKnown({ outcome }: Attempt): boolean {
  return outcome.status !== 'unknown';
}

function isCorrectByVerdict({ verdict }: Attempt): boolean | null {
  return verdict === 'undecided' ? null : verdict === 'passed';
}

/** A score is correct if it meets its threshold; without a threshold, if it is 1. */
function isCorrectByResult(result: Result | undefined): boolean | null {
  if (result?.status !== 'scored' || result.score === null) return null;
  return result.passed ?? result.score >= 1 - 1e-9;
}

export interface AttemptCounts {
  /** Attempts whose correctness is known. */
  readonly n: number;
  readonly c: number;
  /** Attempts whose correctness is unknown: nothing says how they ended, or an outage left them undecided. */
  readonly undecided: number;
}

export function countCorrect(scenario: TaskGroup, correct: Correctness): AttemptCounts {
  const decided = scenario.attempts.map((attempt) => correct.of(attempt)).filter((outcome) => outcome !== null);
  const leftOut = scenario.attempts.length - decided.length;
  return { n: decided.length, c: decided.filter(Boolean).length, undecided: leftOut };
}

/** As a run without `--k` and `--estimator` estimates. */
export const DEFAULT_ESTIMATES = { k: null, estimator: null } as const;

/** Which k are estimated, and how. */
export interface EstimatePlan {
  readonly estimator: Estimator;
  readonly ks: readonly number[];
  /** Values of k that the estimator cannot give for all of these tasks. */
  readonly omitted: readonly number[];
}

/**
 * The k that were requested, or 1 to the smallest number of attempts. The unbiased estimator needs k attempts of every task: a
 * larger k is left out, and never changes the estimator of the others.
 */
export function planEstimates(
  counts: readonly Pick<AttemptCounts, 'n'>[],
  { k: requested, estimator }: Pick<RunPlan, 'k' | 'estimator'>,
): EstimatePlan {
  const smallest = Math.min(...counts.map(({ n }) => n));
  const ks = requested
    ? [...new Set(requested)].sort((a, b) => a - b)
    : Array.from({ length: smallest }, (_, index) => index + 1);
  const chosen = estimator ?? 'unbiased';
  const isPossible = (k: number) => chosen !== 'unbiased' || k <= smallest;
  return { estimator: chosen, ks: ks.filter(isPossible), omitted: ks.filter((k) => !isPossible(k)) };
}

/**
 * pass@k and pass^k of one task, with the 95% intervals of its Bayesian posterior. Where no attempt or every attempt
 * succeeded, the posterior lies beside the estimate: the interval is extended to it, as Brown, Cai and DasGupta (2001,
 * "Interval Estimation for a Binomial Proportion", section 4.1.2) do for the Jeffreys interval.
 */
export function estimateTask({ n, c }: Pick<AttemptCounts, 'n' | 'c'>, k: number, estimator: Estimator): TaskEstimate {
  const { passAtK: atK, passPowK: powK, assessment, credible } = passAtK({ n, c, k, estimator });
  const { passAtK: atCi, passPowK: powCi } = credible ?? { passAtK: [0, 1], passPowK: [0, 1] };
  return {
    k,
    passAtK: atK,
    passAtKCi: extendTo(atK, atCi),
    passPowK: powK,
    passPowKCi: extendTo(powK, powCi),
    assessment,
  };
}

/** The figure that a gate on all attempts of a task compares with its minimum; null where too few of them are known for it. */
export function gatedEstimate(
  counts: Pick<AttemptCounts, 'n' | 'c'>,
  { k, measure, bound }: NonNullable<RunPlan['gates']['attempts']>,
  requested: Estimator | null,
): { readonly value: number | null; readonly estimator: Estimator } {
  const { ks, estimator } = planEstimates([counts], { k: [k], estimator: requested });
  if (counts.n === 0 || ks.length === 0) return { value: null, estimator };
  const { passAtK: atK, passAtKCi: atCi, passPowK: powK, passPowKCi: powCi } = estimateTask(counts, k, estimator);
  const [point, [low]] = measure === 'pass@k' ? [atK, atCi] : [powK, powCi];
  return { value: bound === 'lower' ? low : point, estimator };
}

function extendTo(point: number, [low, high]: readonly [number, number]): [number, number] {
  return [Math.min(low, point), Math.max(high, point)];
}

export type TaskEstimate = AttemptsSummary['table'][number] & { readonly assessment: Assessment | null };

/** Means over tasks, one row per k; null if no task has a decided attempt. */
export function summarizeAttempts(
  counts: readonly AttemptCounts[],
  correctBy: string,
  plan: Pick<RunPlan, 'k' | 'estimator'>,
): AttemptsSummary | null {
  const decided = counts.filter(({ n }) => n > 0);
  if (decided.length === 0) return null;
  const { ks, estimator, omitted } = planEstimates(decided, plan);
  const estimates = decided.map((one) => ks.map((k) => estimateTask(one, k, estimator)));
  const [first, ...others] = estimates;
  const intervals =
    others.length === 0
      ? (first ?? []).flatMap(({ passAtKCi, passPowKCi }) => [passAtKCi, passPowKCi])
      : bootstrapMeans(estimates.map((ofTask) => ofTask.flatMap((one) => [one.passAtK, one.passPowK])));
  const table = ks.map((k, index) => {
    const ofK = estimates.flatMap((ofTask) => ofTask[index] ?? []);
    return {
      k,
      passAtK: mean(ofK.map((estimate) => estimate.passAtK)),
      passAtKCi: intervals[2 * index] ?? [0, 1],
      passPowK: mean(ofK.map((estimate) => estimate.passPowK)),
      passPowKCi: intervals[2 * index + 1] ?? [0, 1],
    } as const;
  });
  const leftOut = counts.reduce((sum, one) => sum + one.undecided, 0);
  return { estimator, correctBy, scenarios: decided.length, leftOut, table, omittedK: omitted };
}

/** A single score has neither a spread nor an interval. */
const MIN_SCORES = 2;

/** Statistics of each selected metric over the attempts of a task. */
export function taskStatistics({ attempts }: TaskGroup, { turn, session }: MetricTemplates): TaskSummary['statistics'] {
  const entries = [...turn, ...session].flatMap(({ metric: { name }, template }) => {
    if (template.implied) return [];
    const scores = attempts.flatMap((attempt) => {
      const result = attempt.result(name);
      return result?.status === 'scored' && result.score !== null ? [result.score] : [];
    });
    const statistics = scores.length < MIN_SCORES ? null : attemptStatistics(scores);
    return statistics ? [[name, statistics] as const] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
