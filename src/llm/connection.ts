import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { get, getString, parseJson } from '../core/json.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';
import { ModelError, type ModelErrorKind, RequestRejected } from './model-error.ts';
import { createProxyAgent, proxyFor } from './proxy.ts';
import { MAX_RESPONSE_BYTES, readBody } from './response-body.ts';
import { errorText, redactKeys } from './server-error.ts';

export interface ConnectionSettings {
  /** All headers that are sent besides the content type; keys are among them, and appear in no message. */
  readonly headers: Readonly<Record<string, string>>;
  /** Added to the URL of each request. */
  readonly query: Readonly<Record<string, string>>;
  /** From the start of a request to the last byte of its response. */
  readonly timeoutMs: number;
  /** What a user can do: each is a sentence. */
  readonly advice: {
    readonly unreachable: string;
    readonly unknown: string;
    readonly unauthorized: string;
    /** Default: to raise `timeoutMs`. */
    readonly slow?: string;
  };
  /** The longest response, in bytes. Default: `MAX_RESPONSE_BYTES`. */
  readonly maxBytes?: number;
  /** Whether a response may be a stream of server-sent events. It is read to its end. */
  readonly acceptsEvents?: boolean;
  /** Resolves the names of hosts, where not every address may be connected to. */
  readonly lookup?: LookupFunction;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** To one model server. Connections stay open between requests. */
export interface ServerConnection {
  /**
   * Runs one call of a provider's SDK with a `fetch` of our own, which decides alone what goes over the network: it follows no
   * redirect, does not retry, and sends no header that an SDK adds or reads from the environment.
   *
   * @throws ModelError for everything that can go wrong on the way, or the signal's reason.
   */
  call<T>(signal: AbortSignal, request: (fetch: Fetch) => Promise<T>): Promise<T>;
}

export function createConnection(settings: ConnectionSettings): ServerConnection {
  let connection: Promise<ProxyConnection | null> | undefined;
  const send = async (url: URL, init: RequestInit | undefined, signal: AbortSignal): Promise<Response> => {
    connection ??= connectProxy(url);
    const proxy = await connection;
    signal.throwIfAborted();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), settings.timeoutMs);
    try {
      const response = await exchange(url, String(init?.body ?? ''), {
        method: init?.method === 'GET' ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          accept: settings.acceptsEvents ? 'application/json, text/event-stream' : 'application/json',
          ...settings.headers,
        },
        signal: AbortSignal.any([signal, timeout.signal]),
        maxBytes: settings.maxBytes ?? MAX_RESPONSE_BYTES,
        ...(settings.lookup && { lookup: settings.lookup }),
        ...(proxy && { agent: proxy.agent }),
      });
      return toResponse(response, url, settings);
    } catch (cause) {
      signal.throwIfAborted();
      if (timeout.signal.aborted) {
        const seconds = settings.timeoutMs / 1000;
        const { slow = 'Raise `timeoutMs` to wait longer.' } = settings.advice;
        throw new ModelError('timeout', `${url.host} did not answer within ${seconds} s. ${slow}`);
      }
      throw cause instanceof ModelError
        ? cause
        : connectionError(cause, url, proxy?.host ?? null, settings.advice.unreachable);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async call(signal, request) {
      signal.throwIfAborted();
      let failure: { readonly cause: unknown } | undefined;
      try {
        return await request(async (input, init) => {
          try {
            return await send(urlOf(input, settings.query), init, signal);
          } catch (cause) {
            failure = { cause };
            throw cause;
          }
        });
      } catch (cause) {
        // SDKs wrap what their `fetch` throws, or replace it.
        throw failure ? failure.cause : cause;
      }
    },
  };
}

function urlOf(input: string | URL | Request, query: ConnectionSettings['query']): URL {
  const url = new URL(input instanceof Request ? input.url : input);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

interface ProxyConnection {
  readonly agent: Agent;
  readonly host: string;
}

async function connectProxy(url: URL): Promise<ProxyConnection | null> {
  const proxy = proxyFor(url, process.env);
  return proxy && { agent: await createProxyAgent(proxy, url), host: proxy.host };
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly agent?: Agent;
  readonly lookup?: LookupFunction;
}

/** With Node's own client, since its `fetch` takes no agent, and so no proxy. */
function exchange(url: URL, body: string, { maxBytes, ...options }: ExchangeOptions): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, options, (response) => {
      readBody(response, url.host, maxBytes).then((text) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }, reject);
    });
    request.on('error', reject);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new ModelError('connection', `${url.host} switched to another protocol instead of answering.`));
    });
    request.end(body);
  });
}

/** @throws ModelError for everything but JSON, or events where they are accepted, with status 2xx. */
function toResponse({ status, headers, text: sent }: RawResponse, url: URL, settings: ConnectionSettings): Response {
  const text = withoutKeys(sent, url, settings.headers);
  const endpoint = `${url.host}${url.pathname}`;
  if (status >= 300 && status < 400)
    throw redirectError(endpoint, url, headers.location, requestSecrets(url, settings.headers));
  const value = parseJson(text);
  if (status >= 200 && status < 300) {
    // Servers label JSON in many ways, and SDKs go by the label.
    if (value !== undefined) return new Response(text, { status, headers: { 'content-type': 'application/json' } });
    if (settings.acceptsEvents && /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? '')) {
      return new Response(text, { status, headers: { 'content-type': 'text/event-stream' } });
    }
    const what = looksLikeHtml(text) ? 'a web page' : text === '' ? 'nothing' : 'something that is not JSON';
    throw new ModelError(
      'no_answer',
      `${endpoint} answered with ${what} instead of JSON. Check the base URL, and that no login page or proxy stands in between.`,
    );
  }
  const message = looksLikeHtml(text) ? '' : errorText(value ?? text, requestSecrets(url, settings.headers));
  throw toRejection(status, { endpoint, message, body: value ?? text, settings, headers });
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** Everything of a request that may be a key. A short value in a query is a version or a region. */
function requestSecrets(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const query = [...url.searchParams.values()].filter((value) => value.length >= 16);
  return [...Object.values(headers), ...query, decodeText(url.password)];
}

const KEY_HEADER = /^(authorization|api-key|x-api-key)$/i;
/** Shorter keys are made up, for servers that need none, and may be words of an answer. */
const MIN_KEY_LENGTH = 16;

/** What a server sends, without the key that it was sent: otherwise an answer could carry it into a report. */
function withoutKeys(text: string, url: URL, headers: Readonly<Record<string, string>>): string {
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    KEY_HEADER.test(name) ? value.replace(/^Bearer /i, '') : [],
  );
  return [...inHeaders, ...requestSecrets(url, {})]
    .filter(({ length }) => length >= MIN_KEY_LENGTH)
    .reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

function hasKey(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => KEY_HEADER.test(name));
}

/** @param sent values of the request that may be keys: a server can put them anywhere in the address. */
function redirectError(endpoint: string, from: URL, location: string | undefined, sent: readonly string[]): ModelError {
  const to = location === undefined ? null : URL.parse(location, from.href);
  const target = to ? redactAddress(to, sent) : 'an unknown address';
  return new ModelError(
    'redirect',
    `${endpoint} redirects to ${target}. Redirects are not followed: if the target is right, make it the base URL.`,
  );
}

/** Host and path of an address, without what looks like a key. */
function redactAddress({ host, pathname }: URL, sent: readonly string[]): string {
  const segments = pathname.split('/').map((segment) => redactKeys(decodeText(segment), sent));
  return truncate(oneLine([redactKeys(host, sent), ...segments.slice(1)].join('/')), MAX_ADDRESS_LENGTH);
}

const MAX_ADDRESS_LENGTH = 200;

/** Part of an address without its escapes; unchanged if they are malformed. */
function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface RejectionDetails {
  readonly endpoint: string;
  /** From the server, redacted. */
  readonly message: string;
  readonly body: unknown;
  readonly settings: ConnectionSettings;
  readonly headers: IncomingHttpHeaders;
}

function toRejection(
  status: number,
  { endpoint, message, body, settings, headers }: RejectionDetails,
): RequestRejected {
  const { advice } = settings;
  const details = `${status}${message && `: ${message}`}`;
  const rejection = (kind: ModelErrorKind, ...sentences: readonly string[]) =>
    new RequestRejected(kind, sentences.join(' '), status, body, parseRetryAfter(headers));

  if (status === 429 && isOutOfCredit(body)) {
    return rejection('refused', `${endpoint} reports that the account has no credit left (${details}).`);
  }
  if (status === 429) return rejection('rate_limit', `${endpoint} limits the rate of requests (${details}).`);
  // With these statuses, the same request may work a moment later.
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return rejection('server', `${endpoint} failed (${details}).`);
  }
  if (status === 407) return rejection('refused', `The proxy in front of ${endpoint} requires credentials (407).`);
  if (status === 401) {
    const problem = hasKey(settings.headers) ? 'rejected the API key' : 'requires an API key';
    return rejection('refused', `${endpoint} ${problem} (${details}).`, advice.unauthorized);
  }
  if (status === 403) return rejection('refused', `${endpoint} forbids the request (${details}).`);
  if (status === 404) return rejection('refused', `${endpoint} was not found (${details}).`, advice.unknown);
  return rejection('refused', `${endpoint} refused the request (${details}).`);
}

/** OpenAI answers 429 both to a high rate, where waiting helps, and to an empty account, where it does not. */
function isOutOfCredit(body: unknown): boolean {
  const error = get(body, 'error');
  const code = getString(error, 'code') ?? getString(error, 'type');
  return code === 'insufficient_quota' || code === 'billing_hard_limit_reached';
}

/** `Retry-After` in seconds or as a date, or in milliseconds as OpenAI and Azure send it. */
function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0 && Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** A connection that was never made, or broke. The codes of certificate errors are OpenSSL's, and there are many. */
function connectionError(cause: unknown, url: URL, proxy: string | null, advice: string): ModelError {
  const code = getString(cause, 'code') ?? '';
  const peer = proxy === null ? url.host : `${url.host}, through the proxy ${proxy},`;
  const sentence = () => {
    if (code === 'ECONNREFUSED') return `${peer} does not answer (connection refused).`;
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${peer} was not found on the network (${code}).`;
    if (code === 'ECONNRESET' || code === 'EPIPE') return `${peer} closed the connection before it answered.`;
    if (code.startsWith('HPE_')) {
      return `${peer} answered with something that is not HTTP (${code}). Are port and protocol of the base URL right?`;
    }
    if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(code)) {
      return `${peer} shows a certificate that is not trusted (${code}). Name a file with further authorities in \`NODE_EXTRA_CA_CERTS\`.`;
    }
    return `${peer} cannot be reached${code && ` (${code})`}.`;
  };
  const isDown = code === 'ECONNREFUSED' && proxy === null;
  return new ModelError('connection', isDown ? `${sentence()} ${advice}` : sentence(), { cause });
}
