import * as z from 'zod';
import { get, getObject, isObject } from '../core/json.ts';
import type { Metric } from '../metrics/metric.ts';
import { threshold } from '../metrics/threshold-schema.ts';
import { checkMetrics, checkTaskThresholds, MISSING_K_MESSAGE } from './check.ts';
import { metricKey, restrictMetrics } from './flags.ts';
import { findMetric } from './metric-names.ts';
import { expandPresets, isPreset } from './presets.ts';
import type { Configuration } from './schema.ts';
import { type ConfigIssue, configIssue, type KeyPath } from './schema-errors.ts';

/** The metrics of a scenario: a list restricts those of the configuration, an object configures them. */
export const scenarioMetricsSchema = z.union([
  z.array(z.string().min(1)).transform(expandPresets),
  z.record(z.string(), z.object({ enabled: z.boolean().optional(), threshold: threshold.optional() })),
]);
export type ScenarioMetrics = z.output<typeof scenarioMetricsSchema>;

export const scenarioThresholdsSchema = z.record(z.string(), threshold);

/** Checks what the keys `metrics` and `thresholds` of a scenario mean; other mistakes in them are the schema's. */
export type CheckScenarioMetrics = (scenario: unknown) => readonly ConfigIssue[];

/** @param table all metrics, those of the configuration included. */
export function createScenarioMetricsCheck(
  configuration: Pick<Configuration, 'metrics' | 'gates'>,
  table: readonly Metric[],
): CheckScenarioMetrics {
  return (scenario) => {
    const metrics = get(scenario, 'metrics');
    const named = [...requestedMetrics(metrics), ...gatedMetrics(scenario)];
    return [
      ...checkMetrics(isObject(metrics) ? knownSettings(metrics) : metrics, table),
      ...checkTaskThresholds(
        getObject(scenario, 'thresholds'),
        ['thresholds'],
        table,
        'gates.thresholds of the configuration',
      ),
      ...named.flatMap(({ name, path }) => checkRequested(findMetric(name, table), path, configuration)),
    ];
  };
}

/** The metrics of the configuration with what a scenario says about them. */
export function applyScenarioMetrics(
  configured: Configuration['metrics'],
  own: ScenarioMetrics,
  table: readonly Metric[],
): Exclude<Configuration['metrics'], readonly string[]> {
  if (Array.isArray(own)) return restrictMetrics(configured, own, table);
  const before = Array.isArray(configured) ? restrictMetrics({}, configured, table) : configured;
  const settings = Object.entries(own).map(([name, setting]) => {
    const key = metricKey(name, before, table);
    return [key, { ...before[key], ...setting }] as const;
  });
  return { ...before, ...Object.fromEntries(settings) };
}

/** Other keys are ignored, with a warning. */
function knownSettings(metrics: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, settings]) => {
      const { enabled, threshold: own } = isObject(settings) ? settings : {};
      return [
        name,
        { ...(enabled === undefined ? {} : { enabled }), ...(own === undefined ? {} : { threshold: own }) },
      ];
    }),
  );
}

interface NamedMetric {
  readonly name: string;
  readonly path: KeyPath;
}

/** The metrics that run because the scenario says so. */
function requestedMetrics(metrics: unknown): NamedMetric[] {
  if (Array.isArray(metrics)) {
    return metrics.flatMap((name: unknown, index) =>
      typeof name === 'string' && !isPreset(name) ? [{ name, path: ['metrics', index] }] : [],
    );
  }
  return Object.keys(isObject(metrics) ? metrics : {}).flatMap((name) =>
    get(get(metrics, name), 'enabled') === true ? [{ name, path: ['metrics', name] }] : [],
  );
}

function gatedMetrics(scenario: unknown): NamedMetric[] {
  return Object.keys(getObject(scenario, 'thresholds') ?? {}).map((name) => ({ name, path: ['thresholds', name] }));
}

function checkRequested(
  metric: Metric | undefined,
  path: KeyPath,
  { metrics, gates }: Pick<Configuration, 'metrics' | 'gates'>,
): ConfigIssue[] {
  if (!metric) return [];
  const { name, aliases = [], scope, optIn } = metric;
  const settings = getObject(metrics, [name, ...aliases].find((key) => get(metrics, key) !== undefined) ?? name);
  if (scope === 'run' && path[0] === 'metrics') {
    const message = `${name} is one figure of the whole run, and no scenario has one of its own. Name it in "metrics" of the configuration.`;
    return [configIssue(path, message)];
  }
  if (name === 'agentic' && settings?.k === undefined) return [configIssue(path, MISSING_K_MESSAGE)];
  const runs = get(gates.thresholds, name) !== undefined || (settings?.enabled ?? !optIn);
  if (settings?.judge === undefined || runs) return [];
  // Whether its model may get traces was not asked.
  const message = `${name} has a judge of its own in the configuration, which does not run it. Set "enabled": true there.`;
  return [configIssue(path, message)];
}
