import type { JsonObject } from '../core/json.ts';

/** A model that completes a prompt, wherever it runs. */
export interface ChatModel {
  readonly provider: 'openai' | 'ollama' | 'editor';
  readonly model: string;
  /** What its answers depend on besides its name and the prompt: where it runs, and its parameters. Only ever hashed. */
  readonly fingerprint: string;
  /** One request, without retries. @throws ModelFault for everything that can go wrong, or the signal's reason. */
  complete(prompt: ChatPrompt, signal: AbortSignal): Promise<Completion>;
}

export interface ChatPrompt {
  /** Identical for all calls of a session: instructions and what the delimiters mean. */
  readonly system: string;
  /** In the order in which they are sent, the longest lived first, so that a server's prefix cache works. */
  readonly parts: readonly string[];
  /** JSON Schema of the answer, in the subset that providers accept in strict mode. */
  readonly schema: JsonObject;
  /** How the answer's shape is asked for: by `response_format`, as any JSON, or in words alone. */
  readonly structured: 'schema' | 'json' | 'text';
}

export interface Completion {
  readonly text: string;
  /** `length`: the model had reached its limit. */
  readonly finish: 'stop' | 'length' | 'refusal';
  /** As the server counted; null where it did not say. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
}
