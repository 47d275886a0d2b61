import { isScore } from '../core/statuses.ts';
import type { SessionModel } from './session-model.ts';

/** A filter choice with the number of matching turns. */
export interface FilterChoice {
  readonly name: string;
  readonly turns: number;
}

/** The choices by which turns can be filtered. */
export interface TurnFilters {
  /** Metrics with turn scores, those that miss their threshold most often first. */
  readonly metrics: readonly FilterChoice[];
  readonly labels: readonly FilterChoice[];
  readonly severities: readonly FilterChoice[];
  /** Result statuses. */
  readonly statuses: readonly FilterChoice[];
  readonly belowThreshold: number;
}

/** How many turns each filter choice would leave. */
export function countTurnFilters({ report, findingsByTurn }: SessionModel): TurnFilters {
  const metrics = new ChoiceCounts();
  const failed = new ChoiceCounts();
  const statuses = new ChoiceCounts();
  let belowThreshold = 0;
  for (const turn of report.turns) {
    let isBelow = false;
    const turnStatuses = new Set<string>();
    for (const metric in turn.metrics) {
      const result = turn.metrics[metric];
      if (!result || result.implied) continue;
      turnStatuses.add(result.status);
      if (isScore(result.status)) metrics.add(metric);
      if (result.passed !== false) continue;
      isBelow = true;
      failed.add(metric);
    }
    for (const status of turnStatuses) statuses.add(status);
    if (isBelow) belowThreshold += 1;
  }
  const labels = new ChoiceCounts();
  const severities = new ChoiceCounts();
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

class ChoiceCounts {
  readonly #counts = new Map<string, number>();

  add(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Sorted by the counts of `there`, then by their own. */
  list(there: ChoiceCounts = this): FilterChoice[] {
    const often = (key: string) => there.#counts.get(key) ?? 0;
    const sorted = [...this.#counts].sort(([a, ofA], [b, ofB]) => often(b) - often(a) || ofB - ofA);
    return sorted.map(([name, turns]) => ({ name, turns }));
  }
}
