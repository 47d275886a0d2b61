import { findMetric } from '../config/metric-names.ts';
import { parseModelName } from '../config/model-name.ts';
import type { Configuration } from '../config/schema.ts';
import type { ProviderName } from '../core/model-providers.ts';
import { planMetrics } from '../engine/plan.ts';
import { keyVariable, readKey, requiresKey } from '../llm/api-keys.ts';
import { findProvider, isProviderName } from '../llm/providers/index.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Environment } from '../store/home.ts';

/** A model that a configuration names, and its server. */
export interface RequiredModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** The models that a configuration names. Nothing is opened yet. */
export interface RequiredModels {
  readonly judge: RequiredModel | null;
  /** By metric name. */
  readonly byMetric: ReadonlyMap<string, RequiredModel>;
  readonly embedder: RequiredModel | null;
}

export function requiredModels(configuration: Configuration): RequiredModels {
  const { judge, embedder, metrics } = configuration;
  const named = Array.isArray(metrics) ? [] : Object.entries(metrics).filter(([, settings]) => settings.judge);
  const table = allMetrics(configuration.custom);
  const plan = named.length === 0 ? null : planMetrics(table, configuration);
  const planned = new Set([...(plan?.turn ?? []), ...(plan?.session ?? [])].map(({ metric }) => metric.name));
  const ofMetrics = named.flatMap(([key, { judge: name = '' }]) => {
    const metric = findMetric(key, table)?.name ?? key;
    const model = planned.has(metric) ? metricModel(name, judge) : null;
    return model ? [[metric, model] as const] : [];
  });
  return { judge: toRequiredModel(judge), byMetric: new Map(ofMetrics), embedder: toRequiredModel(embedder) };
}

/** The model that plays users. Null where none is configured. */
export function requiredSimulator(configuration: Pick<Configuration, 'judge' | 'simulation'>): RequiredModel | null {
  const { judge, simulation } = configuration;
  return simulation.simulator === undefined ? toRequiredModel(judge) : metricModel(simulation.simulator, judge);
}

export function requiresModels(model: RequiredModels): boolean {
  return listModels(model).length > 0;
}

/** What is missing in the environment, as sentences: some hosts require an API key. */
export function missingKeys(model: RequiredModels, env: Environment): string[] {
  const without = listModels(model).flatMap(({ baseUrl }) =>
    requiresKey(baseUrl) && readKey(baseUrl, env) === undefined ? [baseUrl] : [],
  );
  const sentences = without.map(
    (baseUrl) =>
      `${new URL(baseUrl).host} requires an API key: set ${keyVariable(baseUrl)} in the environment, or name another server by its base URL.`,
  );
  return [...new Set(sentences)];
}

function listModels({ judge, byMetric: ofMetrics, embedder }: RequiredModels): RequiredModel[] {
  return [judge, ...ofMetrics.values(), embedder].flatMap((model) => model ?? []);
}

type ModelSettings = Partial<Omit<RequiredModel, 'provider'>> & { readonly provider: string };

function toRequiredModel({ provider, model, baseUrl, headers, query, extraBody }: ModelSettings): RequiredModel | null {
  if (!isProviderName(provider) || model === undefined) return null;
  return { provider, model, baseUrl: baseUrl ?? findProvider(provider).defaultBaseUrl, headers, query, extraBody };
}

/** A metric's own model uses the default judge's server if it has the same provider. */
function metricModel(name: string, common: ModelSettings): RequiredModel | null {
  const { provider, model } = parseModelName(name);
  return toRequiredModel(provider === common.provider ? { ...common, model } : { provider, model });
}
