import { canonicalJson } from '../core/json.ts';
import type { AttemptsSummary, TaskSummary } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { attemptStatistics } from '../metrics/attempts/attempt-statistics.ts';
import { type Estimator, passAtK } from '../metrics/attempts/pass-at-k.ts';
import type { EvaluatedSession } from '../metrics/metric.ts';
import { mean } from './aggregate.ts';
import type { MetricPlan } from './plan.ts';

/** A session with what the report says of it. */
export interface Attempt extends EvaluatedSession {
  readonly outcome: Pick<SessionOutcome, 'id' | 'source' | 'goal' | 'task' | 'turns' | 'metrics'>;
}

/** Attempts of one scenario. */
export interface TaskGroup {
  readonly name: string;
  readonly attempts: readonly Attempt[];
}

/**
 * Sessions of one format, dataset, agent and task are attempts of it. Where the file names no dataset, two tasks with
 * one id and different goals are two tasks: ids such as `5` are common to many benchmarks.
 */
export function groupAttempts(sessions: readonly Attempt[]): TaskGroup[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of sessions) {
    const { task, source, goal } = attempt.outcome;
    if (!task) continue;
    const key = canonicalJson([source.format, task.dataset ?? { goal: goal ?? null }, task.agent ?? null, task.id]);
    const group = groups.get(key);
    if (group) group.push(attempt);
    else groups.set(key, [attempt]);
  }
  return [...groups.values()].map((attempts) => ({ name: taskName(attempts), attempts }));
}

function taskName([first]: readonly Attempt[]): string {
  const task = first?.outcome.task;
  return [task?.dataset, task?.id, task?.agent].filter((part) => part !== undefined).join(' · ');
}

/** Names of outcomes that a trace file may carry, and that decide whether an attempt was correct. */
const IMPORTED_OUTCOMES = ['reward', 'success'] as const;

export interface Correctness {
  /** What decided, in words for the report. */
  readonly by: string;
  /** Null when nothing decides: such an attempt counts neither as correct nor as tried. */
  of(attempt: Attempt): boolean | null;
}

/** By an imported outcome where the file carries one, else by the verdict; or as `correctBy` says. */
export function correctness(correctBy: string | undefined, attempts: readonly Attempt[]): Correctness {
  if (correctBy === 'verdict') return { by: 'verdict', of: isCorrectByVerdict };
  if (correctBy !== undefined) return { by: correctBy, of: (attempt) => isCorrectByResult(attempt.result(correctBy)) };
  const outcome = IMPORTED_OUTCOMES.find((name) => attempts.some((attempt) => attempt.result(name)));
  if (!outcome) return { by: 'verdict', of: isCorrectByVerdict };
  const every = attempts.every((attempt) => attempt.result(outcome));
  return {
    by: every ? outcome : `${outcome}, else verdict`,
    of: (attempt) => {
      const result = attempt.result(outcome);
      return result ? isCorrectByResult(result) : isCorrectByVerdict(attempt);
    },
  };
}

function isCorrectByVerdict({ verdict }: Attempt): boolean | null {
  return verdict === 'undecided' ? null : verdict === 'passed';
}

/** A score passes its threshold; one without threshold is correct when it is whole. */
function isCorrectByResult(result: Result | undefined): boolean | null {
  if (result?.status !== 'scored' || result.score === null) return null;
  return result.passed ?? result.score >= 1 - 1e-9;
}

export interface AttemptCounts {
  /** Attempts of which it is known whether they were correct. */
  readonly n: number;
  readonly c: number;
  /** Attempts of which it is not: an outage makes nothing correct, and nothing incorrect. */
  readonly undecided: number;
}

export function countCorrect(scenario: TaskGroup, correct: Correctness): AttemptCounts {
  const decided = scenario.attempts.map((attempt) => correct.of(attempt)).filter((one) => one !== null);
  const leftOut = scenario.attempts.length - decided.length;
  return { n: decided.length, c: decided.filter(Boolean).length, undecided: leftOut };
}

/** `--k`, or 1 to the smallest number of attempts. Unbiased as long as no k asks for more attempts than there are. */
export function chooseK(
  counts: readonly AttemptCounts[],
  asked: readonly number[] | undefined,
): { ks: number[]; estimator: Estimator } {
  const smallest = Math.min(...counts.map(({ n }) => n));
  const ks = asked
    ? [...new Set(asked)].sort((a, b) => a - b)
    : Array.from({ length: smallest }, (_, index) => index + 1);
  return { ks, estimator: ks.every((k) => k <= smallest) ? 'unbiased' : 'plug-in' };
}

/** Means over scenarios, a row per k; null when no scenario has a decided attempt. */
export function summarizeAttempts(
  counts: readonly AttemptCounts[],
  correctBy: string,
  asked: readonly number[] | undefined,
): AttemptsSummary | null {
  const decided = counts.filter(({ n }) => n > 0);
  if (decided.length === 0) return null;
  const { ks, estimator } = chooseK(decided, asked);
  const table = ks.map((k) => {
    const estimates = decided.map(({ n, c }) => passAtK({ n, c, k, estimator }));
    return {
      k,
      passAtK: mean(estimates.map((estimate) => estimate.passAtK)),
      passPowK: mean(estimates.map((estimate) => estimate.passPowK)),
    };
  });
  const leftOut = counts.reduce((sum, one) => sum + one.undecided, 0);
  return { estimator, correctBy, scenarios: decided.length, leftOut, table };
}

/** A single score has neither a spread nor an interval. */
const MIN_SCORES = 2;

/** Statistics of each selected metric over the attempts of a task. */
export function taskStatistics({ attempts }: TaskGroup, { turn, session }: MetricPlan): TaskSummary['statistics'] {
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
