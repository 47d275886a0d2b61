import { createHash } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import { type ChatModel, type ChatPrompt, type ChatSettings, schemaText } from './chat-model.ts';

/** Answers of earlier calls, by a hash of everything that they depend on. Failures are never cached. Never rejects. */
export interface AnswerCache {
  get(key: string): Promise<string | null>;
  /** Resolves once the answer is stored: a process that is killed afterwards has lost nothing. */
  put(key: string, answer: string): Promise<void>;
}

/** Changes when the same call would be interpreted differently. */
const VERSION = 1;

export interface CacheKeyInput {
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
  /** From 0, when the same questions are asked several times. */
  readonly sample: number;
  /** How it is asked, where its prompt does not say it. */
  readonly manner?: string | undefined;
}

/**
 * The key of an answer: SHA-256, in hex, of everything that it depends on. The structured-output mode counts as configured:
 * the mode that a server turns out to support is not known when the key is needed.
 */
export function createCacheKey(
  { provider, model, fingerprint }: ChatModel,
  { temperature, structuredOutput, jsonFence }: ChatSettings,
): (call: CacheKeyInput) => string {
  const common = JSON.stringify([
    VERSION,
    provider,
    model,
    fingerprint,
    temperature,
    structuredOutput,
    jsonFence ?? null,
  ]);
  return ({ prompt, schema, sample, manner }) => {
    const hash = createHash('sha256').update(common);
    // Lengths in between, so that no text can pass for the end of another.
    const own = manner === undefined ? [] : [manner];
    for (const text of [prompt.system, ...prompt.parts, schemaText(schema), String(sample), ...own]) {
      hash.update(`${text.length}:`).update(text);
    }
    return hash.digest('hex');
  };
}
