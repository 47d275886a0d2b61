import type { Configuration, MetricSettings } from '../config/schema.ts';
import type { ResultTemplate } from '../core/result.ts';
import { scaleRange } from '../core/scale.ts';
import type { Metric, RunMetric, SessionMetric, TaskMetric, TurnMetric } from '../metrics/metric.ts';

/** A metric that will run, with its options checked and what frames its outcomes. */
export interface PlannedMetric<M extends Metric = Metric> {
  readonly metric: M;
  readonly options: unknown;
  readonly template: ResultTemplate;
}

/** What will run, each list in an order in which every metric comes after those that it uses. */
export interface MetricPlan {
  readonly turn: readonly PlannedMetric<TurnMetric>[];
  readonly session: readonly PlannedMetric<SessionMetric>[];
  readonly scenario: readonly PlannedMetric<TaskMetric>[];
  readonly run: readonly PlannedMetric<RunMetric>[];
}

/**
 * Selects metrics as the configuration says, pulls in those that the selected ones use (as `implied`: computed, shown
 * apart, never gated) and orders them. Names in the configuration were checked before; unknown ones select nothing.
 */
export function planMetrics(table: readonly Metric[], configuration: Configuration): MetricPlan {
  const byName = new Map<string, Metric>();
  for (const metric of table) for (const name of [metric.name, ...(metric.aliases ?? [])]) byName.set(name, metric);
  const selected = selectMetrics(table, byName, configuration);
  const planned = orderByUse(selected, byName).map((metric) => ({
    metric,
    options: metricOptions(metric, configuration),
    template: createTemplate(metric, configuredThreshold(metric, table, configuration), !selected.has(metric)),
  }));
  return {
    turn: planned.filter((entry): entry is PlannedMetric<TurnMetric> => entry.metric.scope === 'turn'),
    session: planned.filter((entry): entry is PlannedMetric<SessionMetric> => entry.metric.scope === 'session'),
    scenario: planned.filter((entry): entry is PlannedMetric<TaskMetric> => entry.metric.scope === 'scenario'),
    run: planned.filter((entry): entry is PlannedMetric<RunMetric> => entry.metric.scope === 'run'),
  };
}

function selectMetrics(
  table: readonly Metric[],
  byName: ReadonlyMap<string, Metric>,
  { metrics, gates }: Configuration,
): Set<Metric> {
  const selected = new Set<Metric>();
  const select = (name: string) => {
    const metric = byName.get(name);
    if (metric) selected.add(metric);
  };
  if (Array.isArray(metrics)) {
    for (const name of metrics) select(name);
  } else {
    for (const metric of table) {
      const enabled = metricSettings(metric, metrics)?.enabled;
      if (enabled ?? !metric.optIn) selected.add(metric);
    }
  }
  for (const name of Object.keys(gates.thresholds ?? {})) select(name);
  if (gates.preset === 'production') select('composite_score');
  return selected;
}

/** Depth first along `uses`: what a metric reads stands before it. What is opt-in runs only when it was selected. */
function orderByUse(selected: ReadonlySet<Metric>, byName: ReadonlyMap<string, Metric>): Metric[] {
  const ordered = new Set<Metric>();
  const visit = (metric: Metric, path: readonly Metric[]) => {
    if (ordered.has(metric)) return;
    if (path.includes(metric)) throw new Error(`The metric ${metric.name} uses itself by way of others.`);
    for (const name of metric.uses ?? []) {
      const used = byName.get(name);
      if (used && (selected.has(used) || !used.optIn)) visit(used, [...path, metric]);
    }
    ordered.add(metric);
  };
  for (const metric of selected) visit(metric, []);
  return [...ordered];
}

function metricSettings(metric: Metric, metrics: Configuration['metrics']): MetricSettings | undefined {
  if (Array.isArray(metrics)) return undefined;
  for (const name of [metric.name, ...(metric.aliases ?? [])]) if (Object.hasOwn(metrics, name)) return metrics[name];
  return undefined;
}

function metricOptions(metric: Metric, { metrics }: Configuration): unknown {
  const { enabled, threshold, judge, ...options } = metricSettings(metric, metrics) ?? {};
  return metric.options ? metric.options.parse(options) : options;
}

/** One of its own, else one that a metric is given that counts by its scores. */
function configuredThreshold(metric: Metric, table: readonly Metric[], { metrics }: Configuration): number | undefined {
  const counting = table.find(({ thresholdFor }) => thresholdFor === metric.name);
  const own = metric.thresholdFor === undefined ? metricSettings(metric, metrics)?.threshold : undefined;
  return own ?? (counting && metricSettings(counting, metrics)?.threshold);
}

function createTemplate(metric: Metric, configured: number | undefined, implied: boolean): ResultTemplate {
  return {
    range: scaleRange(metric.scale),
    threshold: configured ?? metric.threshold,
    bands: metric.bands ?? [],
    lowerIsBetter: metric.lowerIsBetter ?? false,
    implied,
  };
}
