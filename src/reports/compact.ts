import type { CompactSession, Report, ResultsByMetric, SessionReport } from '../core/report.ts';
import type { Result, Status } from '../core/result.ts';
import { saysNothing } from '../report-model/metric-results.ts';

type CompactResults = CompactSession['metrics'];

/** Metrics by the status of their results that are left out. */
type Omitted = ReadonlyMap<string, Status>;

/**
 * Makes sessions compact: without results that say nothing, whose metrics are named by status, and without keys of results that
 * are null or empty. What a gate asks about stays.
 */
export function sessionCompactor({ gates }: Pick<Report, 'gates'>): (session: SessionReport) => CompactSession {
  const gated = new Set(gates.map(({ metric }) => metric));
  return (session) => compactSession(session, gated);
}

function compactSession({ turns: all, ...session }: SessionReport, gated: ReadonlySet<string>): CompactSession {
  const own = divideResults(session.metrics, gated);
  const turns = all.map((turn) => ({ turn, ...divideResults(turn.metrics) }));
  const everywhere = new Map(
    [...own.omitted].filter(
      ([name, status]) => turns.length > 0 && turns.every(({ omitted }) => omitted.get(name) === status),
    ),
  );
  const named = ({ omitted }: { readonly omitted: Omitted }) => [...omitted].filter(([name]) => !everywhere.has(name));
  return {
    ...session,
    metrics: own.kept,
    ...byStatus('omitted', named(own)),
    ...byStatus('omittedEverywhere', [...everywhere]),
    turns: turns.map(({ turn, kept, omitted }) => ({
      ...turn,
      metrics: kept,
      ...byStatus('omitted', named({ omitted })),
    })),
  };
}

function divideResults(results: ResultsByMetric, gated?: ReadonlySet<string>) {
  const kept: [string, CompactResults[string]][] = [];
  const omitted = new Map<string, Status>();
  for (const [name, result] of Object.entries(results)) {
    if (saysNothing(name, result) && !gated?.has(name)) omitted.set(name, result.status);
    else kept.push([name, withoutEmptyKeys(result)]);
  }
  // Imported scores can have any name, `__proto__` too.
  return { kept: Object.fromEntries(kept), omitted };
}

function withoutEmptyKeys({ status, ...rest }: Result): CompactResults[string] {
  return { status, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value))) };
}

function isEmpty(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function byStatus<Key extends 'omitted' | 'omittedEverywhere'>(key: Key, metrics: readonly [string, Status][]) {
  if (metrics.length === 0) return {};
  const groups = Map.groupBy(metrics, ([, status]) => status);
  return { [key]: Object.fromEntries(Array.from(groups, ([status, of]) => [status, of.map(([name]) => name)])) };
}
