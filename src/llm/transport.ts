import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { get, getString, parseJson } from '../core/json.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import { proxyFor } from './proxy-environment.ts';
import { errorText } from './server-error.ts';

/** Longest answer that is read, in bytes. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

export interface TransportSettings {
  /** Sent with every request; keys are among them, and appear in no message. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of one request, from its start to the last byte of its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** What a user can do: each is a sentence that follows ours. */
  readonly advice: { readonly unreachable?: string; readonly unknown?: string; readonly unauthorized?: string };
}

/**
 * Posts JSON text and gives the JSON that comes back. One request: no retry, and no redirect is followed, so that nothing
 * is sent to a host that nobody configured.
 *
 * @throws ModelFault for everything that can go wrong, or the signal's reason.
 */
export type Post = (url: URL, body: string, signal: AbortSignal) => Promise<unknown>;

/** A server that refused a request: what it said may tell what to leave out. */
export class RequestRejected extends ModelError {
  readonly status: number;
  /** Private, so that no log prints it with the error: servers repeat what they were sent. */
  readonly #body: unknown;
  constructor(kind: ModelErrorKind, message: string, status: number, body: unknown, retryAfterMs?: number) {
    super(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs });
    this.status = status;
    this.#body = body;
  }

  /** As parsed, or as text where it is not JSON. */
  get body(): unknown {
    return this.#body;
  }
}

/**
 * The URL of a call below a base URL, which may lack its protocol and end in a slash.
 *
 * @throws Error with a sentence where the base URL is none.
 */
export function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = URL.parse(baseUrl.includes('://') ? baseUrl : `http://${baseUrl}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`The base URL of a model is no http or https URL.`);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** To one server: connections stay open between requests. */
export function createTransport({ headers, timeoutMs, advice }: TransportSettings): Post {
  let proxied: Promise<ProxyConnection | null> | undefined;
  return async (url, body, signal) => {
    proxied ??= connectProxy(url);
    const via = await proxied;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await exchange(url, body, {
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        signal: AbortSignal.any([signal, timeout.signal]),
        ...(via && { agent: via.agent }),
      });
      return parseResponse(response, url, headers, advice);
    } catch (cause) {
      signal.throwIfAborted();
      if (timeout.signal.aborted) {
        const seconds = timeoutMs / 1000;
        throw new ModelError('timeout', `${url.host} gave no answer within ${seconds} s. \`timeoutMs\` allows more.`);
      }
      throw cause instanceof ModelError ? cause : connectionError(cause, url, via?.host ?? null, advice.unreachable);
    } finally {
      clearTimeout(timer);
    }
  };
}

interface ProxyConnection {
  readonly agent: Agent;
  readonly host: string;
}

/** Proxies are rare: their code is loaded where the environment names one. */
async function connectProxy(url: URL): Promise<ProxyConnection | null> {
  const proxy = proxyFor(url, process.env);
  if (proxy === null) return null;
  const { proxyAgent } = await import('./proxy-agent.ts');
  return { agent: proxyAgent(proxy, url), host: proxy.host };
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface ExchangeOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly agent?: Agent;
}

function exchange(url: URL, body: string, options: ExchangeOptions): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method: 'POST', ...options }, (response) => {
      readBody(response, url.host).then((text) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      }, reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function readBody(response: IncomingMessage, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > ANSWER_LIMIT) throw new ModelError('no_answer', `${host} sent more than 64 MB, which is no answer.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseResponse(
  { status, headers, text }: RawResponse,
  url: URL,
  sent: Readonly<Record<string, string>>,
  advice: TransportSettings['advice'],
): unknown {
  const place = `${url.host}${url.pathname}`;
  if (status >= 300 && status < 400) throw redirectError(place, url, headers.location);
  const value = parseJson(text);
  if (status >= 200 && status < 300) {
    if (value !== undefined) return value;
    const what = looksLikeHtml(text) ? 'a web page' : text === '' ? 'nothing' : 'something that is not JSON';
    throw new ModelError(
      'no_answer',
      `${place} answered with ${what} where JSON was expected. Is the base URL right, and does no log-in page or proxy stand in between?`,
    );
  }
  const said = looksLikeHtml(text) ? '' : errorText(value ?? text, requestSecrets(url, sent));
  throw toRejection(status, { place, said, body: value ?? text, advice, hasKey: hasKey(sent), headers });
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** Everything of a request that may be a key. What is short in a query is a version or a region. */
function requestSecrets(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const query = [...url.searchParams.values()].filter((value) => value.length >= 16);
  return [...Object.values(headers), ...query, decodeURIComponent(url.password)];
}

function hasKey(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => /^(authorization|api-key|x-api-key)$/i.test(name));
}

function redirectError(place: string, from: URL, location: string | undefined): ModelError {
  const to = location === undefined ? null : URL.parse(location, from.href);
  const target = to ? `${to.host}${to.pathname}` : 'somewhere else';
  return new ModelError(
    'redirect',
    `${place} redirects to ${target}. Redirects are not followed: if that is the right place, make it the base URL.`,
  );
}

interface RejectionDetails {
  readonly place: string;
  readonly said: string;
  readonly body: unknown;
  readonly advice: TransportSettings['advice'];
  readonly hasKey: boolean;
  readonly headers: IncomingHttpHeaders;
}

function toRejection(
  status: number,
  { place, said, body, advice, hasKey, headers }: RejectionDetails,
): RequestRejected {
  const answered = `${status}${said && `: ${said}`}`;
  const sentences = (...all: readonly (string | undefined)[]) => all.filter(Boolean).join(' ');
  const refusal = (kind: ModelErrorKind, ...all: readonly (string | undefined)[]) =>
    new RequestRejected(kind, sentences(...all), status, body, parseRetryAfter(headers));

  if (status === 429 && isOutOfCredit(body)) {
    return refusal('refused', `${place} says that the account has no credit left (${answered}).`);
  }
  if (status === 429) return refusal('rate_limit', `${place} asks to slow down (${answered}).`);
  // What servers answer when the same request may work a moment later.
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return refusal('server', `${place} failed (${answered}).`);
  }
  if (status === 407) return refusal('refused', `The proxy on the way to ${place} asks for credentials (407).`);
  if (status === 401) {
    const key = hasKey ? 'did not accept the key' : 'asks for a key';
    return refusal('refused', `${place} ${key} (${answered}).`, advice.unauthorized);
  }
  if (status === 403) return refusal('refused', `${place} forbids the request (${answered}).`);
  if (status === 404) return refusal('refused', `${place} was not found (${answered}).`, advice.unknown);
  return refusal('refused', `${place} refused the request (${answered}).`);
}

/** OpenAI answers 429 both to haste, where waiting helps, and to an empty account, where it does not. */
function isOutOfCredit(body: unknown): boolean {
  const error = get(body, 'error');
  const code = getString(error, 'code') ?? getString(error, 'type');
  return code === 'insufficient_quota' || code === 'billing_hard_limit_reached';
}

/** `Retry-After` in seconds or as a date, and the same in milliseconds as OpenAI and Azure send it. */
function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** A connection that never stood, or broke. Names of certificates' faults are OpenSSL's, and there are many. */
function connectionError(cause: unknown, url: URL, proxy: string | null, advice: string | undefined): ModelError {
  const code = getString(cause, 'code') ?? '';
  const peer = proxy === null ? url.host : `${url.host}, through the proxy ${proxy},`;
  const sentence = () => {
    if (code === 'ECONNREFUSED') return `${peer} does not answer (connection refused).`;
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${peer} was not found on the network (${code}).`;
    if (code === 'ECONNRESET' || code === 'EPIPE') return `${peer} closed the connection before it had answered.`;
    if (/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)/.test(code)) {
      return `${peer} shows a certificate that is not trusted (${code}). \`NODE_EXTRA_CA_CERTS\` names a file with further authorities.`;
    }
    return `${peer} cannot be reached${code && ` (${code})`}.`;
  };
  const isDown = code === 'ECONNREFUSED' && proxy === null;
  return new ModelError('connection', [sentence(), isDown ? advice : undefined].filter(Boolean).join(' '), { cause });
}
