import { describe, expect, it } from 'vitest';
import type { JudgeSettings } from '../../../src/judge/judge.ts';
import { type CacheKeyInput, createCacheKey } from '../../../src/llm/answer-cache.ts';
import type { ChatModel } from '../../../src/llm/chat-model.ts';
import { SETTINGS, scriptedModel } from '../judge/support.ts';

const CALL: CacheKeyInput = { prompt: { system: 's', parts: ['a', 'b'] }, schema: { type: 'object' }, sample: 0 };

function keyOf(
  own: { model?: Partial<ChatModel>; settings?: Partial<JudgeSettings>; call?: Partial<CacheKeyInput> } = {},
) {
  const model = { ...scriptedModel(), ...own.model };
  return createCacheKey(model, { ...SETTINGS, ...own.settings })({ ...CALL, ...own.call });
}

describe('createCacheKey', () => {
  it('returns the same SHA-256 for the same call', () => {
    expect(keyOf()).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf()).toBe(keyOf());
  });

  it.each([
    ['the provider', { model: { provider: 'ollama' as const } }],
    ['the model', { model: { model: 'other' } }],
    ['where it runs and its parameters', { model: { fingerprint: 'there' } }],
    ['the temperature', { settings: { temperature: 1 } }],
    ['how the shape is asked for', { settings: { structuredOutput: 'text' as const } }],
    ['the fence', { settings: { jsonFence: ['<', '>'] as const } }],
    ['the system prompt', { call: { prompt: { system: 't', parts: ['a', 'b'] } } }],
    ['the parts', { call: { prompt: { system: 's', parts: ['a', 'c'] } } }],
    ['where a part ends', { call: { prompt: { system: 's', parts: ['ab'] } } }],
    ['the schema', { call: { schema: { type: 'string' } } }],
    ['the sample', { call: { sample: 1 } }],
  ])('depends on %s', (_, own) => {
    expect(keyOf(own)).not.toBe(keyOf());
  });

  it.each<[string, Partial<JudgeSettings>]>([
    ['how much is asked at once', { concurrency: 1, requestsPerMinute: 3, tokensPerMinute: 9 }],
    ['the patience', { timeoutMs: 9 }],
    ['the budget', { maxCalls: 3, maxTokens: 3 }],
  ])('does not depend on %s', (_, settings) => {
    expect(keyOf({ settings })).toBe(keyOf());
  });
});
