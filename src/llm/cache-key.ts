import { createHash } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import type { ChatModel, ChatPrompt } from './chat-model.ts';
import type { JudgeSettings } from './settings.ts';

/** Changes when the same call would be understood differently. */
const VERSION = 1;

export interface CacheKeyInput {
  readonly prompt: Pick<ChatPrompt, 'system' | 'parts'>;
  readonly schema: JsonObject;
  /** From 0, when the same is asked several times. */
  readonly sample: number;
}

/**
 * The name of an answer: SHA-256, in hex, of everything that it depends on. How its shape is asked for counts as it is
 * configured: what a server turns out to take is the same at the next run, but not known when the key is needed.
 */
export function createCacheKey(
  { provider, model, fingerprint }: ChatModel,
  { temperature, structuredOutput, jsonFence }: JudgeSettings,
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
  return ({ prompt, schema, sample }) => {
    const hash = createHash('sha256').update(common);
    // Lengths in between, so that no text can pass for the end of another.
    for (const text of [prompt.system, ...prompt.parts, JSON.stringify(schema), String(sample)]) {
      hash.update(`${text.length}:`).update(text);
    }
    return hash.digest('hex');
  };
}
