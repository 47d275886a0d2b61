import type { JsonObject } from '../../core/json.ts';
import { trimEnd } from '../../core/text/trim-end.ts';
import type { ChatModel, EmbeddingModel } from '../chat-model.ts';

/** Where models come from: a kind of server, and how to talk to it. */
export interface ModelProvider {
  /** In configurations, as `provider`, and before the model on the command line. */
  readonly name: string;
  readonly defaultBaseUrl: string;
  /** An example of a base URL, for messages. */
  readonly exampleBaseUrl: string;
  /** Its own host, if it has one that requires an API key. No other key is sent there, and this one nowhere else. */
  readonly ownHost?: { readonly pattern: RegExp; readonly keyVariable: string };
  /** Default for `judge.questionsPerCall`. */
  readonly questionsPerCall: number;
  /** Default for `judge.concurrency`. */
  readonly concurrency: number;
  createChatModel(settings: ChatModelSettings): ChatModel;
  createEmbeddingModel(settings: ServerSettings): EmbeddingModel;
}

/** How to reach a model on a server. */
export interface ServerSettings {
  readonly model: string;
  /** OpenAI's API: up to and including `/v1`, or what a compatible server has instead. Ollama's: without `/api`. */
  readonly baseUrl?: string | undefined;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Of one request, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ChatModelSettings extends ServerSettings {
  /**
   * Merged into the body of each request, and wins. For Ollama its `options` are merged into ours: `num_ctx` there fixes the
   * context window.
   */
  readonly extraBody?: JsonObject | undefined;
  readonly temperature: number;
  /** Around the JSON of an answer in words. */
  readonly jsonFence?: readonly [string, string] | undefined;
}

/**
 * The URL of a call below a base URL, which may lack its protocol and end in a slash.
 *
 * @throws Error with a sentence if the base URL is invalid.
 */
export function endpointUrl(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = URL.parse(baseUrl.includes('://') ? baseUrl : `http://${baseUrl}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('The base URL of a model must be an http or https URL.');
  url.pathname = `${trimEnd(url.pathname, /\//)}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** The base URL that leads an SDK to `endpoint`, and the query that it would drop. */
export function splitEndpoint(
  endpoint: URL,
  path: string,
): { baseUrl: string; query: Readonly<Record<string, string>> } {
  const base = new URL(endpoint);
  base.pathname = base.pathname.slice(0, -path.length - 1);
  base.search = '';
  base.hash = '';
  return { baseUrl: base.href.replace(/\/$/, ''), query: Object.fromEntries(endpoint.searchParams) };
}

/** The header that carries an API key: Azure has its own. */
export function keyHeaders(baseUrl: string, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  const isAzure = /\.azure\.(com|us|cn)$/.test(URL.parse(baseUrl)?.hostname ?? '');
  return isAzure ? { 'api-key': key } : { authorization: `Bearer ${key}` };
}
