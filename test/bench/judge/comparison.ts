import type { Report, ResultsByMetric, SessionReport } from '../../../src/core/report.ts';
import type { Result } from '../../../src/core/result.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import type { Metric } from '../../../src/metrics/metric.ts';
import { auroc } from '../../../src/stats/auroc.ts';
import { cohensKappa, exactAgreement, meanAbsoluteDifference, type Pair, spearman } from './statistics.ts';

/** How far two runs over the same sessions say the same of one metric. */
export interface RunComparison {
  readonly metric: Metric;
  /** Turns, or sessions, that the model scored in both. */
  readonly pairs: number;
  /** Those that it scored in one of them only. */
  readonly unpaired: number;
  /** Of the headlines, where the metric gives labels. */
  readonly exact: number | null;
  readonly difference: number | null;
  readonly rank: number | null;
  /** Of the headlines of labels, and of what is 0 or 1. */
  readonly kappa: number | null;
}

/** For each metric that a model answered in one of the runs. Both are over the same sessions, in the same order. */
export function compareRuns(first: Report, second: Report): RunComparison[] {
  return METRICS.flatMap((metric) => {
    const both = first.sessions.flatMap((session, at) => {
      const other = second.sessions[at];
      return other ? resultPairs(metric, session, other) : [];
    });
    const judged = both.filter((pair) => pair.some(isJudged));
    const scored = judged.flatMap(([a, b]) => (isJudged(a) && isJudged(b) ? [[a, b] as const] : []));
    if (judged.length === 0) return [];
    return [{ metric, pairs: scored.length, unpaired: judged.length - scored.length, ...agreement(metric, scored) }];
  });
}

type ResultPair = Pair<Result | undefined>;

function resultPairs({ name, scope }: Metric, first: SessionReport, second: SessionReport): ResultPair[] {
  const pair = (a: ResultsByMetric, b: ResultsByMetric | undefined): ResultPair => [a[name], b?.[name]];
  if (scope === 'session') return [pair(first.metrics, second.metrics)];
  const others = new Map(second.turns.map((turn) => [turn.index, turn.metrics]));
  return first.turns.map((turn) => pair(turn.metrics, others.get(turn.index)));
}

/** Of scores that a file carries, and of what the rules say alone, no packing changes anything. */
function isJudged(result: Result | undefined): result is Result {
  return result?.status === 'scored' && result.judge !== undefined && result.source !== 'aggregate';
}

function agreement({ scale }: Metric, pairs: readonly Pair<Result>[]) {
  const scores = pairs.map(([a, b]): Pair<number> => [a.score ?? 0, b.score ?? 0]);
  if (scale === 'label') {
    const labels = pairs.map(([a, b]): Pair<string> => [a.label ?? '', b.label ?? '']);
    const same = labels.map(([a, b]): Pair<number> => [0, a === b ? 0 : 1]);
    return { exact: exactAgreement(same), difference: null, rank: null, kappa: cohensKappa(labels) };
  }
  const kappa = scale === 'binary' ? cohensKappa(scores.map(([a, b]): Pair<string> => [`${a}`, `${b}`])) : null;
  return {
    exact: exactAgreement(scores),
    difference: meanAbsoluteDifference(scores),
    rank: spearman(scores),
    kappa,
  };
}

/** How well sessions that failed are told by what a metric says of them. */
export interface LabelAgreement {
  readonly metric: Metric;
  /** Sessions with a score and a known outcome, in the run that has fewer. */
  readonly sessions: number;
  /** AUROC against failure of the sessions' means, one of each run; null where it cannot be said. */
  readonly aurocs: readonly (number | null)[];
}

/** @param failed what became of each session; null where nobody knows. */
export function labelAgreement(reports: readonly Report[], failed: readonly (boolean | null)[]): LabelAgreement[] {
  return METRICS.flatMap((metric) => {
    const ranked = reports.map((report) =>
      report.sessions.flatMap(({ metrics }, at) => {
        const score = metrics[metric.name]?.score ?? null;
        const outcome = failed[at] ?? null;
        if (!metric.usesJudge || score === null || outcome === null) return [];
        return [{ score: metric.lowerIsBetter ? score : -score, failed: outcome }];
      }),
    );
    const sessions = Math.min(...ranked.map(({ length }) => length));
    const aurocs = ranked.map(auroc);
    return sessions === 0 || aurocs.every((auroc) => auroc === null) ? [] : [{ metric, sessions, aurocs }];
  });
}
