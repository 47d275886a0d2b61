import type { JsonObject } from '../core/json.ts';

/** How a model on a server is asked, whichever API the server speaks. */
export interface ProviderSettings {
  readonly model: string;
  /** OpenAI's API: up to and with `/v1`, or what a compatible server has in its place. Ollama's: without `/api`. */
  readonly baseUrl?: string | undefined;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /**
   * Merged into each request's body; what it names wins. For Ollama its `options` are merged into ours: `num_ctx` there
   * fixes the context window.
   */
  readonly extraBody?: JsonObject | undefined;
  readonly temperature: number;
  /** Of one request, in milliseconds. */
  readonly timeoutMs: number;
  /** Around the JSON of an answer in words. */
  readonly jsonFence?: readonly [string, string] | undefined;
}
