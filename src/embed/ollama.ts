import type { EmbedRequest } from 'ollama/browser';
import { getArray } from '../core/json.ts';
import { OLLAMA_BASE_URL } from '../llm/api-keys.ts';
import type { ProviderSettings } from '../llm/provider-settings.ts';
import { ollamaTransport } from '../llm/providers/ollama.ts';
import { endpoint } from '../llm/transport.ts';
import { embedInBatches } from './batches.ts';
import type { Embedder } from './embedder.ts';

export type OllamaEmbedderSettings = Pick<
  ProviderSettings,
  'model' | 'baseUrl' | 'key' | 'headers' | 'query' | 'timeoutMs'
>;

/** An embedding model that Ollama serves. */
export function ollamaEmbedder(settings: OllamaEmbedderSettings): Embedder {
  const { model } = settings;
  const url = endpoint(settings.baseUrl ?? OLLAMA_BASE_URL, 'api/embed', settings.query);
  const post = ollamaTransport(settings);
  return {
    provider: 'ollama',
    model,
    embed: (texts, signal) =>
      embedInBatches(texts, url.host, async (input) => {
        // A text that is too long is an error, and never compared by its beginning alone.
        const body = { model, input: [...input], truncate: false } satisfies EmbedRequest;
        return getArray(await post(url, JSON.stringify(body), signal), 'embeddings') ?? [];
      }),
  };
}
