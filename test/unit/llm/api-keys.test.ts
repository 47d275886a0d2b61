import { describe, expect, it } from 'vitest';
import { readKey, serverKeyVariable } from '../../../src/llm/api-keys.ts';
import { keyHeaders } from '../../../src/llm/providers/provider.ts';

const env = { OPENAI_API_KEY: 'sk-openai', TURNWISE_API_KEY: 'tw-other' };

describe('the key for a base URL', () => {
  it.each([
    ['https://api.openai.com/v1', 'sk-openai'],
    ['https://API.OpenAI.com/v1/', 'sk-openai'],
    ['https://eu.api.openai.com/v1', 'sk-openai'],
    ['https://api.openai.com:443/v1', 'sk-openai'],
    // Anybody on the way could read it.
    ['http://api.openai.com/v1', 'tw-other'],
    ['https://api.openai.com:8443/v1', 'tw-other'],
    ['https://api.openai.com.example.org/v1', 'tw-other'],
    ['https://example.org/api.openai.com/v1', 'tw-other'],
    ['https://api.openai.com@example.org/v1', 'tw-other'],
    ['https://notapi.openai.com/v1', 'tw-other'],
    ['https://a.b.api.openai.com/v1', 'tw-other'],
    ['https://openai.com/v1', 'tw-other'],
    ['https://my.openai.azure.com/openai/v1', 'tw-other'],
    ['https://openrouter.ai/api/v1', 'tw-other'],
    ['http://127.0.0.1:11434', 'tw-other'],
    ['localhost:1234', 'tw-other'],
    ['', 'tw-other'],
  ])('%s: %s', (baseUrl, key) => {
    expect(readKey(baseUrl, env)).toBe(key);
  });

  it('is undefined if the environment has none for that host', () => {
    expect(readKey('https://openrouter.ai/api/v1', { OPENAI_API_KEY: 'sk-openai' })).toBeUndefined();
    expect(readKey('https://api.openai.com/v1', { TURNWISE_API_KEY: 'tw-other' })).toBeUndefined();
    expect(readKey('https://api.openai.com/v1', { OPENAI_API_KEY: ' \n' })).toBeUndefined();
  });

  it('prefers the key of one server, and sends it to no other', () => {
    const own = { ...env, [serverKeyVariable('https://a.example/v1')]: 'a-own' };
    expect(readKey('https://A.example:443/v2', own)).toBe('a-own');
    for (const other of [
      'https://b.example/v1',
      'http://a.example/v1',
      'https://a.example:8443/v1',
      'https://x.a.example',
    ]) {
      expect(readKey(other, own)).toBe('tw-other');
    }
    const [openai, alone] = ['https://api.openai.com/v1', { [serverKeyVariable('https://a.example')]: 'a-own' }];
    expect(readKey(openai, { ...env, [serverKeyVariable(openai)]: 'sk-own' })).toBe('sk-own');
    expect(readKey('https://b.example/v1', alone)).toBeUndefined();
  });

  it('is trimmed', () => {
    expect(readKey('https://api.openai.com/v1', { OPENAI_API_KEY: 'sk-openai\r\n' })).toBe('sk-openai');
  });
});

describe('keyHeaders', () => {
  it.each([
    ['https://api.openai.com/v1', { authorization: 'Bearer k' }],
    ['https://my.openai.azure.com/openai/deployments/d', { 'api-key': 'k' }],
    ['https://my.services.ai.azure.com/openai/v1', { 'api-key': 'k' }],
    ['https://openai.azure.com.example.org/v1', { authorization: 'Bearer k' }],
  ])('%s', (baseUrl, headers) => {
    expect(keyHeaders(baseUrl, 'k')).toEqual(headers);
    expect(keyHeaders(baseUrl, undefined)).toEqual({});
  });
});
