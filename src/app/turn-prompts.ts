import type { Configuration } from '../config/schema.ts';
import type { Session } from '../core/session.ts';
import { planMetrics } from '../engine/plan.ts';
import type { JudgeTarget } from '../judge/question.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';
import { dataFolder, type Environment } from '../store/home.ts';
import { openStore } from '../store/store.ts';
import { type PreviewCall, previewPrompts, withDefaultJudge } from './prompt-preview.ts';
import { requiredModels } from './required-models.ts';

/** What a run would send about a turn. */
export interface TurnPrompts {
  readonly calls: readonly PreviewCall[];
  /** Metrics that would ask nothing here, and why. */
  readonly silent: readonly { readonly metric: string; readonly reason: string }[];
  /** Metrics that ask about the whole session; their calls are not shown. */
  readonly elsewhere: readonly string[];
}

export interface TurnPromptsOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Only the questions of these metrics, whether they are selected or not. Empty: the selected metrics. */
  readonly metrics: readonly Metric[];
}

/**
 * Every call that a run would make about a turn, batched as in the run; without a configured model, as any model would
 * get it. For named session metrics, the calls about the turn's session.
 *
 * @param index of the turn, zero-based.
 */
export async function turnPrompts(
  session: Session,
  index: number,
  configuration: Configuration,
  { env, signal, metrics: named }: TurnPromptsOptions,
): Promise<TurnPrompts> {
  using store = openStore(dataFolder(env), { warn() {} });
  const selected = named.length === 0 ? configuration : selectMetricsToo(configuration, named);
  const { judge, byMetric: ofMetrics } = requiredModels(selected);
  const settings = judge || ofMetrics.size > 0 ? selected : withDefaultJudge(selected);
  const names = new Set(named.map(({ name }) => name));
  const placeOf = ({ scope }: Pick<Metric, 'scope'>): JudgeTarget => (scope === 'turn' ? index : 'session');
  const isShown = (metric: Metric) => (names.size === 0 ? metric.scope === 'turn' : names.has(metric.name));
  const plan = planMetrics(allMetrics(configuration.custom), settings);
  const asking = [...plan.turn, ...plan.session].map(({ metric }) => metric).filter(({ usesJudge }) => usesJudge);
  const targets = new Map(asking.filter(isShown).map((metric) => [metric.name, placeOf(metric)] as const));

  const {
    questions: asks,
    calls,
    report,
  } = await previewPrompts([session], settings, {
    env,
    signal,
    boundaryKey: store.boundaryKey,
    includes: ({ metric, target }) => metric !== null && targets.get(metric) === target,
  });
  const [evaluated] = report.sessions;
  const turn = evaluated?.turns.find((turn) => turn.index === index);
  const silent = [...targets].flatMap(([metric, target]) => {
    if (asks.some((ask) => ask.metric === metric)) return [];
    const result = (target === 'session' ? evaluated : turn)?.metrics[metric];
    return [{ metric, reason: result?.reason ?? 'nothing has to be asked' }];
  });
  const elsewhere = names.size === 0 ? asking.filter(({ scope }) => scope === 'session').map(({ name }) => name) : [];
  return { calls, silent, elsewhere };
}

/** Selects these metrics as well, with their configured settings. */
function selectMetricsToo(configuration: Configuration, named: readonly Metric[]): Configuration {
  const { metrics } = configuration;
  const names = named.map(({ name }) => name);
  if (Array.isArray(metrics)) return { ...configuration, metrics: [...new Set([...metrics, ...names])] };
  const settings = named.map(({ name, aliases = [] }) => {
    const key = [name, ...aliases].find((candidate) => Object.hasOwn(metrics, candidate)) ?? name;
    return [key, { ...metrics[key], enabled: true }] as const;
  });
  return { ...configuration, metrics: { ...metrics, ...Object.fromEntries(settings) } };
}
