import type { Configuration, MetricSettings } from '../config/schema.ts';
import { memoizeWeak } from '../core/cache/memoize.ts';
import type { JudgeCalibration } from '../core/judge-labels.ts';
import { createNameTest } from '../core/name-pattern.ts';
import type { ResultTemplate } from '../core/result.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { scaleRange } from '../core/scale.ts';
import { severityOfLabel } from '../core/severity.ts';
import { type GatedLabels, metricsFor } from '../core/task-gates.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Judge } from '../judge/judge.ts';
import type { Estimator } from '../metrics/attempts/pass-at-k.ts';
import type { Metric, RunMetric, SessionMetric, TaskMetric, TurnMetric } from '../metrics/metric.ts';
import { ruleVersions } from '../rules/index.ts';
import { VERDICT_VERSION } from './gates.ts';
import type { Judges } from './judges.ts';
import { configuredThresholds } from './threshold.ts';

/** A metric of a run, bound to its function: with its checked options and the template of its results. */
export interface PlannedMetric<M extends Metric = Metric> {
  readonly metric: M;
  readonly options: unknown;
  readonly template: ResultTemplate;
}

/** The metrics of a run by scope, each after those that it uses. */
export interface MetricPlan {
  readonly turn: readonly PlannedMetric<TurnMetric>[];
  readonly session: readonly PlannedMetric<SessionMetric>[];
  readonly scenario: readonly PlannedMetric<TaskMetric>[];
  readonly run: readonly PlannedMetric<RunMetric>[];
}

/**
 * Selects the configured metrics, adds those that they use (as `implied`: computed, shown separately, never gated) and
 * orders them. The configuration is checked before; unknown names select nothing.
 */
export function planMetrics(table: readonly Metric[], configuration: Configuration): MetricPlan {
  return bindMetrics(metricEntries(table, configuration), table);
}

/** The metrics of some tasks, instead of those of the configuration. */
export interface TaskMetrics {
  /** Their ids; null: all other tasks and sessions. */
  readonly tasks: readonly string[] | null;
  readonly metrics: Configuration['metrics'];
}

export interface RunPlanOptions {
  /** Of the run, where it was given before its sessions were made. */
  readonly runId?: string;
  /** Its metrics are all that run. */
  readonly configuration: Configuration;
  readonly taskMetrics?: readonly TaskMetrics[];
  /** All available metrics, including the configuration's own. */
  readonly metrics: readonly Metric[];
  readonly judges: Judges;
  readonly embedder: Embedder | null;
  readonly boundaryKey?: string | null;
  readonly version: string;
  readonly agentVersion?: string;
  /** Metrics that the user named: the table says why one of them has no score. */
  readonly namedMetrics?: readonly string[] | undefined;
  readonly turn?: number;
  readonly k?: readonly number[];
  readonly estimator?: Estimator;
  readonly correctBy?: string;
  /** Those that hold for the judges of the run. */
  readonly calibrations?: readonly JudgeCalibration[] | undefined;
  /** Metrics that inform and do not gate. */
  readonly informing?: readonly string[] | undefined;
}

/** Decides what a run computes. The plan is plain data; `bindMetrics` gives its metrics their functions. */
export function createRunPlan(options: RunPlanOptions): RunPlan {
  const { configuration, judges, embedder, calibrations = [], informing } = options;
  const { judge, gates, rules, severities, stateChangingTools, risk } = configuration;
  const metrics = metricEntries(options.metrics, configuration);
  const startedAt = new Date();
  return {
    schemaVersion: 1,
    id: options.runId ?? createRunId(startedAt),
    startedAt: startedAt.toISOString(),
    version: options.version,
    versions: { rules: ruleVersions(), verdict: VERDICT_VERSION },
    agentVersion: options.agentVersion ?? null,
    metrics,
    ...metricsByTask(options),
    ...(options.namedMetrics && { namedMetrics: [...options.namedMetrics] }),
    failureMetrics: failureLabelMetrics(configuration),
    thresholds: configuredThresholds(
      configuration,
      metrics.flatMap(({ name }) => options.metrics.find((metric) => metric.name === name) ?? []),
    ).filter(({ metric }) => !informing?.includes(metric.name)),
    gates: {
      failOn: gates.failOn,
      ...failOnByTask(gates),
      outcome: gates.outcome,
      minCoverage: gates.minCoverage,
      attempts: attemptsGate(configuration),
      ...(informing && { informing: [...informing] }),
    },
    ...(calibrations.length > 0 && { calibrations }),
    rulesEnabled: judge.provider !== 'none',
    rules,
    severities,
    stateChangingTools,
    risk: risk ?? null,
    judge: judges.defaultJudge && nameOf(judges.defaultJudge),
    judges: Object.fromEntries(Array.from(judges.byMetric, ([metric, own]) => [metric, nameOf(own)])),
    price: judge.price ?? null,
    embedder: embedder && nameOfEmbedder(embedder),
    questionsPerCall: judges.defaultJudge?.questionsPerCall ?? 1,
    ...(judges.defaultJudge?.turnsPerCall === 2 && { turnsPerCall: 2 }),
    concurrency: judge.concurrency,
    boundaryKey: options.boundaryKey ?? null,
    turn: options.turn ?? null,
    k: options.k ?? null,
    estimator: options.estimator ?? null,
    correctBy: options.correctBy ?? null,
  };
}

/** The gate on all attempts of a task; null: each of them gates. */
export function attemptsGate({ gates: { attempts } }: Pick<Configuration, 'gates'>): RunPlan['gates']['attempts'] {
  if (!attempts) return null;
  const { k, passAtK, passPowK = 1, bound } = attempts;
  return passAtK === undefined
    ? { k, measure: 'pass^k', value: passPowK, bound }
    : { k, measure: 'pass@k', value: passAtK, bound };
}

function failOnByTask({ for: entries = [] }: Configuration['gates']): Pick<RunPlan['gates'], 'failOnByTask'> {
  const own = entries.flatMap(({ failOn, thresholds: _, ...subject }) =>
    failOn === undefined ? [] : [{ ...subject, failOn }],
  );
  return own.length === 0 ? {} : { failOnByTask: own };
}

/** Sorts by time and is unique on one machine. */
export function createRunId(startedAt: Date): string {
  return `${startedAt.toISOString().replace(/[-:.]/g, '')}-${globalThis.crypto.randomUUID().slice(0, 8)}`;
}

function nameOfEmbedder({ provider, model, version }: Embedder): NonNullable<RunPlan['embedder']> {
  return { provider, model, ...(version === undefined ? {} : { version }) };
}

function nameOf({ provider, model }: Judge): { readonly provider: string; readonly model: string } {
  return { provider, model };
}

type MetricEntry = RunPlan['metrics'][number];

function metricsByTask({
  configuration,
  metrics: table,
  taskMetrics = [],
}: RunPlanOptions): Pick<RunPlan, 'metricsByTask'> {
  if (taskMetrics.length === 0) return {};
  const { gates } = configuration;
  return {
    metricsByTask: taskMetrics.map(({ tasks, metrics }) => {
      const isOfThem = (pattern: string) => tasks === null || tasks.some(createNameTest(pattern));
      const own = gates.for?.filter(({ task }) => task === undefined || isOfThem(task));
      const entries = metricEntries(table, { ...configuration, metrics, gates: { ...gates, for: own } });
      return { tasks: tasks && [...tasks], metrics: entries };
    }),
  };
}

/** The metrics of a run, and those of single tasks among them. */
export interface MetricPlans {
  readonly all: MetricPlan;
  readonly forTask: (labels: GatedLabels) => MetricPlan;
}

/** @throws Error when the plan has a metric that is not in the table. */
export function bindAllMetrics(plan: RunPlan, table: readonly Metric[]): MetricPlans {
  const bind = memoizeWeak((entries: readonly MetricEntry[]) => bindMetrics(entries, table));
  return { all: bind(plan.metrics), forTask: (labels) => bind(metricsFor(plan, labels)) };
}

/** @throws Error when the plan has a metric that is not in the table. */
function bindMetrics(entries: readonly MetricEntry[], table: readonly Metric[]): MetricPlan {
  const byName = new Map(table.map((metric) => [metric.name, metric]));
  const planned = entries.map(({ name, options, template }): PlannedMetric => {
    const metric = byName.get(name);
    if (!metric) throw new Error(`The run plan names the metric "${name}", which does not exist.`);
    return { metric, options: metric.options ? metric.options.parse(options) : options, template };
  });
  return {
    turn: planned.filter((entry): entry is PlannedMetric<TurnMetric> => entry.metric.scope === 'turn'),
    session: planned.filter((entry): entry is PlannedMetric<SessionMetric> => entry.metric.scope === 'session'),
    scenario: planned.filter((entry): entry is PlannedMetric<TaskMetric> => entry.metric.scope === 'scenario'),
    run: planned.filter((entry): entry is PlannedMetric<RunMetric> => entry.metric.scope === 'run'),
  };
}

function metricEntries(table: readonly Metric[], configuration: Configuration): MetricEntry[] {
  const byName = new Map<string, Metric>();
  for (const metric of table) for (const name of [metric.name, ...(metric.aliases ?? [])]) byName.set(name, metric);
  const selected = selectMetrics(table, byName, configuration);
  const customThresholds = new Set(
    configuration.custom.flatMap(({ name, threshold }) => (threshold === undefined ? [] : [name])),
  );
  return orderByUse(selected, byName).map((metric) => {
    const threshold = configuredThreshold(metric, table, configuration);
    return {
      name: metric.name,
      scope: metric.scope,
      version: metric.version ?? 1,
      options: metricOptions(metric, configuration),
      template: createTemplate(metric, threshold, !selected.has(metric)),
      hasOwnThreshold: threshold !== undefined || customThresholds.has(metric.name),
    };
  });
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
  for (const { thresholds } of [gates, ...(gates.for ?? [])])
    for (const name of Object.keys(thresholds ?? {})) select(name);
  if (gates.preset === 'production') select('composite_score');
  return selected;
}

/**
 * Depth first along `uses`, so that a metric comes after those that it reads. Opt-in metrics run only if they are
 * selected.
 */
function orderByUse(selected: ReadonlySet<Metric>, byName: ReadonlyMap<string, Metric>): Metric[] {
  const ordered = new Set<Metric>();
  const visit = (metric: Metric, path: readonly Metric[]) => {
    if (ordered.has(metric)) return;
    if (path.includes(metric)) throw new Error(`The metric ${metric.name} uses itself indirectly.`);
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

function metricOptions(metric: Metric, { metrics }: Configuration): Readonly<Record<string, unknown>> {
  const { enabled, threshold, judge, ...options } = metricSettings(metric, metrics) ?? {};
  return options;
}

/** The metric's own configured threshold, else that of a metric that counts by its scores. */
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

/** The metrics that answer with failure labels: of the configuration's own, those with a label that has a severity. */
export function failureLabelMetrics({ custom, severities }: Configuration): string[] {
  const own = custom.filter(({ labels = [] }) => labels.some((label) => severityOfLabel(label, severities) !== null));
  return ['agent_behavior_failure', 'tool_call_behavior_failure', ...own.map(({ name }) => name)];
}
