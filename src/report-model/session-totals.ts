import type { RunInfo, SessionReport } from '../core/report.ts';
import type { Result, Status } from '../core/result.ts';
import { type Coverage, coverage } from '../core/scoring.ts';
import { isScore } from '../core/statuses.ts';
import { type NamedResult, ownResults } from './metric-results.ts';

/** What a session's results add up to. */
export interface SessionTotals {
  readonly coverage: Coverage;
  readonly missing: readonly MissingScores[];
  /** `provider/model`: the run's judge, and every model that answered. */
  readonly judges: readonly string[];
  /** What the judge says of the tasks of turns; null where it scored none. */
  readonly judgedTasks: JudgedTasks | null;
  /** The session's own results: a session's result of a turn metric is the mean of its turns. */
  readonly sessionResults: readonly NamedResult[];
}

/** The judge's scores of `task_completion`. */
export interface JudgedTasks {
  readonly mean: number;
  readonly lowest: number;
  /** Zero-based: the first turn with the lowest score. */
  readonly turn: number;
  /** How many turns have such a score. */
  readonly turns: number;
}

/** In one pass over all results of all turns: there may be a million. */
export function totalSession(report: SessionReport, run: Pick<RunInfo, 'judge'>): SessionTotals {
  const missing = new MissingScoresCollector();
  const judges = new Set<string>();
  const turnMetrics = new Set<string>();
  const applicable = new Set<string>();
  const counts = { scored: 0, of: 0 };
  const add = (metric: string, result: Result): void => {
    const counted = coverage([result]);
    counts.scored += counted.scored;
    counts.of += counted.of;
    if (result.status !== 'not_applicable') applicable.add(metric);
    if (result.judge !== undefined) judges.add(result.judge);
    missing.add(metric, result);
  };
  const tasks: { readonly turn: number; readonly score: number }[] = [];
  for (const { index, metrics } of report.turns) {
    const { task_completion: task } = metrics;
    if (task?.judge !== undefined && task.score !== null) tasks.push({ turn: index, score: task.score });
    for (const metric in metrics) {
      const result = metrics[metric];
      if (!result || result.implied) continue;
      turnMetrics.add(metric);
      add(metric, result);
    }
  }
  const sessionResults = ownResults(report.metrics).filter(([metric]) => !turnMetrics.has(metric));
  for (const [metric, result] of sessionResults) add(metric, result);
  return {
    coverage: counts,
    missing: missing.groups(applicable),
    judges: withRunJudge(judges, run),
    judgedTasks: judgedTasks(tasks),
    sessionResults,
  };
}

function judgedTasks(tasks: readonly { readonly turn: number; readonly score: number }[]): JudgedTasks | null {
  const [first] = tasks;
  if (!first) return null;
  const lowest = tasks.reduce((low, task) => (task.score < low.score ? task : low), first);
  const mean = tasks.reduce((sum, { score }) => sum + score, 0) / tasks.length;
  return { mean, lowest: lowest.score, turn: lowest.turn, turns: tasks.length };
}

/** The run's judge first; where it answered under its name and version, as that. */
function withRunJudge(answered: ReadonlySet<string>, { judge }: Pick<RunInfo, 'judge'>): readonly string[] {
  if (!judge) return [...answered];
  const name = `${judge.provider}/${judge.model}`;
  const isOwn = (other: string) => other === name || other.startsWith(`${name} `);
  const own = [...answered].filter(isOwn);
  return [...(own.length > 0 ? own : [name]), ...[...answered].filter((other) => !isOwn(other))];
}

/** The models that answered, as `provider/model`; a model that was asked and failed judged nothing. */
export function answeringJudges({ metrics, turns }: Pick<SessionReport, 'metrics' | 'turns'>): ReadonlySet<string> {
  const judges = new Set<string>();
  for (const results of [metrics, ...turns.map((turn) => turn.metrics)]) {
    for (const { judge } of Object.values(results)) if (judge !== undefined) judges.add(judge);
  }
  return judges;
}

/** Metrics without a score, of one status. */
export interface MissingScores {
  readonly status: Status;
  /** Metrics by reason; null where the result gives none. */
  readonly reasons: readonly { readonly reason: string | null; readonly metrics: readonly string[] }[];
  /** How many metrics there are, each counted once. */
  readonly count: number;
}

/** The metrics without a score among some results. */
export function groupMissingScores(results: readonly NamedResult[]): MissingScores[] {
  const missing = new MissingScoresCollector();
  for (const [metric, result] of results) missing.add(metric, result);
  return missing.groups();
}

/** The order in which views list them: what can be acted upon first. */
const ORDER = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
  'needs_attempts',
  'not_applicable',
] as const satisfies readonly Status[];

class MissingScoresCollector {
  readonly #byStatus = new Map<Status, Map<string | null, Set<string>>>();

  add(metric: string, { status, reason }: Result): void {
    if (isScore(status)) return;
    const reasons = this.#byStatus.get(status) ?? new Map<string | null, Set<string>>();
    this.#byStatus.set(status, reasons);
    const metrics = reasons.get(reason);
    if (metrics) metrics.add(metric);
    else reasons.set(reason, new Set([metric]));
  }

  /** @param applicable metrics that apply to some turn: that they do not apply to others is not listed. */
  groups(applicable: ReadonlySet<string> = new Set()): MissingScores[] {
    return ORDER.flatMap((status): MissingScores[] => {
      const reasons = Array.from(this.#byStatus.get(status) ?? [], ([reason, metrics]) => ({
        reason,
        metrics: [...metrics].filter((metric) => status !== 'not_applicable' || !applicable.has(metric)),
      })).filter(({ metrics }) => metrics.length > 0);
      if (reasons.length === 0) return [];
      return [{ status, reasons, count: new Set(reasons.flatMap(({ metrics }) => metrics)).size }];
    });
  }
}
