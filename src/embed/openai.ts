import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { get, getArray, getNumber } from '../core/json.ts';
import { OPENAI_BASE_URL } from '../llm/api-keys.ts';
import type { ProviderSettings } from '../llm/provider-settings.ts';
import { openaiTransport } from '../llm/providers/openai.ts';
import { endpoint } from '../llm/transport.ts';
import { embedInBatches } from './batches.ts';
import type { Embedder } from './embedder.ts';

export type OpenaiEmbedderSettings = Pick<
  ProviderSettings,
  'model' | 'baseUrl' | 'key' | 'headers' | 'query' | 'timeoutMs'
>;

/** A model behind OpenAI's embeddings, at OpenAI or at any server that speaks them. */
export function openaiEmbedder(settings: OpenaiEmbedderSettings): Embedder {
  const { model } = settings;
  const url = endpoint(settings.baseUrl ?? OPENAI_BASE_URL, 'embeddings', settings.query);
  const post = openaiTransport(settings);
  return {
    provider: 'openai',
    model,
    embed: (texts, signal) =>
      embedInBatches(texts, url.host, async (input) => {
        // As plain numbers: not every server knows base64.
        const body = { model, input: [...input], encoding_format: 'float' } satisfies EmbeddingCreateParams;
        const data = getArray(await post(url, JSON.stringify(body), signal), 'data') ?? [];
        // Each says which text it belongs to.
        const ordered = data.toSorted((a, b) => (getNumber(a, 'index') ?? 0) - (getNumber(b, 'index') ?? 0));
        return ordered.map((item) => get(item, 'embedding'));
      }),
  };
}
