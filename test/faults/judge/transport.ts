import { brotliCompressSync, gzipSync } from 'node:zlib';
import { raw, reset, response } from '../../support/stub-models.ts';
import { body, GOOD, type JudgeFault } from './fault.ts';

const CLOSED = /closed the connection before it answered\.$/;
const NOT_HTTP =
  /answered with something that is not HTTP \(HPE_\w+\)\. Are port and protocol of the base URL right\?$/;
const OK = 'HTTP/1.1 200 OK\r\n';
const SPACES = Buffer.alloc(65 * 1024 * 1024, ' ');
const encoded = (name: string, bytes: Uint8Array | string) => response(200, bytes, { 'content-encoding': name });

/** Connections that break, and bytes that are not HTTP or cannot be read. */
export const TRANSPORT_FAULTS: readonly JudgeFault[] = [
  { name: 'a connection that is reset', reply: reset, reason: CLOSED },
  { name: 'a connection that is closed without a word', reply: raw(''), reason: CLOSED },
  { name: 'a connection that is closed in the headers', reply: raw(`${OK}content-le`), reason: CLOSED },
  {
    name: 'a connection that is closed after the headers',
    reply: raw(`${OK}content-length: 99\r\n\r\n`),
    reason: CLOSED,
  },
  {
    name: 'a connection that is closed in the body',
    reply: raw(`${OK}content-length: 99\r\n\r\n{"choices"`),
    reason: CLOSED,
  },
  {
    name: 'a connection that is closed in a chunk',
    reply: raw(`${OK}transfer-encoding: chunked\r\n\r\nff\r\n{"ch`),
    reason: CLOSED,
  },
  {
    name: 'a connection that is reset in the body',
    reply: raw((socket) => {
      socket.write(`${OK}content-length: 99\r\n\r\n{"choices"`, () => socket.destroy());
    }),
    reason: CLOSED,
  },
  { name: 'no HTTP', reply: raw('SSH-2.0-OpenSSH_9.6\r\n'), reason: NOT_HTTP },
  { name: 'HTTP/0.9', reply: raw(GOOD), reason: NOT_HTTP },
  { name: 'a status that is no number', reply: raw('HTTP/1.1 OK\r\n\r\n'), reason: NOT_HTTP },
  { name: 'headers that are too long', reply: raw(`${OK}x: ${'x'.repeat(100_000)}\r\n\r\n`), reason: NOT_HTTP },
  { name: 'a broken chunk', reply: raw(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`), reason: NOT_HTTP },
  {
    name: 'a switch of protocols',
    reply: raw('HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    reason: /switched to another protocol instead of answering\.$/,
  },
  { name: 'a body that is shorter than announced', reply: raw(`${OK}content-length: 4\r\n\r\n{}`), reason: CLOSED },
  {
    name: 'a body of which only the beginning counts',
    reply: raw(`${OK}content-length: 9\r\n\r\n${GOOD}`),
    reason: NOT_HTTP,
  },
  { name: 'more than 64 MB', reply: response(200, SPACES), reason: /sent more than 64 MB, which is not an answer\.$/ },
  {
    name: 'a gzip bomb',
    reply: encoded('gzip', gzipSync(SPACES)),
    reason: /sent more than 64 MB, which is not an answer\.$/,
  },
  {
    name: 'a truncated gzip',
    reply: (provider) => encoded('gzip', gzipSync(JSON.stringify(body(provider, GOOD))).subarray(0, -4)),
    reason: /\(gzip\) that is truncated or damaged\.$/,
  },
  { name: 'a gzip that is none', reply: encoded('gzip', GOOD), reason: /\(gzip\) that is truncated or damaged\.$/ },
  {
    name: 'a damaged gzip',
    reply: (provider) => encoded('gzip', damaged(gzipSync(JSON.stringify(body(provider, GOOD))))),
    reason: /\(gzip\) that is truncated or damaged\.$/,
  },
  {
    name: 'a truncated Brotli',
    reply: (provider) => encoded('br', brotliCompressSync(JSON.stringify(body(provider, GOOD))).subarray(0, -4)),
    reason: /\(br\) that is truncated or damaged\.$/,
  },
  {
    name: 'a deflate that is none',
    reply: encoded('deflate', GOOD),
    reason: /\(deflate\) that is truncated or damaged\.$/,
  },
  {
    name: 'an unknown encoding',
    reply: encoded('compress', GOOD),
    reason: /in the encoding "compress", which cannot be read\.$/,
  },
  {
    name: 'many encodings',
    reply: encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(GOOD)))),
    reason: /in 3 encodings, which cannot be read\.$/,
  },
  {
    name: 'another charset than announced',
    reply: (provider) =>
      response(200, JSON.stringify(body(provider, GOOD)), { 'content-type': 'application/json; charset=utf-16le' }),
    reason: /something that is not JSON/,
  },
];

function damaged(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  return bytes;
}
