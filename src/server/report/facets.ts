import type { Facets } from '../../protocol/report.ts';
import { isScore } from '../../report-model/metric-results.ts';
import type { SessionModel } from '../../report-model/session-model.ts';
import { MAX_ROWS } from './limits.ts';
import { limitName } from './values.ts';

/** How many turns each filter choice would leave. */
export function countFacets({ report, findingsByTurn }: SessionModel): Facets {
  const metrics = new FacetCounts();
  const failed = new FacetCounts();
  const statuses = new FacetCounts();
  let belowThreshold = 0;
  for (const turn of report.turns) {
    let isBelow = false;
    const ways = new Set<string>();
    for (const metric in turn.metrics) {
      const result = turn.metrics[metric];
      if (!result || result.implied) continue;
      ways.add(result.status);
      if (isScore(result.status)) metrics.add(metric);
      if (result.passed !== false) continue;
      isBelow = true;
      failed.add(metric);
    }
    for (const status of ways) statuses.add(status);
    if (isBelow) belowThreshold += 1;
  }
  const labels = new FacetCounts();
  const severities = new FacetCounts();
  for (const failures of findingsByTurn().failures.values()) {
    for (const label of new Set(failures.map(({ label }) => label))) labels.add(label);
    for (const severity of new Set(failures.map(({ severity }) => severity))) severities.add(severity);
  }
  return {
    metrics: metrics.list(failed),
    labels: labels.list(),
    severities: severities.list(),
    statuses: statuses.list(),
    belowThreshold,
  };
}

class FacetCounts {
  readonly #counts = new Map<string, number>();

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Sorted by the counts of `there`, then by their own. */
  list(there: FacetCounts = this): Facets['labels'] {
    const often = (key: string) => there.#counts.get(key) ?? 0;
    const sorted = [...this.#counts].sort(([a, ofA], [b, ofB]) => often(b) - often(a) || ofB - ofA);
    return sorted.slice(0, MAX_ROWS).map(([key, turns]) => ({ name: limitName(key), turns }));
  }
}
