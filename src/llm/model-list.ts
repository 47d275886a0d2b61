import { MODEL_PROVIDERS, type ProviderName } from '../core/model-providers.ts';
import type { ModelRole } from '../core/model-role.ts';
import { MODEL_SERVERS } from '../core/model-servers.ts';
import { createConnection } from './connection.ts';
import { ModelError } from './model-error.ts';
import { endpointUrl, keyHeaders } from './providers/provider.ts';

export interface ModelListRequest {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  readonly key?: string | undefined;
  readonly use: ModelRole;
}

const LIST_TIMEOUT_MS = 10_000;
/** OpenRouter's list of all models is a tenth of it. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/**
 * The names of the models of a server that can be used so.
 *
 * @throws ModelError for everything that can go wrong, or the signal's reason.
 */
export async function fetchModelNames(request: ModelListRequest, signal: AbortSignal): Promise<readonly string[]> {
  const { url, headers } = modelListEndpoint(request);
  const connection = createConnection({
    headers,
    query: {},
    timeoutMs: LIST_TIMEOUT_MS,
    maxBytes: MAX_LIST_BYTES,
    advice: {
      unreachable: 'Is the server running, and is the base URL right?',
      unknown: 'Is the base URL right?',
      unauthorized: 'Check the key.',
      slow: 'Is it busy?',
    },
  });
  const answer = await connection.call(signal, async (fetch) => (await fetch(url, { method: 'GET' })).json());
  const names = MODEL_PROVIDERS[request.provider].modelList.parse(answer, request.use);
  if (names) return names;
  throw new ModelError('no_answer', `${url.host}${url.pathname} did not answer with a list of models.`);
}

/** Where a server lists its models, and the headers that it needs. */
export function modelListEndpoint({ provider, baseUrl, key }: Omit<ModelListRequest, 'use'>): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const { path } = MODEL_PROVIDERS[provider].modelList;
  if (URL.parse(baseUrl)?.host !== new URL(MODEL_SERVERS.anthropic.baseUrl).host) {
    return { url: endpointUrl(baseUrl, path), headers: keyHeaders(baseUrl, key) };
  }
  // Anthropic lists its models by its own API: it has its own headers, and gives 20 models unless it is asked for more.
  return {
    url: endpointUrl(baseUrl, path, { limit: '1000' }),
    headers: { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) },
  };
}
