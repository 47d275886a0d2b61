import { rootReasons } from '../core/root-reasons.ts';

/** What went without an answer: a judge's question, a function's result, another result, or all that a stop cut off. */
const CODES = ['judge-unanswered', 'function-failed', 'metric-failed', 'interrupted'] as const;
export type UnansweredCode = (typeof CODES)[number];

/** Why all is missing that a stop cut off: what such results say begins so. */
export const STOPPED = 'The run was stopped';

/** Results of one metric that are missing for one reason. */
export interface Missing {
  readonly code: UnansweredCode;
  readonly metric: string;
  readonly reason: string;
  readonly count: number;
}

/**
 * Counts the results that are missing because what answers them failed or was stopped: each where it arose, and once.
 * What is made of other results is not counted again, and neither is a score that a file carries wrongly. A run, or a
 * session, in which anything is missing cannot pass: it may be what is wrong.
 */
export class Unanswered {
  /** By code, metric and reason: a run that is stopped can leave millions out. */
  readonly #counts = new Map<UnansweredCode, Map<string, Map<string, number>>>();

  add(code: UnansweredCode, metric: string, reason: string): void {
    const metrics = known(this.#counts, code, () => new Map<string, Map<string, number>>());
    const reasons = known(metrics, metric, () => new Map<string, number>());
    const told = reason || 'no reason was given';
    reasons.set(told, (reasons.get(told) ?? 0) + 1);
  }

  list(): Missing[] {
    return [...this.#counts].flatMap(([code, metrics]) =>
      [...metrics].flatMap(([metric, reasons]) =>
        Array.from(reasons, ([reason, count]) => ({ code, metric, reason, count })),
      ),
    );
  }
}

function known<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** What is missing for one reason, or of one metric where its reasons are its own. */
export interface Cause {
  readonly code: UnansweredCode;
  readonly count: number;
  /** How many of each metric, the most first. */
  readonly metrics: ReadonlyMap<string, number>;
  /** The most frequent reason; null where too many causes are put together to name one. */
  readonly reason: string | null;
  /** How many other reasons there are. */
  readonly others: number;
}

/** Causes of one kind that are told apart. */
const APART = 8;

/** One outage leaves many results out, and is one cause. Kind after kind; of each, what weighs most first. */
export function causesOf(missing: readonly Missing[]): Cause[] {
  return CODES.flatMap((code) => {
    const groups = together(missing.filter((one) => one.code === code));
    if (groups.length <= APART) return groups.map((group) => causeOf(code, group));
    const rest = causeOf(code, groups.slice(APART - 1).flat());
    return [
      ...groups.slice(0, APART - 1).map((group) => causeOf(code, group)),
      { ...rest, reason: null, others: rest.others + 1 },
    ];
  });
}

function together(missing: readonly Missing[]): Missing[][] {
  const rootOf = rootReasons(missing.map(({ reason }) => reason));
  const rooted = missing.map((one) => ({ ...one, reason: rootOf(one.reason) }));
  const keyed = [...Map.groupBy(rooted, ({ reason }) => reason).values()].flatMap((alike) => {
    const isOfOneMetric = new Set(alike.map(({ metric }) => metric)).size === 1;
    return alike.map((one) => ({ one, key: isOfOneMetric ? `metric ${one.metric}` : `reason ${one.reason}` }));
  });
  const groups = Array.from(Map.groupBy(keyed, ({ key }) => key).values(), (group) => group.map(({ one }) => one));
  return groups.sort((a, b) => total(b) - total(a));
}

function causeOf(code: UnansweredCode, missing: readonly Missing[]): Cause {
  const reasons = counted(missing, ({ reason }) => reason);
  const [reason = null] = reasons.keys();
  const metrics = counted(missing, ({ metric }) => metric);
  return { code, count: total(missing), metrics, reason, others: reasons.size - 1 };
}

function total(missing: readonly Missing[]): number {
  return missing.reduce((sum, { count }) => sum + count, 0);
}

/** The most first. */
function counted(missing: readonly Missing[], by: (one: Missing) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of missing) counts.set(by(one), (counts.get(by(one)) ?? 0) + one.count);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}
