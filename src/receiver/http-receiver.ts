import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isObject, parseJson } from '../core/json.ts';
import { isLoopback } from '../core/loopback.ts';
import {
  BrokenMessage,
  decodeRequest,
  encodeResponse,
  encodeStatus,
  type OtlpSignal,
  type PartialSuccess,
} from './otlp-protobuf.ts';

/** An OTLP/HTTP server on this machine alone. Browsers may not use it: a page from anywhere could send to it. */

export interface HttpReceiverOptions {
  /** Takes the content of a request; it counts as received when this resolves. @throws RefusedRequest */
  readonly onRequest: (signal: OtlpSignal, request: unknown) => Promise<PartialSuccess | null>;
  readonly limits?: Partial<ReceiverLimits>;
}

export interface ReceiverLimits {
  /** Of a body as it is sent, and unpacked. */
  readonly bodyBytes: number;
  readonly unpackedBytes: number;
  /** Of all requests that are in progress. */
  readonly totalBytes: number;
  readonly connections: number;
  readonly headersMs: number;
  readonly requestMs: number;
}

const LIMITS: ReceiverLimits = {
  bodyBytes: 16 * 1024 * 1024,
  unpackedBytes: 64 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
  connections: 128,
  headersMs: 5000,
  requestMs: 20_000,
};

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;

/** A request that is answered with an error. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const PATHS: ReadonlyMap<string, OtlpSignal> = new Map([
  ['/v1/traces', 'traces'],
  ['/v1/logs', 'logs'],
]);

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

export class HttpReceiver implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: HttpReceiverOptions;
  readonly #limits: ReceiverLimits;
  #bytes = 0;
  #isStopped = false;

  private constructor(options: HttpReceiverOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    const { headersMs, requestMs, connections } = this.#limits;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: 10_000,
        connectionsCheckingInterval: Math.min(1000, headersMs),
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = connections;
    this.#server.maxHeadersCount = 2 * MAX_HEADERS;
    // Without it, a request that expects something else than to continue is answered by Node.
    this.#server.on('checkExpectation', (request, response) => void this.#answer(request, response));
  }

  /**
   * Listens on the port or, if that is taken, on one of the next ones.
   *
   * @throws the system's error
   */
  static async start(port: number, options: HttpReceiverOptions): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(options);
    for (let next = port; ; next += 1) {
      try {
        await receiver.#listen(next);
        return receiver;
      } catch (error) {
        const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
        if (!isTaken || next - port >= MAX_PORTS || next === 65_535) throw error;
      }
    }
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  #listen(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      this.#server.off('error', reject);
      // Of a connection that could not be accepted.
      this.#server.on('error', () => {});
      resolve();
    });
    return promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isProtobuf = mediaType(request) === PROTOBUF;
    try {
      const signal = checkRequest(request);
      const partial = await this.#receive(signal, request);
      send(response, { status: 200, isProtobuf, body: responseBody(signal, partial, isProtobuf) });
    } catch (error) {
      const refused = error instanceof RefusedRequest ? error : null;
      const message = refused?.message ?? 'The request could not be processed.';
      const status = refused?.status ?? 500;
      const headers = { ...refused?.headers, ...(request.complete ? {} : { Connection: 'close' }) };
      const code = status === 503 ? UNAVAILABLE : INVALID;
      const body = isProtobuf ? encodeStatus(code, message) : JSON.stringify({ code, message });
      send(response, { status, isProtobuf, body, headers });
      // The rest of a body is not waited for.
      if (!request.complete) response.once('finish', () => request.destroy());
    }
  }

  async #receive(signal: OtlpSignal, request: IncomingMessage): Promise<PartialSuccess | null> {
    if (this.#isStopped) throw new RefusedRequest(503, 'Stopped.');
    const body = await this.#readBody(request);
    try {
      const bytes = request.headers['content-encoding'] === 'gzip' ? await this.#unpack(body) : body;
      const value = mediaType(request) === PROTOBUF ? decodeProtobuf(signal, bytes) : decodeJson(bytes);
      if (this.#isStopped) throw new RefusedRequest(503, 'Stopped.');
      return await this.#options.onRequest(signal, value);
    } finally {
      this.#bytes -= body.length;
    }
  }

  /** Its bytes count until they are processed. */
  async #readBody(request: IncomingMessage): Promise<Buffer> {
    const { bodyBytes, totalBytes } = this.#limits;
    const tooLarge = () => new RefusedRequest(413, `A request may have ${megabytes(bodyBytes)}. Send smaller batches.`);
    if (Number(request.headers['content-length'] ?? 0) > bodyBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of request) {
        const bytes: Buffer = chunk;
        length += bytes.length;
        this.#bytes += bytes.length;
        if (length > bodyBytes) throw tooLarge();
        if (this.#bytes > totalBytes) throw new RefusedRequest(503, 'Too much at once.', { 'Retry-After': '1' });
        chunks.push(bytes);
      }
    } catch (error) {
      this.#bytes -= length;
      throw error;
    }
    return Buffer.concat(chunks);
  }

  async #unpack(body: Buffer): Promise<Buffer> {
    const { unpackedBytes } = this.#limits;
    try {
      return await promisify(gunzip)(body, { maxOutputLength: unpackedBytes });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
        throw new RefusedRequest(413, `A request may unpack to ${megabytes(unpackedBytes)}. Send smaller batches.`);
      }
      throw new RefusedRequest(400, 'The body is not valid gzip.');
    }
  }

  /** Nothing is taken any more from now on. Resolves when all connections are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Ports that are tried after the one that was asked for. */
const MAX_PORTS = 20;

/** Codes of `google.rpc.Code`. */
const INVALID = 3;
const UNAVAILABLE = 14;

/** What a browser sends when a page makes a request. `Sec-Fetch-Mode` is not among them: Node's `fetch` sends it. */
const BROWSER_HEADERS = ['origin', 'referer', 'sec-fetch-site'] as const;

/** @throws RefusedRequest for everything that no exporter sends */
function checkRequest({ url = '', method, headers, rawHeaders, httpVersion }: IncomingMessage): OtlpSignal {
  if (rawHeaders.length > 2 * MAX_HEADERS) throw new RefusedRequest(431, `More than ${MAX_HEADERS} headers.`);
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  if (names.filter((name) => name === 'host').length !== 1 || !isLocalHost(headers.host ?? '')) {
    throw new RefusedRequest(403, 'Only requests to localhost or 127.0.0.1 are taken.');
  }
  if (BROWSER_HEADERS.some((name) => headers[name] !== undefined)) {
    throw new RefusedRequest(403, 'Requests of web pages are not taken.');
  }
  const signal = PATHS.get(url);
  if (!signal) {
    const message =
      url === '/v1/metrics'
        ? 'Turnwise takes no metrics. Set OTEL_METRICS_EXPORTER=none.'
        : 'Turnwise takes /v1/traces and /v1/logs.';
    throw new RefusedRequest(404, message);
  }
  if (method !== 'POST') throw new RefusedRequest(405, 'Send with POST.', { Allow: 'POST' });
  const expectsMore = headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
  if (headers.upgrade !== undefined || expectsMore || httpVersion !== '1.1') {
    throw new RefusedRequest(400, 'Send with HTTP/1.1, and nothing else.');
  }
  const type = mediaType({ headers });
  if (type !== PROTOBUF && type !== JSON_TYPE) {
    throw new RefusedRequest(415, `Send ${PROTOBUF} or ${JSON_TYPE} (OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf).`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity') {
    throw new RefusedRequest(415, 'Send without compression, or with gzip.');
  }
  return signal;
}

/** Not a name that someone else's DNS may point to this machine. */
function isLocalHost(host: string): boolean {
  const [, name] = /^([\w.-]+|\[::1\])(?::\d{1,5})?$/.exec(host) ?? [];
  return name !== undefined && (name === 'localhost' || (isLoopback(name) && !name.endsWith('.localhost')));
}

function mediaType({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}

function decodeProtobuf(signal: OtlpSignal, bytes: Buffer): unknown {
  try {
    return decodeRequest(signal, bytes);
  } catch (error) {
    if (error instanceof BrokenMessage) throw new RefusedRequest(400, `Not OTLP in protobuf: ${error.message}`);
    throw error;
  }
}

function decodeJson(bytes: Buffer): unknown {
  const value = parseJson(bytes.toString('utf8'));
  if (!isObject(value)) throw new RefusedRequest(400, 'The body is not an object in JSON, or has too many values.');
  return value;
}

const REJECTED = { traces: 'rejectedSpans', logs: 'rejectedLogRecords' } as const;

function responseBody(signal: OtlpSignal, partial: PartialSuccess | null, isProtobuf: boolean): string | Uint8Array {
  if (isProtobuf) return encodeResponse(partial);
  if (!partial) return '{}';
  const { rejected, reason } = partial;
  return JSON.stringify({ partialSuccess: { [REJECTED[signal]]: String(rejected), errorMessage: reason } });
}

interface Answer {
  readonly status: number;
  readonly isProtobuf: boolean;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

function send(response: ServerResponse, { status, isProtobuf, body, headers = {} }: Answer): void {
  const type = isProtobuf ? PROTOBUF : JSON_TYPE;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(body);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
