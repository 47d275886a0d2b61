import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ChatPrompt } from '../../src/llm/chat-model.ts';
import { ModelError } from '../../src/llm/model-error.ts';
import { ollama } from '../../src/llm/providers/ollama.ts';
import { openai } from '../../src/llm/providers/openai.ts';
import {
  answer,
  type ResponseEncoding,
  redirect,
  response,
  type StubReply,
  startStubModels,
} from '../support/stub-models.ts';

const SCHEMA = { type: 'object' };
const PROMPT: ChatPrompt = {
  system: 'S',
  parts: ['P'],
  schema: SCHEMA,
  exactSchema: () => SCHEMA,
  structured: 'schema',
};
const KEY = 'Tw-Secret-0123456789abcdef';

const PROVIDER_NAMES = ['openai', 'ollama'] as const;

async function complete(provider: (typeof PROVIDER_NAMES)[number], reply: StubReply) {
  await using stub = await startStubModels(() => reply);
  const settings = { model: 'm', key: KEY, temperature: 0, timeoutMs: 10_000 };
  const model =
    provider === 'openai'
      ? openai.createChatModel({ ...settings, baseUrl: stub.openai })
      : ollama.createChatModel({ ...settings, baseUrl: stub.origin });
  return await model.complete(PROMPT, new AbortController().signal);
}

/** With a character of each length in UTF-8 where the encoding has it. */
const TEXT = '{"reason":"Déjà vu"}';
const FULL_TEXT = '{"reason":"Déjà vu: 你好 🎉"}';

function utf16(text: string, isBigEndian = false): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

const encoding = (contentEncoding: string, encode: (json: string) => Uint8Array): ResponseEncoding => ({
  headers: { 'content-encoding': contentEncoding },
  encode,
});
const charset = (contentType: string, encode: (json: string) => Uint8Array): ResponseEncoding => ({
  headers: { 'content-type': contentType },
  encode,
});

describe.each(PROVIDER_NAMES)('a legal answer over %s', (provider) => {
  it.each<[string, ResponseEncoding]>([
    ['gzip', encoding('gzip', gzipSync)],
    ['x-gzip in capitals', encoding('X-GZIP', gzipSync)],
    ['deflate', encoding('deflate', deflateSync)],
    ['deflate without the wrapper of zlib', encoding('deflate', deflateRawSync)],
    ['Brotli', encoding('br', brotliCompressSync)],
    ['two layers', encoding('gzip, br', (json) => brotliCompressSync(gzipSync(json)))],
    ['no encoding, by that name', encoding('identity', (json) => Buffer.from(json))],
    ['UTF-8 with a byte order mark', charset('application/json', (json) => Buffer.from(`\ufeff${json}`))],
    ['UTF-16, little-endian', charset('application/json; charset=utf-16le', (json) => utf16(json))],
    ['UTF-16, big-endian', charset('application/json; charset="UTF-16BE"', (json) => utf16(json, true))],
    ['UTF-16 by its byte order mark', charset('application/json', (json) => utf16(`\ufeff${json}`))],
    ['UTF-16, big-endian, by its mark', charset('text/plain', (json) => utf16(`\ufeff${json}`, true))],
    ['an unknown charset', charset('application/json; charset=klingon', (json) => Buffer.from(json))],
    ['white space around it', charset('text/html', (json) => Buffer.from(`\r\n  ${json} \n\t\n`))],
    [
      'gzip and UTF-16',
      { headers: { 'content-encoding': 'gzip' }, encode: (json) => gzipSync(utf16(`\ufeff${json}`)) },
    ],
  ])('is read in %s', async (_, how) => {
    const read = await complete(provider, answer(FULL_TEXT, { encoding: how, usage: { prompt: 7, completion: 3 } }));
    expect(read).toEqual({
      text: FULL_TEXT,
      finish: 'stop',
      usage: { promptTokens: 7, completionTokens: 3 },
      version: 'm',
    });
  });

  it('is read in Latin-1', async () => {
    const latin1 = charset('application/json; charset=iso-8859-1', (json) => Buffer.from(json, 'latin1'));
    expect(await complete(provider, answer(TEXT, { encoding: latin1 }))).toMatchObject({ text: TEXT });
  });
});

const LARGE = Buffer.alloc(65 * 1024 * 1024, ' ');
const GZIP = { 'content-encoding': 'gzip' };

describe.each(PROVIDER_NAMES)('a compressed response over %s', (provider) => {
  it.each<[string, StubReply, RegExp]>([
    [
      'is truncated',
      response(200, gzipSync(TEXT).subarray(0, -9), GZIP),
      /sent a compressed response \(gzip\) that is truncated or damaged\.$/,
    ],
    ['is not compressed', response(200, TEXT, GZIP), /truncated or damaged/],
    ['is an error', response(500, gzipSync(TEXT).subarray(0, 12), GZIP), /truncated or damaged/],
    [
      'inflates to more than 64 MB',
      response(200, gzipSync(LARGE), GZIP),
      /sent more than 64 MB, which is not an answer\.$/,
    ],
    [
      'inflates to more than 64 MB with Brotli',
      response(200, brotliCompressSync(LARGE), { 'content-encoding': 'br' }),
      /more than 64 MB/,
    ],
    [
      'has an unknown encoding',
      response(200, TEXT, { 'content-encoding': 'compress' }),
      /in the encoding "compress", which cannot be read\.$/,
    ],
    [
      'has many encodings',
      response(200, TEXT, { 'content-encoding': 'gzip,'.repeat(50) }),
      /in 50 encodings, which cannot be read\.$/,
    ],
  ])('fails with a sentence if it %s', async (_, reply, sentence) => {
    const failure = await complete(provider, reply).catch((cause: unknown) => cause);
    expect(failure).toBeInstanceOf(ModelError);
    expect(failure).toMatchObject({ kind: 'no_answer', message: expect.stringMatching(sentence) });
  });
});

describe.each(PROVIDER_NAMES)('the usage that %s reports', (provider) => {
  it.each<[string, unknown, unknown]>([
    ['negative', -5, 3],
    ['negative in the answer', 5, -3],
    ['fractional', 5.5, 3],
    ['huge', 1e15, 3],
    ['a text', '5', 3],
    ['null', null, 3],
    ['a list', 5, [3]],
    ['true', true, 3],
    ['missing in part', 5, undefined],
    ['zero for the prompt', 0, 0],
  ])('is unknown if it is %s', async (_, prompt, completion) => {
    expect(await complete(provider, answer(TEXT, { usage: { prompt, completion } }))).toMatchObject({
      text: TEXT,
      usage: null,
    });
  });
});

describe.each(PROVIDER_NAMES)('a redirect of %s', (provider) => {
  it.each([
    ['in the path', `https://elsewhere.test/v1/${KEY}/chat`],
    ['with escapes', `https://elsewhere.test/v1/${[...KEY].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')}`],
    ['in the host', `https://${KEY}.elsewhere.test/v1`],
    ['in part', `https://elsewhere.test/v1/${KEY.slice(0, 14)}/chat`],
    ['as the user', `https://${KEY}:${KEY}@elsewhere.test/v1`],
    ['in the query', `https://elsewhere.test/v1?key=${KEY}`],
    ['of somebody else', 'https://elsewhere.test/v1/AKIAQ3EGRAA7ZBCDQRST'],
  ])('repeats no key %s', async (_, location) => {
    const failure = await complete(provider, redirect(location)).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ kind: 'redirect', message: expect.stringContaining('elsewhere.test') });
    expect(String(failure).toLowerCase()).not.toContain(KEY.slice(0, 14).toLowerCase());
    expect(String(failure)).not.toContain('AKIAQ3EGRAA7ZBCDQRST');
  });
});

describe.each(PROVIDER_NAMES)('a key that a server of %s repeats', (provider) => {
  it('is in no answer', async () => {
    expect(await complete(provider, answer(`{"reason":"${KEY}"}`))).toMatchObject({ text: '{"reason":"[key]"}' });
  });

  it.each([
    ['in an error with status 200', response(200, `{"error":{"message":"Not with ${KEY}."}}`)],
    ['in plain text', response(500, `Bearer ${KEY} is no key.`)],
    ['in a refusal', response(403, `{"error":"${KEY}"}`)],
  ])('is in no message, %s', async (_, reply) => {
    const failure = await complete(provider, reply).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ message: expect.stringContaining('[key]') });
    expect(String(failure)).not.toContain(KEY);
  });
});
