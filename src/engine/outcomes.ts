import { LruCache } from '../core/cache/lru-cache.ts';
import { memoizeWeak } from '../core/cache/memoize.ts';
import { errorMessage } from '../core/error-message.ts';
import { type MetricOutcome, type Result, type ResultTemplate, toResult } from '../core/result.ts';
import { inRange } from '../core/scale.ts';
import type { ImportedScores, Session, Turn } from '../core/session.ts';
import type { PlannedMetric } from './plan.ts';

/**
 * Converts the outcomes of one metric to results. Outcomes that do not depend on the turn are shared frozen objects and
 * become shared results, and so do others that say the same: most results of a run without a model are such, and a run has
 * many sessions.
 */
export function resultBuilder({ metric, template }: PlannedMetric): (outcome: MetricOutcome) => Result {
  const shared = memoizeWeak((outcome: MetricOutcome) => Object.freeze(toResult(outcome, template)));
  const equal = new LruCache<string, Result>(MAX_EQUAL_RESULTS);
  return (outcome) => {
    if (Object.isFrozen(outcome)) return shared(outcome);
    if (metric.isUserFunction || !isLikelyEqual(outcome)) return toResult(outcome, template);
    const key = JSON.stringify(outcome);
    const known = equal.get(key) ?? Object.freeze(toResult(outcome, template));
    equal.set(key, known);
    return known;
  };
}

/** Results of one metric that are kept to be shared: most metrics give only a few that have no evidence. */
const MAX_EQUAL_RESULTS = 100;

/** Evidence is about one turn, and a judge says the same of two turns hardly ever. */
function isLikelyEqual(outcome: MetricOutcome): boolean {
  const { evidence = [] } = outcome;
  return evidence.length === 0 && !('judge' in outcome) && !('failures' in outcome);
}

/** The score in the trace file for this metric, by any of its names; undefined if there is none. */
export function importedOutcome(
  planned: PlannedMetric,
  { scores, scoreReasons }: Pick<Session | Turn, 'scores' | 'scoreReasons'>,
): MetricOutcome | undefined {
  if (!scores) return undefined;
  const { metric, template: frame } = planned;
  const name = [metric.name, ...(metric.aliases ?? [])].find((candidate) => Object.hasOwn(scores, candidate));
  const value = name === undefined ? undefined : scores[name];
  return value === undefined || name === undefined
    ? undefined
    : imported(metric.name, value, frame, scoreReasons?.[name]);
}

function imported(
  name: string,
  value: number | string,
  frame: ResultTemplate,
  reason = 'imported: the trace file carries this score',
): MetricOutcome {
  if (typeof value === 'string') {
    if (frame.range)
      return { status: 'error', reason: `The file gives ${name} the text "${value}" where a number belongs.` };
    return { status: 'scored', label: value, labels: [value], source: 'imported', reason };
  }
  if (!frame.range)
    return { status: 'error', reason: `The file gives ${name} the number ${value} where a label belongs.` };
  if (inRange(value, frame.range)) return { status: 'scored', score: value, source: 'imported', reason };
  const other =
    name === 'coherence' && value > 1 && value <= 5
      ? ' A coherence from 1 to 5 is another metric, conversation_coherence: rename it in the file if it is that one.'
      : '';
  return {
    status: 'error',
    reason: `The file gives ${name} the score ${value}, outside its scale ${frame.range[0]} to ${frame.range[1] ?? 'any number'}.${other}`,
  };
}

/** Scores in the trace file under names that are no metric of the run, such as `reward`. */
export function unknownImportedResults(
  scores: ImportedScores | undefined,
  known: ReadonlySet<string>,
): [string, Result][] {
  if (!scores) return [];
  return Object.entries(scores)
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => [name, toResult(importedValueOutcome(value), UNKNOWN_METRIC_TEMPLATE)]);
}

const UNKNOWN_METRIC_TEMPLATE: ResultTemplate = {
  range: null,
  threshold: null,
  bands: [],
  lowerIsBetter: false,
  implied: false,
};

function importedValueOutcome(value: number | string): MetricOutcome {
  const details = { source: 'imported', reason: 'imported: the trace file carries this score' } as const;
  return typeof value === 'number'
    ? { status: 'scored', score: value, ...details }
    : { status: 'scored', label: value, labels: [value], ...details };
}

/** The names and aliases of metrics. */
export function metricNames(planned: readonly PlannedMetric[]): Set<string> {
  return new Set(planned.flatMap(({ metric }) => [metric.name, ...(metric.aliases ?? [])]));
}

/** The outcome of a metric that threw an exception: it must not affect other results. */
export function errorOutcome(metric: string, error: unknown): MetricOutcome {
  return { status: 'error', reason: `${metric} could not be computed: ${errorMessage(error)}` };
}

export const CANCELLED: MetricOutcome = Object.freeze({
  status: 'cancelled',
  reason: 'The run was stopped before this was computed.',
});
