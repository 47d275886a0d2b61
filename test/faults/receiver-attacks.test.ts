import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpReceiver } from '../../src/receiver/http-receiver.ts';

const LIMITS = {
  bodyBytes: 64 * 1024,
  unpackedBytes: 256 * 1024,
  totalBytes: 128 * 1024,
  connections: 20,
  headersMs: 300,
  requestMs: 600,
};

const HOST = 'Host: 127.0.0.1:4318';
const JSON_TYPE = 'Content-Type: application/json';
const PROTOBUF = 'Content-Type: application/x-protobuf';
const GZIP = 'Content-Encoding: gzip';

interface RawRequest {
  readonly line?: string;
  readonly headers: readonly string[];
  readonly body?: string | Uint8Array;
  /** Without it, that of the body. */
  readonly length?: number;
}

/** A request that is refused, and with what. Null: the connection is closed without an answer, or with one of Node's. */
type Attack = readonly [name: string, request: RawRequest, status: number | null];

const json = (...more: string[]) => [HOST, JSON_TYPE, ...more];

const ATTACKS: readonly Attack[] = [
  // A page whose name was bound to this machine, or that sends to it.
  ['a host that was bound to this machine', { headers: ['Host: evil.example', JSON_TYPE] }, 403],
  ['a host with a port that was bound to this machine', { headers: ['Host: evil.example:4318', JSON_TYPE] }, 403],
  ['a host that begins like this machine', { headers: ['Host: 127.0.0.1.evil.example', JSON_TYPE] }, 403],
  ['a host that begins like localhost', { headers: ['Host: localhost.evil.example', JSON_TYPE] }, 403],
  ['a host that ends like localhost', { headers: ['Host: evil.localhost', JSON_TYPE] }, 403],
  ['a user in the host', { headers: ['Host: evil.example@127.0.0.1', JSON_TYPE] }, 403],
  ['the address of all interfaces', { headers: ['Host: 0.0.0.0:4318', JSON_TYPE] }, 403],
  ['an empty host', { headers: ['Host:', JSON_TYPE] }, 403],
  ['no host', { headers: [JSON_TYPE] }, 400],
  ['two hosts', { headers: [HOST, 'Host: evil.example', JSON_TYPE] }, 403],
  ['the origin of a page', { headers: json('Origin: https://evil.example') }, 403],
  ['the origin of a page of this machine', { headers: json('Origin: http://127.0.0.1:4318') }, 403],
  ['the origin of a sandboxed frame', { headers: json('Origin: null') }, 403],
  ['a request that a browser marked', { headers: json('Sec-Fetch-Site: cross-site') }, 403],
  ['a page in the referer', { headers: json('Referer: https://evil.example/') }, 403],
  ['a preflight request', { line: 'OPTIONS /v1/traces', headers: [HOST, 'Access-Control-Request-Method: POST'] }, 405],
  ['a simple request of a form', { headers: [HOST, 'Content-Type: text/plain'] }, 415],
  ['no type', { headers: [HOST] }, 415],
  // Paths and methods.
  ['GET', { line: 'GET /v1/traces', headers: json() }, 405],
  ['DELETE', { line: 'DELETE /v1/traces', headers: json() }, 405],
  ['TRACE', { line: 'TRACE /v1/traces', headers: json() }, 405],
  ['CONNECT', { line: 'CONNECT evil.example:443', headers: [HOST] }, null],
  ['a path out of the folder', { line: 'POST /v1/traces/../../etc/passwd', headers: json() }, 404],
  ['an encoded path', { line: 'POST /v1%2ftraces', headers: json() }, 404],
  ['a whole address', { line: 'POST http://evil.example/v1/traces', headers: json() }, 404],
  ['metrics', { line: 'POST /v1/metrics', headers: json() }, 404],
  ['an upgrade to a socket', { headers: json('Connection: Upgrade', 'Upgrade: websocket') }, 400],
  ['an expectation', { headers: json('Expect: the-unexpected') }, 400],
  // Bodies.
  ['a body that is longer than allowed', { headers: json(), body: ' '.repeat(LIMITS.bodyBytes + 1) }, 413],
  ['a length beyond every limit', { headers: json(), length: 1e12 }, 413],
  ['two lengths', { headers: json('Content-Length: 5', 'Content-Length: 6'), body: '{}' }, 400],
  ['a length and chunks', { headers: json('Transfer-Encoding: chunked'), body: '0\r\n\r\n' }, 400],
  ['an unpacked body without end', { headers: json(GZIP), body: gzipSync(Buffer.alloc(8 * 1024 * 1024)) }, 413],
  ['a body that is no gzip', { headers: json(GZIP), body: '{}' }, 400],
  ['another compression', { headers: json('Content-Encoding: br'), body: '{}' }, 415],
  ['two compressions', { headers: json('Content-Encoding: gzip, gzip'), body: '{}' }, 415],
  ['broken JSON', { headers: json(), body: '{"resourceSpans":[' }, 400],
  ['JSON without end', { headers: json(), body: '['.repeat(60_000) }, 400],
  ['JSON that is no object', { headers: json(), body: '[]' }, 400],
  ['broken protobuf', { headers: [HOST, PROTOBUF], body: Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0x7f, 0x0a) }, 400],
  ['protobuf with a length that overflows', { headers: [HOST, PROTOBUF], body: Buffer.alloc(64, 0xff) }, 400],
  // Headers.
  ['more headers than allowed', { headers: json(...Array.from({ length: 80 }, (_, at) => `X-${at}: 1`)) }, 431],
  ['headers without end', { headers: json(`X: ${'x'.repeat(20_000)}`) }, 431],
  ['a broken header', { headers: json('X : smuggled\r\n folded') }, null],
  ['an old version of HTTP', { line: 'POST /v1/traces HTTP/1.0', headers: json(), body: '{}' }, 400],
];

describe('a receiver', () => {
  let taken = 0;
  let receiver: HttpReceiver;
  beforeAll(async () => {
    receiver = await HttpReceiver.start(0, {
      limits: LIMITS,
      onRequest: async () => {
        taken += 1;
        return null;
      },
    });
  });
  afterAll(() => receiver[Symbol.asyncDispose]());

  it.each(ATTACKS)('refuses %s', async (_, request, status) => {
    const before = taken;
    const answer = await send(receiver.port, request);
    expect(taken).toBe(before);
    const answered = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
    if (status === null) expect(answered === 0 || answered >= 400, answer).toBe(true);
    else expect(answered, answer).toBe(status);
    expect(answer).not.toMatch(/access-control/i);
    await expectAlive(receiver.port);
  });

  it('closes connections that send their headers too slowly', async () => {
    const answer = await trickle(receiver.port, [`POST /v1/traces HTTP/1.1\r\n${HOST}\r\n`]);
    expect(answer).toMatch(/^(HTTP\/1\.1 408|$)/);
    await expectAlive(receiver.port);
  });

  it('closes connections that send their body too slowly', async () => {
    const before = taken;
    const head = `POST /v1/traces HTTP/1.1\r\n${json().join('\r\n')}\r\nContent-Length: 100\r\n\r\n{`;
    expect(await trickle(receiver.port, [head])).toMatch(/^(HTTP\/1\.1 408|$)/);
    expect(taken).toBe(before);
    await expectAlive(receiver.port);
  });

  it('refuses a body in chunks that is longer than allowed', async () => {
    const before = taken;
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const head = `POST /v1/traces HTTP/1.1\r\n${json().join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await trickle(receiver.port, [head, ...Array.from({ length: 6 }, () => chunk)])).toMatch(
      /^(HTTP\/1\.1 413|$)/,
    );
    expect(taken).toBe(before);
    await expectAlive(receiver.port);
  });

  it('accepts so many connections and no more, and others again afterwards', async () => {
    const sockets = Array.from({ length: 3 * LIMITS.connections }, () => connect(receiver.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    // Those beyond the limit are closed at once, the others when they do not send headers.
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    await expectAlive(receiver.port);
  });

  it('takes requests of all names of this machine', async () => {
    for (const host of ['127.0.0.1:4318', 'localhost:4318', 'localhost', '[::1]:4318', '127.0.0.2']) {
      const answer = await send(receiver.port, { headers: [`Host: ${host}`, JSON_TYPE], body: '{}' });
      expect(answer, host).toContain('HTTP/1.1 200 ');
    }
  });
});

async function expectAlive(port: number): Promise<void> {
  const answer = await send(port, { headers: json(), body: '{}' });
  expect(answer).toContain('HTTP/1.1 200 OK');
}

/** The answer to a request that is sent as it is. */
async function send(
  port: number,
  { line = 'POST /v1/traces', headers, body = '', length }: RawRequest,
): Promise<string> {
  const version = line.includes(' HTTP/') ? '' : ' HTTP/1.1';
  const hasLength = headers.some((header) => header.startsWith('Content-Length'));
  const own = hasLength ? [] : [`Content-Length: ${length ?? Buffer.byteLength(body)}`];
  const close = headers.some((header) => header.startsWith('Connection')) ? [] : ['Connection: close'];
  const head = `${line}${version}\r\n${[...headers, ...own, ...close].join('\r\n')}\r\n\r\n`;
  return answerTo(port, (socket) => {
    socket.write(head);
    socket.write(body);
  });
}

function trickle(port: number, parts: readonly string[]): Promise<string> {
  return answerTo(port, (socket) => {
    for (const part of parts) socket.write(part);
  });
}

async function answerTo(port: number, write: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  // The receiver may close a connection that still sends.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  write(socket);
  await closed;
  return answer;
}
