import { applyScenarioMetrics, type ScenarioMetrics } from '../config/scenario-metrics.ts';
import type { Configuration } from '../config/schema.ts';
import { literalPattern } from '../core/name-pattern.ts';
import type { TaskMetrics } from '../engine/plan.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';
import type { FinishedAttempt } from '../scenarios/run-scenarios.ts';

/** What scenarios set for the evaluation of their own attempts, as plain data. */
export interface ScenarioSettings {
  readonly thresholds: readonly {
    /** The pattern of its name, which is the id of its task. */
    readonly task: string;
    readonly thresholds: Readonly<Record<string, number>>;
  }[];
  /** Scenarios that say the same are together. */
  readonly metrics: readonly { readonly tasks: readonly string[]; readonly metrics: ScenarioMetrics }[];
}

export function scenarioSettings(attempts: readonly Pick<FinishedAttempt, 'scenario'>[]): ScenarioSettings {
  const scenarios = [...new Map(attempts.map(({ scenario }) => [scenario.name, scenario])).values()];
  const thresholds = scenarios.flatMap(({ name, thresholds: own }) =>
    own === undefined ? [] : [{ task: literalPattern(name), thresholds: own }],
  );
  // What gates some of them runs for these alone.
  const groups = Map.groupBy(scenarios, (own) => JSON.stringify([own.metrics, own.thresholds]));
  const metrics = [...groups.values()].flatMap((group) => {
    const [{ metrics: own } = {}] = group;
    return own === undefined ? [] : [{ tasks: group.map(({ name }) => name), metrics: own }];
  });
  return { thresholds, metrics };
}

export interface ConfiguredEvaluation {
  /** Runs what any of the scenarios needs. */
  readonly configuration: Configuration;
  /** Which metrics the attempts at a scenario have; empty: all those of the configuration. */
  readonly taskMetrics: readonly TaskMetrics[];
}

/** How attempts are evaluated. @param table all metrics; by default the built-in ones and the configuration's own */
export function configureForScenarios(
  configuration: Configuration,
  { thresholds, metrics: own }: ScenarioSettings,
  table: readonly Metric[] = allMetrics(configuration.custom),
): ConfiguredEvaluation {
  const metrics = withExpectations(configuration.metrics);
  const gated = withScenarioGates({ ...configuration, metrics }, thresholds);
  if (own.length === 0) return { configuration: gated, taskMetrics: [] };
  const byTask = own.map(({ tasks, metrics: ofScenario }) => ({
    tasks,
    metrics: withExpectations(applyScenarioMetrics(metrics, ofScenario, table)),
  }));
  return {
    configuration: { ...gated, metrics: byTask.reduce((all, one) => withEnabled(all, one.metrics), metrics) },
    taskMetrics: [...byTask, { tasks: null, metrics }],
  };
}

type ConfiguredMetrics = Configuration['metrics'];

const EXPECTATIONS = ['turn_expectations', 'session_expectations'] as const;

/** A scenario is checked against what it expects, whichever metrics are chosen. */
function withExpectations(metrics: ConfiguredMetrics): ConfiguredMetrics {
  return withEnabled(metrics, Object.fromEntries(EXPECTATIONS.map((name) => [name, { enabled: true }])));
}

/** Metrics that also run where others enable them. */
function withEnabled(metrics: ConfiguredMetrics, others: ConfiguredMetrics): ConfiguredMetrics {
  const names = Array.isArray(others) ? others : Object.keys(others).filter((name) => others[name]?.enabled);
  if (Array.isArray(metrics)) return [...new Set([...metrics, ...names])];
  return { ...metrics, ...Object.fromEntries(names.map((name) => [name, { ...metrics[name], enabled: true }])) };
}

function withScenarioGates(configuration: Configuration, thresholds: ScenarioSettings['thresholds']): Configuration {
  if (thresholds.length === 0) return configuration;
  const { gates } = configuration;
  return { ...configuration, gates: { ...gates, for: [...(gates.for ?? []), ...thresholds] } };
}
