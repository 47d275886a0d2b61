import { Ollama } from 'ollama/browser';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { minimalValue } from '../../support/minimal-value.ts';
import { answer, delayedReply, error, hang, reset, startStubModels } from '../../support/stub-models.ts';

const messages = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'How far is the moon?' },
];
const schema = z.toJSONSchema(
  z.object({ reason: z.string(), score: z.int().min(1).max(5), label: z.enum(['far', 'near']) }),
);

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const openai = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'k', maxRetries: 0 });

describe('the stub speaks OpenAI', () => {
  it('answers with the least value that fits the schema, and counts', async () => {
    await using stub = await startStubModels();
    const completion = await openai(stub.openai).chat.completions.create({
      model: 'm',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
    });
    expect(completion.choices[0]?.message.content).toBe('{"reason":"","score":1,"label":"far"}');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 10 });
    expect(stub.requests[0]).toMatchObject({
      api: 'openai chat',
      model: 'm',
      messages,
      schema,
      url: '/v1/chat/completions',
    });
  });

  it('streams when asked to', async () => {
    await using stub = await startStubModels(() => answer('far away', { finish: 'length' }));
    const stream = await openai(stub.openai).chat.completions.create({
      model: 'm',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collected(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('far away');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('length');
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(2);
  });

  it('embeds, in base64 as the client asks', async () => {
    await using stub = await startStubModels();
    const { data } = await openai(stub.openai).embeddings.create({ model: 'e', input: ['a', 'hi'] });
    expect(data.map(({ embedding }) => [...embedding])).toEqual([
      [0, 1, 0, 0, 0, 0, 0, 0],
      [1, 1, 0, 0, 0, 0, 0, 0],
    ]);
  });

  it('fails as told', async () => {
    await using stub = await startStubModels(({ number }) => (number === 0 ? error(503, 'busy') : reset));
    const create = () => openai(stub.openai).chat.completions.create({ model: 'm', messages });
    await expect(create()).rejects.toMatchObject({ status: 503, error: { message: 'busy' } });
    await expect(create()).rejects.toThrow(/Connection error/);
  });
});

describe('the stub speaks Ollama', () => {
  const ollama = (host: string) => new Ollama({ host });

  it('answers, whole and in a stream', async () => {
    await using stub = await startStubModels();
    const whole = await ollama(stub.origin).chat({ model: 'm', messages, format: schema });
    expect(whole).toMatchObject({ message: { content: '{"reason":"","score":1,"label":"far"}' }, done: true });
    expect(whole).toMatchObject({ done_reason: 'stop', prompt_eval_count: 8, eval_count: 10 });
    const stream = await ollama(stub.origin).chat({ model: 'm', messages, format: schema, stream: true });
    const chunks = await collected(stream);
    expect(chunks.map((chunk) => chunk.message.content).join('')).toBe(whole.message.content);
    expect(chunks.at(-1)?.prompt_eval_count).toBe(8);
  });

  it('embeds', async () => {
    await using stub = await startStubModels();
    const { embeddings } = await ollama(stub.origin).embed({ model: 'e', input: ['a', 'b'] });
    expect(embeddings).toHaveLength(2);
    expect(stub.requests[0]?.input).toEqual(['a', 'b']);
  });

  it('gives errors in a body of its own', async () => {
    await using stub = await startStubModels(() => error(404, "model 'm' not found"));
    await expect(ollama(stub.origin).chat({ model: 'm', messages })).rejects.toMatchObject({
      message: "model 'm' not found",
      status_code: 404,
    });
  });
});

describe('the stub', () => {
  it('knows who hung up, and how many were under way at once', async () => {
    await using stub = await startStubModels(({ number }) => (number < 2 ? hang : undefined));
    const hanging = new AbortController();
    const lost = [0, 1].map(() => fetch(stub.origin, { signal: hanging.signal }).catch(() => 'gone'));
    await stub.arrived(2);
    hanging.abort();
    expect(await Promise.all(lost)).toEqual(['gone', 'gone']);
    expect(await Promise.all(stub.requests.map(({ over }) => over))).toEqual(['hung up', 'hung up']);
    expect(stub.mostAtOnce).toBe(2);
    await (await fetch(stub.origin)).text();
    expect(await stub.requests[2]?.over).toBe('answered');
    expect(stub.requests.map(({ hungUp, active }) => [hungUp, active])).toEqual([
      [true, 1],
      [true, 2],
      [false, 1],
    ]);
  });

  it('waits for what the test waits for', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using stub = await startStubModels(() => delayedReply(promise, answer('late')));
    let answered = false;
    const waiting = fetch(`${stub.openai}/chat/completions`, { method: 'POST', body: '{}' }).then(() => {
      answered = true;
    });
    await stub.arrived(1);
    expect(answered).toBe(false);
    resolve();
    await waiting;
    expect(answered).toBe(true);
  });

  it('refuses connections once it is down', async () => {
    await using stub = await startStubModels();
    await stub.stop();
    await expect(fetch(stub.origin)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});

describe('the least value', () => {
  const fits = [
    z.object({ a: z.string().min(2), b: z.array(z.number().min(0.5)).length(3), c: z.null() }),
    z.tuple([z.literal('x'), z.int(), z.boolean()]),
    z.union([z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    z.object({ n: z.number().max(-4), m: z.int().positive(), o: z.nullable(z.string()) }),
  ];
  for (const [index, type] of fits.entries()) {
    it(`fits schema ${index}`, () => {
      expect(type.safeParse(minimalValue(z.toJSONSchema(type))).error).toBeUndefined();
    });
  }

  it('follows references, and names each of several things once', () => {
    const inner = { type: 'object', properties: { id: { enum: ['T1', 'T2'] } } };
    expect(minimalValue({ type: 'array', minItems: 2, items: { $ref: '#/$defs/inner' }, $defs: { inner } })).toEqual([
      { id: 'T1' },
      { id: 'T2' },
    ]);
  });
});
