import { findMetric } from '../config/metric-names.ts';
import { parseModelName } from '../config/model-name.ts';
import type { Configuration } from '../config/schema.ts';
import { planMetrics } from '../engine/plan.ts';
import { keyFor, keyVariable, OLLAMA_BASE_URL, OPENAI_BASE_URL } from '../judge/keys.ts';
import { metricsWith } from '../metrics/custom/table.ts';
import type { Environment } from '../store/home.ts';

/** A model that a configuration asks for, and what is written of the server that has it. */
export interface WantedModel {
  readonly provider: 'openai' | 'ollama';
  readonly model: string;
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** The models that a configuration asks for. None of them is asked yet, and nothing is opened. */
export interface WantedModels {
  readonly judge: WantedModel | null;
  /** By the name of the metric that asks it. */
  readonly ofMetrics: ReadonlyMap<string, WantedModel>;
  readonly embedder: WantedModel | null;
}

export function wantedModels(configuration: Configuration): WantedModels {
  const { judge, embedder, metrics } = configuration;
  const named = Array.isArray(metrics) ? [] : Object.entries(metrics).filter(([, settings]) => settings.judge);
  const table = metricsWith(configuration.custom);
  const plan = named.length === 0 ? null : planMetrics(table, configuration);
  const planned = new Set([...(plan?.turn ?? []), ...(plan?.session ?? [])].map(({ metric }) => metric.name));
  const ofMetrics = named.flatMap(([key, { judge: name = '' }]) => {
    const metric = findMetric(key, table)?.name ?? key;
    const wanted = planned.has(metric) ? ownModel(name, judge) : null;
    return wanted ? [[metric, wanted] as const] : [];
  });
  return { judge: modelOf(judge), ofMetrics: new Map(ofMetrics), embedder: modelOf(embedder) };
}

export function wantsModels(wanted: WantedModels): boolean {
  return allOf(wanted).length > 0;
}

/** What is missing in the environment, as sentences: OpenAI's own host answers nobody without a key. */
export function missingKeys(wanted: WantedModels, env: Environment): string[] {
  const without = allOf(wanted).flatMap(({ baseUrl }) =>
    keyVariable(baseUrl) === 'OPENAI_API_KEY' && keyFor(baseUrl, env) === undefined ? [new URL(baseUrl).host] : [],
  );
  return Array.from(
    new Set(without),
    (host) =>
      `${host} answers nobody without a key: set OPENAI_API_KEY in the environment, or name another server by its base URL.`,
  );
}

function allOf({ judge, ofMetrics, embedder }: WantedModels): WantedModel[] {
  return [judge, ...ofMetrics.values(), embedder].flatMap((wanted) => wanted ?? []);
}

const DEFAULT_URL = { openai: OPENAI_BASE_URL, ollama: OLLAMA_BASE_URL } as const;

type Written = Partial<Omit<WantedModel, 'provider'>> & { readonly provider: string };

function modelOf({ provider, model, baseUrl, headers, query, extraBody }: Written): WantedModel | null {
  if ((provider !== 'openai' && provider !== 'ollama') || model === undefined) return null;
  return { provider, model, baseUrl: baseUrl ?? DEFAULT_URL[provider], headers, query, extraBody };
}

/** A metric's own model is on the common one's server where that has the same provider. */
function ownModel(name: string, common: Written): WantedModel | null {
  const { provider, model } = parseModelName(name);
  return modelOf(provider === common.provider ? { ...common, model } : { provider, model });
}
