import { describe, expect, it } from 'vitest';
import { fetchModelNames, modelListEndpoint } from '../../../src/llm/model-list.ts';
import { html, redirect, response, startStubModels } from '../../support/stub-models.ts';

const KEY = 'tw-secret-0123456789abcdef';
const NEVER = new AbortController().signal;

const list = (...ids: readonly string[]) => response(200, JSON.stringify({ data: ids.map((id) => ({ id })) }));

describe('the models of a server', () => {
  it('are requested with its key, in its own order', async () => {
    await using stub = await startStubModels(() => list('b', 'a', 'text-embedding-3-small'));
    expect(await fetchModelNames({ provider: 'openai', baseUrl: stub.openai, key: KEY, use: 'judge' }, NEVER)).toEqual([
      'b',
      'a',
    ]);
    expect(stub.requests).toMatchObject([
      { method: 'GET', url: '/v1/models', headers: { authorization: `Bearer ${KEY}` }, body: '' },
    ]);
  });

  it('are requested from Ollama by its own API', async () => {
    await using stub = await startStubModels(() => response(200, JSON.stringify({ models: [{ name: 'qwen3:8b' }] })));
    expect(await fetchModelNames({ provider: 'ollama', baseUrl: stub.origin, use: 'judge' }, NEVER)).toEqual([
      'qwen3:8b',
    ]);
    expect(stub.requests).toMatchObject([{ method: 'GET', url: '/api/tags' }]);
  });

  it('are requested from Anthropic and Azure with the headers of their APIs', () => {
    const baseUrl = 'https://api.anthropic.com/v1';
    const { url, headers } = modelListEndpoint({ provider: 'openai', baseUrl, key: KEY });
    expect(url.href).toBe('https://api.anthropic.com/v1/models?limit=1000');
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01', 'x-api-key': KEY });
    expect(modelListEndpoint({ provider: 'openai', baseUrl }).headers).toEqual({ 'anthropic-version': '2023-06-01' });
    const azure = { provider: 'openai', baseUrl: 'https://mine.openai.azure.com/openai/v1', key: KEY } as const;
    expect(modelListEndpoint(azure).headers).toEqual({ 'api-key': KEY });
  });

  it('are not read from another host, from a page, from a list of another kind or from one that is too long', async () => {
    await using other = await startStubModels(() => list('a'));
    await using stub = await startStubModels();
    const failure = () =>
      fetchModelNames({ provider: 'openai', baseUrl: stub.openai, key: KEY, use: 'judge' }, NEVER).then(
        () => '',
        (cause: Error) => cause.message,
      );
    stub.play(() => redirect(`${other.openai}/models`));
    expect(await failure()).toMatch(/redirects to .* Redirects are not followed/);
    expect(other.requests).toEqual([]);
    stub.play(() => html());
    expect(await failure()).toMatch(/answered with a web page instead of JSON/);
    stub.play(() => response(200, '{"models":[]}'));
    expect(await failure()).toMatch(/\/v1\/models did not answer with a list of models\.$/);
    stub.play(() => response(200, JSON.stringify({ data: [{ id: 'a'.repeat(9_000_000) }] })));
    expect(await failure()).toMatch(/sent more than 8 MB/);
    stub.play(() => response(401, JSON.stringify({ error: { message: `Wrong key: ${KEY}` } })));
    const refused = await failure();
    expect(refused).toMatch(/rejected the API key \(401: Wrong key: \[key\]\)\. Check the key\.$/);
  });
});
