import type { RequiredModel, RequiredModels } from '../../app/required-models.ts';
import { isLoopback } from '../../core/loopback.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import { hostOf } from '../../protocol/models.ts';

/** A server that a configuration asks. */
export interface ModelHost {
  /** See `hostOf`. */
  readonly host: string;
  /** One of its base URLs. */
  readonly baseUrls: readonly string[];
  /** What is sent there never leaves the machine. */
  readonly isLoopback: boolean;
  readonly isJudge: boolean;
  readonly isEmbedder: boolean;
  /** `openai:gpt-5-mini`, as a person may read them. */
  readonly models: readonly string[];
}

/** All of them, the judge's first. */
export function remoteModelHosts({ judge, byMetric: ofMetrics, embedder }: RequiredModels): ModelHost[] {
  const judges = [judge, ...ofMetrics.values()].flatMap((wanted) => wanted ?? []);
  const all = [...judges, ...(embedder ? [embedder] : [])];
  const byHost = Map.groupBy(all, ({ baseUrl }) => hostOf(baseUrl) ?? baseUrl);
  return Array.from(byHost, ([host, models]) => ({
    host,
    baseUrls: [...new Set(models.map(({ baseUrl }) => baseUrl))],
    isLoopback: models.every(({ baseUrl }) => isLoopback(URL.parse(baseUrl)?.hostname ?? '')),
    isJudge: models.some((model) => judges.includes(model)),
    isEmbedder: embedder !== null && models.includes(embedder),
    models: [...new Set(models.map(modelDisplayName))],
  }));
}

/** What a folder says of a model is shown to a person who decides by it. */
function modelDisplayName({ provider, model }: RequiredModel): string {
  // Editors make links of `[…](…)` in messages.
  const name = sanitizeLine(model).replaceAll('](', '] (');
  return `${provider}:${name.length > 80 ? `${name.slice(0, 79)}…` : name}`;
}
