import type { Configuration } from '../config/schema.ts';
import { get, getNumber, getString, isObject } from '../core/json.ts';
import type { Gate } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { GateThreshold, RunPlan } from '../core/run-plan.ts';
import { type Coverage, coverage, meetsThreshold } from '../core/scoring.ts';
import { STATUSES } from '../core/statuses.ts';
import { gateSource } from '../core/task-gates.ts';
import { meanScore } from '../metrics/aggregate/aggregate.ts';
import type { Metric } from '../metrics/metric.ts';

/** The gate preset `production`: ADK's minima for the parts of the composite score, and for the whole. */
const PRODUCTION_MINIMA = { trajectory: 0.85, accuracy: 0.9, relevance: 0.75 } as const;
const PRODUCTION_OVERALL = 0.8;

/**
 * The configured thresholds; their names were checked with the configuration.
 *
 * @param metrics those that run.
 */
export function configuredThresholds(
  { gates }: Pick<Configuration, 'gates'>,
  metrics: readonly Metric[],
): GateThreshold[] {
  const find = (name: string) => metrics.find((metric) => metric.name === name || metric.aliases?.includes(name));
  const threshold = (metric: Metric, value: number, part?: string): GateThreshold => ({
    name: part === undefined ? metric.name : `${metric.name}.${part}`,
    metric: { name: metric.name, scope: metric.scope },
    ...(part === undefined ? {} : { part }),
    value,
    lowerIsBetter: metric.lowerIsBetter ?? false,
    gateScope: gateScope(metric, gates.scope),
  });
  const own = Object.entries(gates.thresholds ?? {}).flatMap(([name, value]) => {
    const metric = find(name);
    return metric ? [threshold(metric, value)] : [];
  });
  const ofSome = (gates.for ?? []).flatMap(({ thresholds = {}, failOn: _, ...subject }) =>
    Object.entries(thresholds).flatMap(([name, value]): GateThreshold[] => {
      const metric = find(name);
      return metric ? [{ ...threshold(metric, value), gateScope: taskGateScope(metric, gates.scope), ...subject }] : [];
    }),
  );
  const composite = gates.preset === 'production' ? find('composite_score') : undefined;
  if (!composite) return [...own, ...ofSome];
  const parts = Object.entries(PRODUCTION_MINIMA).map(([part, value]) => threshold(composite, value, part));
  return [...own, ...parts, threshold(composite, PRODUCTION_OVERALL), ...ofSome];
}

/** As configured, but a metric of several sessions cannot gate one of them. */
function gateScope({ scope }: Metric, configured: Gate['scope'] = 'run'): Gate['scope'] {
  if (scope === 'run') return 'run';
  if (scope === 'scenario') return configured === 'session' ? 'run' : configured;
  return configured;
}

/** A threshold of some tasks gates each of them, or each of their sessions: the run has other sessions too. */
function taskGateScope({ scope }: Metric, configured: Gate['scope'] | undefined): Gate['scope'] {
  return configured === 'session' && scope !== 'scenario' ? 'session' : 'scenario';
}

/** Evaluates one gate; `met` is null if nothing was scored, or too little. */
export function evaluateThreshold(
  threshold: GateThreshold,
  scope: Gate['scope'],
  subject: string | null,
  all: readonly Result[],
  { gates }: { readonly gates: Pick<RunPlan['gates'], 'minCoverage'> },
): Gate {
  const { name, part, value, lowerIsBetter } = threshold;
  const results = part === undefined ? all : all.flatMap((result) => partOf(result, part) ?? []);
  const { scored, of } = coverage(results);
  const actual = results.some(({ status, score }) => status === 'scored' && score !== null) ? meanScore(results) : null;
  const enough = scored >= gates.minCoverage * of - 1e-9;
  return {
    scope,
    subject,
    metric: name,
    threshold: value,
    actual,
    scored,
    of,
    met: actual === null || !enough ? null : meetsThreshold(actual, value, lowerIsBetter),
    reason: `${gateReason(actual, value, lowerIsBetter, { scored, of }, enough, results)}${gateSource(threshold)}`,
  };
}

/** The result of a part of a metric, from the `parts` in its metadata; null where it has no such part. */
function partOf(result: Result, name: string): Result | null {
  const part = get(result.metadata.parts, name);
  const status = STATUSES.find((candidate) => candidate === getString(part, 'status'));
  if (!isObject(part) || status === undefined) return null;
  return { ...result, status, score: getNumber(part, 'score') ?? null };
}

function gateReason(
  actual: number | null,
  value: number,
  lowerIsBetter: boolean,
  { scored, of }: Coverage,
  enough: boolean,
  results: readonly Result[],
): string {
  if (actual === null) {
    const why = results.find(({ status }) => status !== 'scored')?.reason;
    return `nothing scored${why ? `: ${why}` : ''}`;
  }
  if (!enough) return `only ${scored} of ${of} were scored, which is below the minimum coverage`;
  return `${actual.toFixed(2)}, required: ${lowerIsBetter ? 'at most' : 'at least'} ${value.toFixed(2)}`;
}
