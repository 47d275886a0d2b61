import { PbfReader } from 'pbf';
import { describe, expect, it } from 'vitest';
import { receiveTraces } from '../../../src/receiver/receiver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A receiver in a folder of its own. */
async function receiving() {
  const folder = await temporaryFolder();
  const stop = new AbortController();
  const { promise: port, resolve, reject } = Promise.withResolvers<number>();
  const options = { folder: folder.path, port: 0, maxBytes: 1e9, keepMs: 1e9, quietMs: 60_000 };
  const ended = receiveTraces(options, (news) => news.kind === 'receiving' && resolve(news.port), stop.signal);
  ended.catch(reject);
  const endpoint = `http://127.0.0.1:${await port}`;
  return {
    path: folder.path,
    endpoint,
    post: async (
      signal: 'traces' | 'logs',
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string>,
    ) => {
      const response = await fetch(`${endpoint}/v1/${signal}`, { method: 'POST', body, headers });
      expect(response.status).toBe(200);
      return response;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

const NO_IDS = {
  traces: 'Spans without valid trace and span ids were not taken.',
  logs: 'Log records that belong to no span were not taken: only those of a trace are part of a session.',
} as const;

/** A request with a span or a log record that has no ids: the fields have the same numbers in both. */
const WITHOUT_IDS = {
  json: {
    traces: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{}] }] }] }),
    logs: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{}] }] }] }),
  },
  protobuf: Uint8Array.of(0x0a, 4, 0x12, 2, 0x12, 0),
} as const;

describe('an exporter whose records are not all taken', () => {
  it.each([
    ['traces', 'rejectedSpans'],
    ['logs', 'rejectedLogRecords'],
  ] as const)('is told how many %s, in JSON', async (signal, key) => {
    await using it = await receiving();
    const response = await it.post(signal, WITHOUT_IDS.json[signal], { 'Content-Type': 'application/json' });
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(await response.json()).toEqual({ partialSuccess: { [key]: '1', errorMessage: NO_IDS[signal] } });
  });

  it.each(['traces', 'logs'] as const)('is told how many %s, in protobuf', async (signal) => {
    await using it = await receiving();
    const response = await it.post(signal, WITHOUT_IDS.protobuf, { 'Content-Type': 'application/x-protobuf' });
    expect(response.headers.get('Content-Type')).toBe('application/x-protobuf');
    expect(partialSuccess(await response.arrayBuffer())).toEqual({ rejected: 1, reason: NO_IDS[signal] });
  });
});

/** The field `partial_success` of a response of OTLP. */
function partialSuccess(response: ArrayBuffer): object {
  const read = { rejected: 0, reason: '' };
  new PbfReader(new Uint8Array(response)).readFields((tag, _, pbf) => {
    if (tag !== 1) return;
    pbf.readMessage((inner) => {
      if (inner === 1) read.rejected = pbf.readVarint();
      if (inner === 2) read.reason = pbf.readString();
    }, null);
  }, null);
  return read;
}
