import { findRootReasons } from '../core/root-reasons.ts';
import type { MissingResult } from '../core/session-outcome.ts';

/** What went without an answer: a judge's question, a function's result, another result, or all that a stop cut off. */
const MISSING_CODES: readonly MissingCode[] = ['judge-unanswered', 'function-failed', 'metric-failed', 'interrupted'];
export type MissingCode = MissingResult['code'];

/** Why all is missing that a stop cut off: what such results say begins so. */
export const STOPPED = 'The run was stopped';

/**
 * Counts the results that are missing because what answers them failed or was stopped: each where it arose, and once.
 * What is made of other results is not counted again, and neither is a score that a file carries wrongly. A run, or a
 * session, in which anything is missing cannot pass: it may be what is wrong.
 */
export class MissingResults {
  /** By code, metric and reason: a run that is stopped can leave millions out. */
  readonly #counts = new Map<MissingCode, Map<string, Map<string, number>>>();

  add(code: MissingCode, metric: string, reason: string): void {
    const metrics = getOrCreate(this.#counts, code, () => new Map<string, Map<string, number>>());
    const reasons = getOrCreate(metrics, metric, () => new Map<string, number>());
    const told = reason || 'no reason was given';
    reasons.set(told, (reasons.get(told) ?? 0) + 1);
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
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** What is missing for one reason, or of one metric where its reasons are its own. */
export interface MissingCause {
  readonly code: MissingCode;
  readonly count: number;
  /** How many of each metric, the most first. */
  readonly metrics: ReadonlyMap<string, number>;
  /** The most frequent reason; null where too many causes are put together to name one. */
  readonly reason: string | null;
  /** How many other reasons there are. */
  readonly others: number;
}

/** Causes of one kind that are told apart. */
const MAX_CAUSES = 8;

/** One outage leaves many results out, and is one cause. Kind after kind; of each, what weighs most first. */
export function groupByCause(missing: readonly MissingResult[]): MissingCause[] {
  return MISSING_CODES.flatMap((code) => {
    const groups = groupByReason(missing.filter((one) => one.code === code));
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
  const rooted = missing.map((one) => ({ ...one, reason: rootOf(one.reason) }));
  const keyed = [...Map.groupBy(rooted, ({ reason }) => reason).values()].flatMap((alike) => {
    const isOfOneMetric = new Set(alike.map(({ metric }) => metric)).size === 1;
    return alike.map((one) => ({ one, key: isOfOneMetric ? `metric ${one.metric}` : `reason ${one.reason}` }));
  });
  const groups = Array.from(Map.groupBy(keyed, ({ key }) => key).values(), (group) => group.map(({ one }) => one));
  return groups.sort((a, b) => totalCount(b) - totalCount(a));
}

function toCause(code: MissingCode, missing: readonly MissingResult[]): MissingCause {
  const reasons = countBy(missing, ({ reason }) => reason);
  const [reason = null] = reasons.keys();
  const metrics = countBy(missing, ({ metric }) => metric);
  return { code, count: totalCount(missing), metrics, reason, others: reasons.size - 1 };
}

function totalCount(missing: readonly MissingResult[]): number {
  return missing.reduce((sum, { count }) => sum + count, 0);
}

/** The most first. */
function countBy(missing: readonly MissingResult[], by: (one: MissingResult) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of missing) counts.set(by(one), (counts.get(by(one)) ?? 0) + one.count);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
