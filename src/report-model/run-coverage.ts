import type { Report, ResultsByMetric, TurnReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import { type Coverage, coverage } from '../core/scoring.ts';
import { metricResult } from './metric-results.ts';

/** Results by metric. */
export type MetricResultLists = ReadonlyMap<string, readonly Result[]>;

/** Whether there were results to score and none was scored. */
export function isNothingScored({ scored, of }: Coverage): boolean {
  return scored === 0 && of > 0;
}

/** Coverage of all results. */
export function totalCoverage(byMetric: MetricResultLists): Coverage {
  return coverage([...byMetric.values()].flat());
}

/**
 * Results by metric. Of a turn metric, the results of the turns: its means over a session and over the run are not counted
 * again.
 */
export function resultsByMetric(report: Report): MetricResultLists {
  const byMetric = new Map<string, Result[]>();
  const add = (metrics: ResultsByMetric, without: ReadonlySet<string>) => {
    for (const [name, result] of Object.entries(metrics)) {
      if (result.implied || without.has(name)) continue;
      const known = byMetric.get(name);
      if (known) known.push(result);
      else byMetric.set(name, [result]);
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
  return byMetric;
}

/** Coverage of the results of some metrics. */
export function metricsCoverage(byMetric: MetricResultLists, metrics: readonly string[]): Coverage {
  return coverage(metrics.flatMap((metric) => byMetric.get(metric) ?? []));
}

/** Coverage of a metric over the turns of a session. */
export function turnsCoverage(turns: readonly Pick<TurnReport, 'metrics'>[], metric: string): Coverage {
  return coverage(turns.map(({ metrics }) => metricResult(metrics, metric)));
}
