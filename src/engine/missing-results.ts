import { findRootReasons } from '../core/root-reasons.ts';
import type { MissingResult } from '../core/session-outcome.ts';
import { unfitReason } from '../core/unfit-answer.ts';

/** Kinds of missing results: a judge's answer, a function's result, another result, or everything that an abort cut off. */
const MISSING_CODES: readonly MissingCode[] = ['judge-unanswered', 'function-failed', 'metric-failed', 'interrupted'];
export type MissingCode = MissingResult['code'];

/** The reason of results that an abort cut off begins with this. */
export const STOPPED = 'The run was stopped';

/**
 * Counts the results that are missing because their source failed or was stopped, each once and where it arose. Results
 * that are computed from other results are not counted again, and neither are invalid imported scores. A run or session
 * with a missing result cannot pass: the missing result might be the bad one.
 */
export class MissingResults {
  /** By code, metric and reason: an aborted run can lack millions of results. */
  readonly #counts = new Map<MissingCode, Map<string, Map<string, number>>>();

  add(code: MissingCode, metric: string, reason: string, count = 1): void {
    const metrics = getOrCreate(this.#counts, code, () => new Map<string, Map<string, number>>());
    const reasons = getOrCreate(metrics, metric, () => new Map<string, number>());
    const text = reason || 'no reason was given';
    reasons.set(text, (reasons.get(text) ?? 0) + count);
  }

  list(): MissingResult[] {
    return [...this.#counts].flatMap(([code, metrics]) =>
      [...metrics].flatMap(([metric, reasons]) =>
        Array.from(reasons, ([reason, count]) => ({ code, metric, reason, count })),
      ),
    );
  }
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Missing results with one reason, or of one metric if its reasons differ. */
export interface MissingCause {
  readonly code: MissingCode;
  readonly count: number;
  /** How many of each metric, the most first. */
  readonly metrics: ReadonlyMap<string, number>;
  /** The most frequent reason; null if too many causes are combined to name one. */
  readonly reason: string | null;
  /** Number of other reasons. */
  readonly others: number;
  /** Whether the judge answered each time, and no answer fitted. */
  readonly isUnfit: boolean;
}

/** Maximum number of separate causes of one kind. */
const MAX_CAUSES = 8;

/** Groups missing results by cause: one outage is one cause. Ordered by kind, then by count. */
export function groupByCause(missing: readonly MissingResult[]): MissingCause[] {
  return MISSING_CODES.flatMap((code) => {
    const groups = groupByReason(missing.filter((result) => result.code === code));
    if (groups.length <= MAX_CAUSES) return groups.map((group) => toCause(code, group));
    const rest = toCause(code, groups.slice(MAX_CAUSES - 1).flat());
    return [
      ...groups.slice(0, MAX_CAUSES - 1).map((group) => toCause(code, group)),
      { ...rest, reason: null, others: rest.others + 1 },
    ];
  });
}

function groupByReason(missing: readonly MissingResult[]): MissingResult[][] {
  const rootOf = findRootReasons(missing.map(({ reason }) => reason));
  const rooted = missing.map((result) => ({ ...result, reason: rootOf(result.reason) }));
  const keyed = [...Map.groupBy(rooted, ({ reason }) => reason).values()].flatMap((alike) => {
    const isOfOneMetric = new Set(alike.map(({ metric }) => metric)).size === 1;
    return alike.map((result) => ({
      result,
      key: isOfOneMetric ? `metric ${result.metric}` : `reason ${result.reason}`,
    }));
  });
  const groups = Array.from(Map.groupBy(keyed, ({ key }) => key).values(), (group) =>
    group.map(({ result }) => result),
  );
  return groups.sort((a, b) => totalCount(b) - totalCount(a));
}

function toCause(code: MissingCode, missing: readonly MissingResult[]): MissingCause {
  const reasons = countBy(missing, ({ reason }) => reason);
  const [reason = null] = reasons.keys();
  const metrics = countBy(missing, ({ metric }) => metric);
  const isUnfit = missing.every((result) => unfitReason(result.reason) !== null);
  return { code, count: totalCount(missing), metrics, reason, others: reasons.size - 1, isUnfit };
}

function totalCount(missing: readonly MissingResult[]): number {
  return missing.reduce((sum, { count }) => sum + count, 0);
}

/** Sorted by count, descending. */
function countBy(missing: readonly MissingResult[], by: (result: MissingResult) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const result of missing) counts.set(by(result), (counts.get(by(result)) ?? 0) + result.count);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
