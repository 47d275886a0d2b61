import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatModel, ChatPrompt, Completion } from '../../src/llm/chat-model.ts';
import { ModelError, type ModelErrorKind } from '../../src/llm/model-error.ts';
import { ollama } from '../../src/llm/providers/ollama.ts';
import { openai } from '../../src/llm/providers/openai.ts';
import {
  answer,
  error,
  hang,
  html,
  nothing,
  rateLimited,
  redirect,
  refusal,
  reset,
  response,
  type StubModels,
  type StubReply,
  startStubModels,
  unsupported,
  wrongKey,
} from '../support/stub-models.ts';

const KEY = 'tw-secret-0123456789abcdef';
const SCHEMA = { type: 'object', properties: { score: { type: 'integer' } }, required: ['score'] };
const PROMPT: ChatPrompt = {
  system: 'You are a judge.',
  parts: ['The question.', 'The session.'],
  schema: SCHEMA,
  exactSchema: () => SCHEMA,
  structured: 'schema',
};

const PROVIDERS = {
  openai: (stub: StubModels, timeoutMs = 10_000) =>
    openai.createChatModel({ model: 'm', baseUrl: stub.openai, key: KEY, temperature: 0, timeoutMs }),
  ollama: (stub: StubModels, timeoutMs = 10_000) =>
    ollama.createChatModel({ model: 'm', baseUrl: stub.origin, key: KEY, temperature: 0, timeoutMs }),
};
const PROVIDER_NAMES = ['openai', 'ollama'] as const;

async function faultOf(model: ChatModel, signal = new AbortController().signal): Promise<ModelError> {
  const fault = await model.complete(PROMPT, signal).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(fault instanceof ModelError)) throw new Error(`Not a fault: ${inspect(fault)}`);
  // Whatever is printed of it, and wherever: no key.
  expect(inspect(fault, { depth: 9, showHidden: true })).not.toContain(KEY);
  return fault;
}

interface Row {
  readonly name: string;
  readonly reply: StubReply;
  readonly kind: ModelErrorKind;
  /** The whole sentence, `HOST` being host and port, and `PLACE` with the path. */
  readonly says: string | { readonly openai: string; readonly ollama: string };
  readonly only?: (typeof PROVIDER_NAMES)[number];
  readonly retryAfterMs?: number;
}

const IN_PLACE = 'Check the base URL, and that no login page or proxy stands in between.';
const UNKNOWN = {
  openai: 'Are the name of the model and the base URL right?',
  ollama: '`ollama pull m` fetches the model.',
};
const UNAUTHORIZED = 'On the command line the key for this host is `TURNWISE_API_KEY`.';

const ROWS: readonly Row[] = [
  {
    name: 'a connection that breaks',
    reply: reset,
    kind: 'connection',
    says: 'HOST closed the connection before it answered.',
  },
  {
    name: 'a rate limit with seconds to wait',
    reply: rateLimited('7'),
    kind: 'rate_limit',
    says: 'PLACE limits the rate of requests (429: Rate limit reached for requests).',
    retryAfterMs: 7000,
  },
  {
    name: 'a rate limit with milliseconds to wait',
    reply: response(429, '{}', { 'retry-after-ms': '250', 'retry-after': '1' }),
    kind: 'rate_limit',
    says: 'PLACE limits the rate of requests (429: {}).',
    retryAfterMs: 250,
  },
  {
    name: 'a rate limit without a time to wait',
    reply: rateLimited(),
    kind: 'rate_limit',
    says: 'PLACE limits the rate of requests (429: Rate limit reached for requests).',
  },
  {
    name: 'an account without credit',
    reply: error(429, { message: 'You exceeded your current quota.', code: 'insufficient_quota' }),
    kind: 'refused',
    says: 'PLACE reports that the account has no credit left (429: You exceeded your current quota.).',
    only: 'openai',
  },
  ...[500, 502, 503].map((status) => ({
    name: `status ${status}`,
    reply: error(status, { message: 'overloaded' }),
    kind: 'server' as const,
    says: `PLACE failed (${status}: overloaded).`,
  })),
  { name: 'an HTML page with status 502', reply: html(502), kind: 'server', says: 'PLACE failed (502).' },
  {
    name: 'a wrong key that the server repeats',
    reply: wrongKey(KEY),
    kind: 'refused',
    says: `PLACE rejected the API key (401: Incorrect API key provided: [key].). ${UNAUTHORIZED}`,
  },
  {
    name: 'a wrong key that the server repeats in part',
    reply: wrongKey(`${KEY.slice(0, 8)}**********cdef`),
    kind: 'refused',
    says: `PLACE rejected the API key (401: Incorrect API key provided: [key]). ${UNAUTHORIZED}`,
  },
  {
    name: 'a wrong key whose beginning the server repeats',
    reply: wrongKey(KEY.slice(0, 12)),
    kind: 'refused',
    says: `PLACE rejected the API key (401: Incorrect API key provided: [key]). ${UNAUTHORIZED}`,
  },
  {
    name: 'a forbidden model',
    reply: error(403, 'Not for you.'),
    kind: 'refused',
    says: 'PLACE forbids the request (403: Not for you.).',
  },
  {
    name: 'an unknown model',
    reply: error(404, "model 'm' not found"),
    kind: 'refused',
    says: {
      openai: `PLACE was not found (404: model 'm' not found). ${UNKNOWN.openai}`,
      ollama: `PLACE was not found (404: model 'm' not found). ${UNKNOWN.ollama}`,
    },
  },
  {
    name: 'a request that is too long',
    reply: error(400, 'the input length exceeds the context length'),
    kind: 'refused',
    says: 'PLACE refused the request (400: the input length exceeds the context length).',
  },
  {
    name: 'a proxy that requires credentials',
    reply: html(407),
    kind: 'refused',
    says: 'The proxy in front of PLACE requires credentials (407).',
  },
  {
    name: 'a long error',
    reply: error(422, `bad ${'x'.repeat(500)}`),
    kind: 'refused',
    says: `PLACE refused the request (422: bad ${'x'.repeat(195)}…).`,
  },
  {
    name: 'a format that is not supported',
    reply: unsupported('response_format'),
    kind: 'structured_output',
    says: "PLACE refused the request (400: Unsupported value: 'response_format' is not supported with this model.).",
    only: 'openai',
  },
  {
    name: 'an invalid grammar, named only in the message',
    reply: error(400, 'failed to parse grammar'),
    kind: 'structured_output',
    says: 'PLACE refused the request (400: failed to parse grammar).',
  },
  {
    name: 'a web page with status 200',
    reply: html(),
    kind: 'no_answer',
    says: `PLACE answered with a web page instead of JSON. ${IN_PLACE}`,
  },
  {
    name: 'a truncated response',
    reply: response(200, '{"choices": [{"message": {"content": "'),
    kind: 'no_answer',
    says: `PLACE answered with something that is not JSON instead of JSON. ${IN_PLACE}`,
  },
  {
    name: 'an empty response',
    reply: response(200, ''),
    kind: 'no_answer',
    says: `PLACE answered with nothing instead of JSON. ${IN_PLACE}`,
  },
  {
    name: 'no choices',
    reply: nothing,
    kind: 'no_answer',
    says: { openai: 'HOST answered without a choice.', ollama: 'HOST answered with no text.' },
  },
  { name: 'an empty text', reply: answer(' \n'), kind: 'no_answer', says: 'HOST answered with no text.' },
  {
    name: 'an error of the provider behind a gateway, with status 200',
    reply: response(200, '{"error": {"message": "Provider returned error", "code": 502}}'),
    kind: 'server',
    says: {
      openai: 'HOST passed on an error: Provider returned error',
      ollama: 'HOST failed: Provider returned error',
    },
  },
  {
    name: 'a redirect to another host',
    reply: redirect('https://elsewhere.example/v1/chat?token=hidden'),
    kind: 'redirect',
    says: 'PLACE redirects to elsewhere.example/v1/chat. Redirects are not followed: if the target is right, make it the base URL.',
  },
];

describe.each(PROVIDER_NAMES)('%s', (provider) => {
  for (const { name, reply, kind, says, only, retryAfterMs = null } of ROWS) {
    if (only !== undefined && only !== provider) continue;
    it(`${name}: ${kind}`, async () => {
      await using stub = await startStubModels(() => reply);
      const fault = await faultOf(PROVIDERS[provider](stub));
      const { host } = new URL(stub.origin);
      const place = `${host}${provider === 'openai' ? '/v1/chat/completions' : '/api/chat'}`;
      const sentence = typeof says === 'string' ? says : says[provider];
      expect(fault.message).toBe(sentence.replace('PLACE', place).replace('HOST', host));
      expect(fault).toMatchObject({ kind, retryAfterMs });
      expect(stub.requests).toHaveLength(1);
    });
  }

  it('says how to start a server that is down', async () => {
    const stub = await startStubModels();
    await stub.stop();
    const fault = await faultOf(PROVIDERS[provider](stub));
    const { host } = new URL(stub.origin);
    const advice = {
      openai: 'Is the server running, and is the base URL right?',
      ollama: 'Is Ollama running? `ollama serve` starts it.',
    };
    expect(fault).toMatchObject({
      kind: 'connection',
      message: `${host} does not answer (connection refused). ${advice[provider]}`,
    });
  });

  it('waits until the date in Retry-After', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00Z') });
    await using stub = await startStubModels(() => rateLimited('Thu, 01 Jan 2026 00:00:30 GMT'));
    expect((await faultOf(PROVIDERS[provider](stub))).retryAfterMs).toBe(30_000);
  });

  it('times out on a server that hangs, and closes the connection', async () => {
    await using stub = await startStubModels(() => hang);
    const fault = await faultOf(PROVIDERS[provider](stub, 50));
    expect(fault).toMatchObject({
      kind: 'timeout',
      message: `${new URL(stub.origin).host} did not answer within 0.05 s. Raise \`timeoutMs\` to wait longer.`,
    });
    expect(await stub.requests[0]?.over).toBe('hung up');
  });

  it('stops immediately when cancelled', async () => {
    await using stub = await startStubModels(() => hang);
    const stop = new AbortController();
    const completion = PROVIDERS[provider](stub, 600_000).complete(PROMPT, stop.signal);
    await stub.arrived(1);
    const reason = new Error('The user pressed stop.');
    stop.abort(reason);
    await expect(completion).rejects.toBe(reason);
    expect(await stub.requests[0]?.over).toBe('hung up');
  });

  it('sends nothing once it is cancelled', async () => {
    await using stub = await startStubModels();
    const reason = new Error('stopped');
    await expect(PROVIDERS[provider](stub).complete(PROMPT, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(stub.requests).toEqual([]);
  });

  it('reports a truncated answer', async () => {
    await using stub = await startStubModels(() => answer('{"score": ', { finish: 'length' }));
    const completion = await PROVIDERS[provider](stub).complete(PROMPT, new AbortController().signal);
    expect(completion).toMatchObject({ text: '{"score": ', finish: 'length' });
  });

  it('reports that the server requires an API key', async () => {
    await using stub = await startStubModels(() => wrongKey());
    const settings = { model: 'm', temperature: 0, timeoutMs: 10_000 };
    const model =
      provider === 'openai'
        ? openai.createChatModel({ ...settings, baseUrl: stub.openai })
        : ollama.createChatModel({ ...settings, baseUrl: stub.origin });
    expect((await faultOf(model)).message).toMatch(/ requires an API key \(401: Incorrect API key provided: \[key\]\)/);
    expect(stub.requests[0]?.headers.authorization).toBeUndefined();
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('OpenAI', () => {
  const complete = (stub: StubModels): Promise<Completion> =>
    PROVIDERS.openai(stub).complete(PROMPT, new AbortController().signal);

  it('distinguishes a refusal from an answer', async () => {
    await using stub = await startStubModels(({ number }) =>
      number === 0 ? refusal('I cannot.') : answer('', { finish: 'content_filter' }),
    );
    expect(await complete(stub)).toMatchObject({ text: 'I cannot.', finish: 'refusal' });
    expect(await complete(stub)).toMatchObject({ text: '', finish: 'refusal' });
  });

  it.each([
    ['in a field', unsupported('temperature')],
    ['in words', error(400, 'Unrecognized request argument supplied: temperature')],
  ])('retries without a parameter that is refused %s, and remembers it', async (_, reply) => {
    await using stub = await startStubModels(({ body }) =>
      JSON.stringify(body).includes('"temperature"') ? reply : undefined,
    );
    const model = PROVIDERS.openai(stub);
    const signal = new AbortController().signal;
    await model.complete(PROMPT, signal);
    await model.complete(PROMPT, signal);
    expect(stub.requests.map(({ body }) => Object.keys(Object(body)).includes('temperature'))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('does not retry twice for the same parameter', async () => {
    await using stub = await startStubModels(() => unsupported('temperature'));
    expect(await faultOf(PROVIDERS.openai(stub))).toMatchObject({ kind: 'refused' });
    expect(stub.requests).toHaveLength(2);
  });

  it('never drops a required parameter', async () => {
    await using stub = await startStubModels(() => unsupported('messages'));
    expect(await faultOf(PROVIDERS.openai(stub))).toMatchObject({ kind: 'refused' });
    expect(stub.requests).toHaveLength(1);
  });
});

describe('Ollama', () => {
  const long = { ...PROMPT, parts: ['An entirely ordinary sentence of a long trace. '.repeat(1000)] };
  const read = async (prompt: number) => {
    await using stub = await startStubModels(() => answer('{"score":1}', { usage: { prompt } }));
    return await PROVIDERS.ollama(stub).complete(long, new AbortController().signal);
  };

  it('detects a silently truncated prompt', async () => {
    await expect(read(4096)).rejects.toMatchObject({
      kind: 'prompt_cut',
      message: expect.stringMatching(/ read 4096 tokens of a prompt of about 1\d{4}: m has a smaller context window\./),
    });
  });

  it('accepts a count somewhat below the estimate', async () => {
    expect(await read(8000)).toMatchObject({ usage: { promptTokens: 8000 } });
  });

  it('accepts a small count as a prefix cache hit', async () => {
    expect(await read(60)).toMatchObject({ text: '{"score":1}' });
  });
});
