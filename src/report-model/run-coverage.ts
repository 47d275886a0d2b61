import type { Report, ResultsByMetric, TurnReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { type Coverage, coverage } from '../core/scoring.ts';
import { isScore } from '../core/statuses.ts';
import { metricResult } from './metric-results.ts';

/** Results of a metric with one status and, without a score, one reason: the first of them, and how many there are. */
export interface CountedResult extends Pick<Result, 'status' | 'score' | 'scale' | 'reason'> {
  readonly count: number;
}

/** Results by metric, in the order of the first of their kind. */
export type CountedResults = ReadonlyMap<string, readonly CountedResult[]>;

/** Whether there were results to score and none was scored. */
export function isNothingScored({ scored, of }: Coverage): boolean {
  return scored === 0 && of > 0;
}

/** Coverage of all results. */
export function totalCoverage(byMetric: CountedResults): Coverage {
  return countedCoverage([...byMetric.values()].flat());
}

function countedCoverage(results: readonly CountedResult[]): Coverage {
  let scored = 0;
  let of = 0;
  for (const result of results) {
    const single = coverage([result]);
    scored += single.scored * result.count;
    of += single.of * result.count;
  }
  return { scored, of };
}

/**
 * Results by metric. Of a turn metric, the results of the turns: its means over a session and over the run are not counted
 * again.
 */
export function resultsByMetric(report: Report): CountedResults {
  const byMetric = new Map<string, Map<string, Writable<CountedResult>>>();
  const add = (metrics: ResultsByMetric, without: ReadonlySet<string>) => {
    for (const [name, result] of Object.entries(metrics)) {
      if (result.implied || without.has(name)) continue;
      const counts = byMetric.get(name) ?? new Map<string, Writable<CountedResult>>();
      byMetric.set(name, counts);
      const { status, score, scale, reason } = result;
      const key = isScore(status) ? status : `${status} ${reason}`;
      const known = counts.get(key);
      if (known) known.count += 1;
      else counts.set(key, { status, score, scale, reason, count: 1 });
    }
  };
  for (const { turns, metrics } of report.sessions) {
    const ofTurns = new Set<string>();
    for (const turn of turns) {
      add(turn.metrics, new Set());
      for (const name of Object.keys(turn.metrics)) ofTurns.add(name);
    }
    add(metrics, ofTurns);
  }
  for (const { metrics } of report.scenarios) add(metrics, new Set());
  add(report.metrics, new Set(byMetric.keys()));
  return new Map(Array.from(byMetric, ([name, counts]) => [name, [...counts.values()]]));
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Coverage of the results of some metrics. */
export function metricsCoverage(byMetric: CountedResults, metrics: readonly string[]): Coverage {
  return countedCoverage(metrics.flatMap((metric) => byMetric.get(metric) ?? []));
}

/** Coverage of a metric over the turns of a session. */
export function turnsCoverage(turns: readonly Pick<TurnReport, 'metrics'>[], metric: string): Coverage {
  return coverage(turns.map(({ metrics }) => metricResult(metrics, metric)));
}
