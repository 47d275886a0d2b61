import { findMetric } from '../config/metric-names.ts';
import { parseModelName } from '../config/model-name.ts';
import type { Configuration } from '../config/schema.ts';
import { EDITOR_PROVIDER, editorHost } from '../core/editor-models.ts';
import type { JudgeSource, ProviderName } from '../core/model-providers.ts';
import { planMetrics } from '../engine/plan.ts';
import { keyVariable, readKey, requiresKey } from '../llm/api-keys.ts';
import { NO_EDITOR_MODELS } from '../llm/providers/editor.ts';
import { findProvider, isProviderName } from '../llm/providers/index.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Environment } from '../store/home.ts';

/** A model that a configuration names, and its server. */
export interface RequiredModel {
  readonly provider: JudgeSource;
  readonly model: string;
  /** Of one of the editor's models: `editor:VENDOR`. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** One that is not in the editor. */
export interface ServerModel extends RequiredModel {
  readonly provider: ProviderName;
}

/** The models that a configuration names. Nothing is opened yet. */
export interface RequiredModels {
  readonly judge: RequiredModel | null;
  /** By metric name. */
  readonly byMetric: ReadonlyMap<string, RequiredModel>;
  readonly embedder: ServerModel | null;
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
  return { judge: toRequiredModel(judge), byMetric: new Map(ofMetrics), embedder: toServerModel(embedder) };
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

/** Why the editor's models cannot be asked, where there is no editor, as sentences. */
export function missingEditor(required: RequiredModels): string[] {
  return editorModelNames(required).length > 0 ? [NO_EDITOR_MODELS] : [];
}

/** The editor's models among them, as `VENDOR/MODEL`. */
export function editorModelNames(required: RequiredModels): string[] {
  return listModels(required).flatMap(({ provider, model }) => (provider === EDITOR_PROVIDER ? [model] : []));
}

function listModels({ judge, byMetric: ofMetrics, embedder }: RequiredModels): RequiredModel[] {
  return [judge, ...ofMetrics.values(), embedder].flatMap((model) => model ?? []);
}

type ModelSettings = Partial<Omit<RequiredModel, 'provider'>> & { readonly provider: string };

function toRequiredModel(settings: ModelSettings): RequiredModel | null {
  const { provider, model = '' } = settings;
  if (provider !== EDITOR_PROVIDER) return toServerModel(settings);
  const host = editorHost(model);
  return host === null ? null : { provider, model, baseUrl: host };
}

function toServerModel({ provider, model, baseUrl, headers, query, extraBody }: ModelSettings): ServerModel | null {
  if (!isProviderName(provider) || model === undefined) return null;
  return { provider, model, baseUrl: baseUrl ?? findProvider(provider).defaultBaseUrl, headers, query, extraBody };
}

/** A metric's own model uses the default judge's server if it has the same provider. */
function metricModel(name: string, common: ModelSettings): RequiredModel | null {
  const { provider, model } = parseModelName(name);
  return toRequiredModel(provider === common.provider ? { ...common, model } : { provider, model });
}
