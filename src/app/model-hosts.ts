import { EDITOR_PROVIDER } from '../core/editor-models.ts';
import { isLoopback } from '../core/loopback.ts';
import { hostOf } from '../core/model-host.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import type { RequiredModel, RequiredModels } from './required-models.ts';

/** A model server that a configuration uses. */
export interface ModelHost {
  /** See `hostOf`. */
  readonly host: string;
  /** Whether it is no server, but one of the vendors of the editor's models: `editor:VENDOR`. */
  readonly isEditor: boolean;
  /** Its base URLs. */
  readonly baseUrls: readonly string[];
  /** What is sent there stays on the machine. */
  readonly isLoopback: boolean;
  readonly isJudge: boolean;
  readonly isEmbedder: boolean;
  /** `openai:gpt-5-mini`, for display. */
  readonly models: readonly string[];
}

/** All hosts, the judge's first. */
export function remoteModelHosts({ judge, byMetric: ofMetrics, embedder }: RequiredModels): ModelHost[] {
  const judges = [judge, ...ofMetrics.values()].flatMap((choice) => choice ?? []);
  const all = [...judges, ...(embedder ? [embedder] : [])];
  const byHost = Map.groupBy(all, ({ baseUrl }) => hostOf(baseUrl) ?? baseUrl);
  return Array.from(byHost, ([host, models]) => ({
    host,
    isEditor: models.some(({ provider }) => provider === EDITOR_PROVIDER),
    baseUrls: [...new Set(models.map(({ baseUrl }) => baseUrl))],
    isLoopback: models.every(({ baseUrl }) => isLoopback(URL.parse(baseUrl)?.hostname ?? '')),
    isJudge: models.some((model) => judges.includes(model)),
    isEmbedder: embedder !== null && models.includes(embedder),
    models: [...new Set(models.map(modelDisplayName))],
  }));
}

/** The model's name comes from the folder's configuration and is shown in a question to the user. */
export function modelDisplayName({
  provider,
  model,
}: Pick<RequiredModel, 'model'> & { readonly provider: string }): string {
  // Editors turn `[…](…)` in messages into links.
  const name = sanitizeLine(model).replaceAll('](', '] (');
  return `${provider}:${name.length > 80 ? `${name.slice(0, 79)}…` : name}`;
}
