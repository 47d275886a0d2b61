import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  asText,
  get,
  getArray,
  getNumber,
  getObject,
  getString,
  type JsonObject,
  parseJson,
} from '../../src/core/json.ts';
import type { ProviderName } from '../../src/core/model-providers.ts';
import { minimalValue } from './minimal-value.ts';
import { pinShownIds } from './shown-ids.ts';

/** What the stub was asked. */
export interface StubRequest {
  /** In the order of arrival, from 0. */
  readonly number: number;
  readonly api: Api;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** As parsed; text where it is not JSON. */
  readonly body: unknown;
  readonly model: string | null;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** All messages, in order, joined by blank lines. */
  readonly prompt: string;
  /** The JSON schema that the answer has to fit; null where none was asked for. */
  readonly schema: JsonObject | null;
  /** Texts to embed. */
  readonly input: readonly string[];
  /** Requests that were under way when this one had arrived, with it. */
  readonly active: number;
  /** Whether the client went away before it had its answer. */
  readonly hungUp: boolean;
  /** Settles when the request is over: `answered`, or `hung up`. */
  readonly over: Promise<'answered' | 'hung up'>;
}

/** The base URL at which a stub speaks the API of each provider. */
export const STUB_BASE_URLS: Readonly<Record<ProviderName, (stub: StubModels) => string>> = {
  openai: (stub) => stub.openai,
  ollama: (stub) => stub.origin,
};

export type Api = 'openai chat' | 'openai embeddings' | 'ollama chat' | 'ollama embed' | 'unknown';

/** What the stub does with a request. Made by the functions below. */
export type StubReply =
  | ({ readonly kind: 'answer'; readonly text: string } & AnswerOptions)
  | { readonly kind: 'vectors'; readonly vectors: readonly (readonly number[])[] }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    }
  | { readonly kind: 'raw'; readonly write: (socket: Duplex) => void }
  | { readonly kind: 'error'; readonly status: number; readonly error: ErrorBody; readonly retryAfter?: string }
  | { readonly kind: 'after'; readonly wait: number | Promise<unknown>; readonly reply: StubReply | undefined }
  | { readonly kind: 'reset' | 'hang' | 'nothing' };

export interface AnswerOptions {
  readonly finish?: 'stop' | 'length' | 'content_filter';
  /** OpenAI's field of that name; the content is then null. */
  readonly refusal?: string;
  /** Null: the server does not count. By default the stub counts four characters as one token. */
  readonly usage?: { readonly prompt?: unknown; readonly completion?: unknown } | null;
  /** Sends the response in another encoding. */
  readonly encoding?: ResponseEncoding;
}

export interface ResponseEncoding {
  readonly headers: Readonly<Record<string, string>>;
  encode(json: string): Uint8Array;
}

interface ErrorBody {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** An answer of a model: text as it is, everything else as JSON. */
export function answer(value: unknown, options: AnswerOptions = {}): StubReply {
  return { kind: 'answer', text: asText(value), ...options };
}

export function refusal(text: string): StubReply {
  return { kind: 'answer', text: '', refusal: text };
}

export function vectors(list: readonly (readonly number[])[]): StubReply {
  return { kind: 'vectors', vectors: list };
}

/** An error with the body that the asked API gives it. */
export function error(status: number, body: string | ErrorBody, options: { retryAfter?: string } = {}): StubReply {
  return { kind: 'error', status, error: typeof body === 'string' ? { message: body } : body, ...options };
}

/** 429; `retryAfter` as the header has it: seconds, or an HTTP date. */
export function rateLimited(retryAfter?: string): StubReply {
  return error(
    429,
    { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' },
    retryAfter === undefined ? {} : { retryAfter },
  );
}

/** 400 that names a parameter, as reasoning models answer to `temperature`. */
export function unsupported(param: string): StubReply {
  return error(400, {
    message: `Unsupported value: '${param}' is not supported with this model.`,
    type: 'invalid_request_error',
    param,
    code: 'unsupported_value',
  });
}

/** 401 that repeats a key, as servers do. */
export function wrongKey(key = 'sk-stub-key-of-somebody'): StubReply {
  return error(401, {
    message: `Incorrect API key provided: ${key}.`,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  });
}

/** Any response at all. */
export function response(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): StubReply {
  return { kind: 'response', status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** A page where an answer should be: a captive portal, or a proxy's log-in. */
export function html(status = 200): StubReply {
  return response(status, '<!doctype html><html><body><h1>Sign in</h1></body></html>', { 'content-type': 'text/html' });
}

export function redirect(location: string, status = 307): StubReply {
  return response(status, '', { location });
}

/** 200, and no answer in it. */
export const nothing: StubReply = { kind: 'nothing' };
/** The connection breaks. */
export const reset: StubReply = { kind: 'reset' };
/** Nothing ever comes. */
export const hang: StubReply = { kind: 'hang' };

/** Whatever a test writes to the connection: not every server speaks HTTP as it should. */
export function raw(write: ((socket: Duplex) => void) | string): StubReply {
  return { kind: 'raw', write: typeof write === 'string' ? (socket) => socket.end(write) : write };
}

/** The reply (or the default) once a promise of the test settles, or after some milliseconds. */
export function delayedReply(wait: number | Promise<unknown>, reply?: StubReply): StubReply {
  return { kind: 'after', wait, reply };
}

/** What to do with each request; undefined: the least answer that fits its schema, or a vector per text. */
export type Script = (request: StubRequest) => StubReply | undefined | Promise<StubReply | undefined>;

export interface StubModels extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: Ollama's base URL. */
  readonly origin: string;
  /** The base URL of OpenAI's API. */
  readonly openai: string;
  /** All of them, in order of arrival. */
  readonly requests: readonly StubRequest[];
  /** Most requests that were ever under way together. */
  readonly mostAtOnce: number;
  /** From the next request on. */
  play(script: Script): void;
  /** Settles when so many requests have arrived. */
  arrived(count: number): Promise<void>;
  /** The server goes down: connections break, new ones are refused. */
  stop(): Promise<void>;
}

/**
 * A server on loopback that speaks OpenAI's chat completions and embeddings and Ollama's `/api/chat` and `/api/embed`,
 * as their references say. What it invents says nothing about any model: `await using stub = await stubModels(script)`.
 */
export async function startStubModels(script: Script = () => undefined): Promise<StubModels> {
  const requests: StubRequest[] = [];
  const waiting = new Set<{ count: number; resolve: () => void }>();
  let active = 0;
  let mostAtOnce = 0;
  let current = script;

  const server = createServer(async (incoming, outgoing) => {
    // A client that goes away while it still sends is none of ours.
    const body = await textOf(incoming).catch(() => null);
    if (body === null) return;
    active += 1;
    mostAtOnce = Math.max(mostAtOnce, active);
    const request = parseRequest(incoming, outgoing, body, requests.length, active);
    requests.push(request);
    request.over.then(() => {
      active -= 1;
    });
    for (const waiter of waiting) {
      if (requests.length < waiter.count) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
    try {
      await send(outgoing, request, await current(request));
    } catch (cause) {
      // A script that throws is a broken test: it shows as an answer that no test expects.
      if (!outgoing.headersSent) outgoing.writeHead(599).end(`The stub's script failed: ${cause}`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The stub has no port.');
  const origin = `http://127.0.0.1:${address.port}`;

  const stop = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    origin,
    openai: `${origin}/v1`,
    requests,
    get mostAtOnce() {
      return mostAtOnce;
    },
    play(next) {
      current = next;
    },
    async arrived(count) {
      if (requests.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ count, resolve });
      await promise;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  text: string,
  number: number,
  active: number,
): StubRequest {
  const url = incoming.url ?? '';
  const body = parseJson(text) ?? text;
  const messages = (getArray(body, 'messages') ?? []).map((message) => ({
    role: getString(message, 'role') ?? '',
    content: contentOf(get(message, 'content')),
  }));
  const input = get(body, 'input');
  let hungUp = false;
  const over = once(outgoing, 'close').then(() => {
    hungUp = !outgoing.writableFinished;
    return hungUp ? ('hung up' as const) : ('answered' as const);
  });
  return {
    number,
    api: apiOf(url),
    method: incoming.method ?? '',
    url,
    headers: incoming.headers,
    body,
    model: getString(body, 'model') ?? null,
    messages,
    prompt: messages.map(({ content }) => content).join('\n\n'),
    schema:
      getObject(getObject(get(body, 'response_format'), 'json_schema'), 'schema') ?? getObject(body, 'format') ?? null,
    input: Array.isArray(input) ? input.map(asText) : input === undefined ? [] : [asText(input)],
    active,
    get hungUp() {
      return hungUp;
    },
    over,
  };
}

/** A message's text: plain, or in parts. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((part) => getString(part, 'text') ?? '').join('');
}

/** Azure and gateways put their own path before the API's. */
function apiOf(url: string): Api {
  const path = url.split('?')[0] ?? '';
  if (path.endsWith('/chat/completions')) return 'openai chat';
  if (path.endsWith('/embeddings')) return 'openai embeddings';
  if (path.endsWith('/api/chat')) return 'ollama chat';
  if (path.endsWith('/api/embed')) return 'ollama embed';
  return 'unknown';
}

async function send(outgoing: ServerResponse, request: StubRequest, reply = defaultReply(request)): Promise<void> {
  switch (reply.kind) {
    case 'after':
      await (typeof reply.wait === 'number' ? delay(reply.wait) : reply.wait);
      return send(outgoing, request, reply.reply);
    case 'hang':
      return;
    case 'reset':
      outgoing.socket?.resetAndDestroy();
      return;
    case 'raw':
      if (outgoing.socket) reply.write(outgoing.socket);
      return;
    case 'response':
      outgoing.writeHead(reply.status, reply.headers).end(reply.body);
      return;
    case 'error':
      return sendError(outgoing, request, reply);
    case 'nothing':
      return sendJson(outgoing, request.api === 'openai chat' ? { ...completionHead(request), choices: [] } : {});
    case 'vectors':
      return sendJson(
        outgoing,
        request.api === 'ollama embed' ? ollamaVectors(request, reply) : openaiVectors(request, reply),
      );
    case 'answer':
      return request.api === 'ollama chat'
        ? sendOllama(outgoing, request, reply)
        : sendOpenai(outgoing, request, reply);
  }
}

function sendJson(outgoing: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendEncoded(outgoing: ServerResponse, body: unknown, encoding: ResponseEncoding | undefined): void {
  if (!encoding) {
    sendJson(outgoing, body);
    return;
  }
  outgoing
    .writeHead(200, { 'content-type': 'application/json', ...encoding.headers })
    .end(encoding.encode(JSON.stringify(body)));
}

function sendError(outgoing: ServerResponse, { api }: StubRequest, reply: Extract<StubReply, { kind: 'error' }>): void {
  const { message, type = 'invalid_request_error', param = null, code = null } = reply.error;
  const body = api.startsWith('ollama') ? { error: message } : { error: { message, type, param, code } };
  const headers: Record<string, string> = reply.retryAfter === undefined ? {} : { 'retry-after': reply.retryAfter };
  sendJson(outgoing, body, reply.status, headers);
}

function defaultReply({ api, prompt, schema, input, url }: StubRequest): StubReply {
  switch (api) {
    case 'openai chat':
    case 'ollama chat':
      return answer(schema ? minimalValue(pinShownIds(schema, prompt)) : {});
    case 'openai embeddings':
    case 'ollama embed':
      return vectors(input.map(stubVector));
    case 'unknown':
      return error(404, `Unknown path ${url}`);
  }
}

/** Eight numbers from a text's characters: equal for equal texts, and no measure of meaning. */
function stubVector(text: string): readonly number[] {
  const vector = Array.from({ length: 8 }, () => 0);
  for (let i = 0; i < text.length; i += 1) {
    vector[text.charCodeAt(i) % 8] = (vector[text.charCodeAt(i) % 8] ?? 0) + 1;
  }
  return vector;
}

type Answer = Extract<StubReply, { kind: 'answer' }>;

const CREATED = 1_767_225_600;

/** Tokens as the stub counts them. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

function tokenCounts(
  { prompt }: StubRequest,
  { text, usage }: Answer,
): { prompt: unknown; completion: unknown } | null {
  if (usage === null) return null;
  return { prompt: tokensOf(prompt), completion: tokensOf(text), ...usage };
}

function completionHead({ number, model }: StubRequest, object = 'chat.completion') {
  return { id: `chatcmpl-${number}`, object, created: CREATED, model };
}

function sendOpenai(outgoing: ServerResponse, request: StubRequest, reply: Answer): void {
  const counts = tokenCounts(request, reply);
  const usage = counts && {
    prompt_tokens: counts.prompt,
    completion_tokens: counts.completion,
    total_tokens: Number(counts.prompt) + Number(counts.completion),
  };
  const content = reply.refusal === undefined ? reply.text : null;
  const finish = reply.finish ?? 'stop';
  if (get(request.body, 'stream') !== true) {
    const message = { role: 'assistant', content, refusal: reply.refusal ?? null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    sendEncoded(outgoing, { ...completionHead(request), choices, ...(usage && { usage }) }, reply.encoding);
    return;
  }
  const head = completionHead(request, 'chat.completion.chunk');
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  outgoing.write(chunk({ role: 'assistant', content, refusal: reply.refusal ?? null }));
  outgoing.write(chunk({}, finish));
  if (usage && get(get(request.body, 'stream_options'), 'include_usage') === true) {
    outgoing.write(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`);
  }
  outgoing.end('data: [DONE]\n\n');
}

function sendOllama(outgoing: ServerResponse, request: StubRequest, reply: Answer): void {
  const counts = tokenCounts(request, reply);
  const head = { model: request.model, created_at: new Date(CREATED * 1000).toISOString() };
  const last = {
    done: true,
    done_reason: reply.finish === 'length' ? 'length' : 'stop',
    total_duration: 3_000_000,
    load_duration: 1_000_000,
    ...(counts && { prompt_eval_count: counts.prompt }),
    prompt_eval_duration: 1_000_000,
    ...(counts && { eval_count: counts.completion }),
    eval_duration: 1_000_000,
  };
  // Ollama has no field for a refusal: it is text as any other.
  const message = { role: 'assistant', content: reply.refusal ?? reply.text };
  // Without a word on `stream`, it streams.
  if (get(request.body, 'stream') === false) {
    sendEncoded(outgoing, { ...head, message, ...last }, reply.encoding);
    return;
  }
  outgoing.writeHead(200, { 'content-type': 'application/x-ndjson' });
  outgoing.write(`${JSON.stringify({ ...head, message, done: false })}\n`);
  outgoing.end(`${JSON.stringify({ ...head, message: { role: 'assistant', content: '' }, ...last })}\n`);
}

type Vectors = Extract<StubReply, { kind: 'vectors' }>;

function openaiVectors({ model, input, body }: StubRequest, { vectors }: Vectors): object {
  const inBase64 = getString(body, 'encoding_format') === 'base64';
  const tokens = input.reduce((sum, text) => sum + tokensOf(text), 0);
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: inBase64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function ollamaVectors({ model, input }: StubRequest, { vectors }: Vectors): object {
  return {
    model,
    embeddings: vectors,
    total_duration: 2_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: input.reduce((sum, text) => sum + tokensOf(text), 0),
  };
}

/** What Ollama was told its context window should be; undefined where it was not. */
export function contextWindow({ body }: StubRequest): number | undefined {
  return getNumber(get(body, 'options'), 'num_ctx');
}
