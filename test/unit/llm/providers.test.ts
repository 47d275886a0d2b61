import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatPrompt } from '../../../src/llm/chat-model.ts';
import { ollama } from '../../../src/llm/providers/ollama.ts';
import { openai } from '../../../src/llm/providers/openai.ts';
import type { ChatModelSettings } from '../../../src/llm/providers/provider.ts';
import { answer, contextWindow, startStubModels } from '../../support/stub-models.ts';

const signal = new AbortController().signal;
const schema = { type: 'object', properties: { score: { type: 'integer', minimum: 1 } }, required: ['score'] };
const prompt: ChatPrompt = {
  system: 'Judge.',
  parts: ['The session.', 'The turn.'],
  schema,
  exactSchema: () => schema,
  structured: 'schema',
};
const settings = { model: 'm', temperature: 0, timeoutMs: 10_000 };
const WANTED = `Answer with JSON that fits this JSON Schema: ${JSON.stringify(schema)}`;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('an OpenAI chat model', () => {
  const ask = async (own: Partial<ChatModelSettings> = {}, input: Partial<ChatPrompt> = {}, path = '/v1') => {
    await using stub = await startStubModels();
    const model = openai.createChatModel({ ...settings, baseUrl: `${stub.origin}${path}`, ...own });
    const completion = await model.complete({ ...prompt, ...input }, signal);
    const [request] = stub.requests;
    if (!request) throw new Error('Nothing was asked.');
    return { completion, request };
  };

  it('sends a strict schema, and returns text and token counts', async () => {
    const { completion, request } = await ask();
    expect(request.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Judge.' },
        { role: 'user', content: 'The session.\n\nThe turn.' },
      ],
      temperature: 0,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    });
    expect(completion).toEqual({
      version: 'm',
      text: '{"score":1}',
      finish: 'stop',
      usage: { promptTokens: 8, completionTokens: 3 },
    });
  });

  it('requests JSON or text, with the schema in words', async () => {
    const json = await ask({}, { structured: 'json' });
    expect(json.request.body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(json.request.messages[0]?.content).toBe(`Judge.\n\n${WANTED}`);
    const text = await ask({ jsonFence: ['<json>', '</json>'] }, { structured: 'text' });
    expect(text.request.body).not.toHaveProperty('response_format');
    expect(text.request.messages[0]?.content).toBe(
      `Judge.\n\n${WANTED}\n\nPut the JSON between <json> and </json>, each on a line of its own, and write nothing after it.`,
    );
  });

  it('adds configured headers, query and body', async () => {
    const { request } = await ask(
      {
        key: 'k',
        headers: { 'x-title': 'Turnwise' },
        query: { 'api-version': '2024-10-21' },
        extraBody: { temperature: 1, reasoning_effort: 'low' },
      },
      {},
      '/openai/deployments/d/',
    );
    expect(request.url).toBe('/openai/deployments/d/chat/completions?api-version=2024-10-21');
    expect(request.headers).toMatchObject({ authorization: 'Bearer k', 'x-title': 'Turnwise' });
    expect(request.body).toMatchObject({ temperature: 1, reasoning_effort: 'low' });
  });

  it('reads nothing from the environment', async () => {
    for (const name of [
      'OPENAI_API_KEY',
      'OPENAI_ADMIN_KEY',
      'OPENAI_ORG_ID',
      'OPENAI_PROJECT_ID',
      'TURNWISE_API_KEY',
    ]) {
      vi.stubEnv(name, 'from-the-environment');
    }
    vi.stubEnv('OPENAI_BASE_URL', 'http://from-the-environment.test/v1');
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-hidden: from-the-environment');
    vi.stubEnv('OPENAI_LOG', 'debug');
    const log = vi.spyOn(console, 'debug');
    const { request } = await ask();
    expect(JSON.stringify(request)).not.toContain('from-the-environment');
    expect(log).not.toHaveBeenCalled();
  });

  it('sends no header that the SDK adds', async () => {
    const { request } = await ask({ key: 'k', headers: { 'x-title': 'Turnwise' } });
    expect(Object.keys(request.headers).toSorted()).toEqual([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'x-title',
    ]);
  });

  it('returns no usage if the server did not count', async () => {
    await using stub = await startStubModels(() => answer('{}', { usage: null }));
    const model = openai.createChatModel({ ...settings, baseUrl: stub.openai });
    expect(await model.complete(prompt, signal)).toMatchObject({ usage: null });
  });

  it('joins a text in parts', async () => {
    await using stub = await startStubModels(() => ({
      kind: 'response',
      status: 200,
      headers: {},
      body: '{"choices":[{"message":{"content":[{"type":"text","text":"{\\"score\\""},{"type":"text","text":":2}"}]}}]}',
    }));
    const model = openai.createChatModel({ ...settings, baseUrl: stub.openai });
    expect((await model.complete(prompt, signal)).text).toBe('{"score":2}');
  });

  it.each(['ftp://example.org', 'http://'])('rejects the base URL %j', (baseUrl) => {
    expect(() => openai.createChatModel({ ...settings, baseUrl })).toThrow(
      'The base URL of a model must be an http or https URL.',
    );
  });
});

describe('an Ollama chat model', () => {
  const ask = async (own: Partial<ChatModelSettings> = {}, input: Partial<ChatPrompt> = {}) => {
    await using stub = await startStubModels();
    const model = ollama.createChatModel({ ...settings, baseUrl: stub.origin, ...own });
    const completion = await model.complete({ ...prompt, ...input }, signal);
    const [request] = stub.requests;
    if (!request) throw new Error('Nothing was asked.');
    return { completion, request };
  };

  it("uses Ollama's own API, and returns text and token counts", async () => {
    const { completion, request } = await ask();
    expect(request.url).toBe('/api/chat');
    expect(request.body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Judge.' },
        { role: 'user', content: 'The session.\n\nThe turn.' },
      ],
      stream: false,
      format: schema,
      truncate: false,
      shift: false,
      options: { temperature: 0, num_ctx: 8192 },
    });
    expect(completion).toEqual({
      version: 'm',
      text: '{"score":1}',
      finish: 'stop',
      usage: { promptTokens: 8, completionTokens: 3 },
    });
  });

  it('requests JSON or text', async () => {
    expect((await ask({}, { structured: 'json' })).request.body).toMatchObject({ format: 'json' });
    const text = await ask({}, { structured: 'text' });
    expect(text.request.body).not.toHaveProperty('format');
    expect(text.request.messages[0]?.content).toContain('Put the JSON between ```json and ```');
  });

  it('doubles the context window for long prompts, and keeps it', async () => {
    await using stub = await startStubModels();
    const model = ollama.createChatModel({ ...settings, baseUrl: stub.origin });
    const long = { ...prompt, parts: ['An entirely ordinary sentence of a long trace. '.repeat(1000)] };
    for (const request of [prompt, long, prompt]) await model.complete(request, signal);
    expect(stub.requests.map(contextWindow)).toEqual([8192, 32_768, 32_768]);
  });

  it('uses a configured context window', async () => {
    const { request } = await ask({ extraBody: { keep_alive: '1h', options: { num_ctx: 4096, seed: 7 } } });
    expect(request.body).toMatchObject({
      keep_alive: '1h',
      options: { num_ctx: 4096, seed: 7, temperature: 0 },
    });
  });

  it('accepts a host without a protocol, and sends its key', async () => {
    await using stub = await startStubModels();
    vi.stubEnv('OLLAMA_API_KEY', 'from-the-environment');
    await ollama
      .createChatModel({ ...settings, baseUrl: new URL(stub.origin).host, key: 'k' })
      .complete(prompt, signal);
    expect(stub.requests[0]?.headers.authorization).toBe('Bearer k');
  });
});
