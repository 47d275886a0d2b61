import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { PbfReader } from 'pbf';
import { describe, expect, it } from 'vitest';
import { otlp } from '../../../src/formats/spans/otlp.ts';
import { BrokenMessage, decodeRequest, encodeResponse, encodeStatus } from '../../../src/receiver/otlp-protobuf.ts';

/** Encoded by the SDK and the encoder of `opentelemetry-exporter-otlp-proto-common` 1.45.0 for Python. */
const PYTHON = join(import.meta.dirname, '..', '..', 'fixtures', 'otlp', 'python-sdk-1.45.0.bin');

describe('requests in protobuf', () => {
  it('of the Python SDK become what its JSON would be', async () => {
    const request = decodeRequest('traces', await readFile(PYTHON));
    expect(request).toMatchObject({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'refunds' } }, {}] },
          scopeSpans: [{ scope: { name: 'refund-agent', version: '0.3' }, spans: [{}, {}, {}, {}] }],
        },
      ],
    });
    const text = JSON.stringify(request);
    expect(text).toContain('"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}');
    expect(text).toContain('"key":"gen_ai.request.temperature","value":{"doubleValue":0.5}');
    expect(text).toContain('{"arrayValue":{"values":[{"stringValue":"stop"}]}}');
    expect(text).toMatch(/"startTimeUnixNano":"\d{19}"/);
    const { sessions } = otlp.read({ file: 'a.json', value: request, lines: false });
    expect(sessions).toMatchObject([
      {
        id: 'conv-python',
        turns: [
          {
            input: 'Please refund order A-1.',
            output: 'Your refund was issued.',
            steps: [{}, { type: 'tool', name: 'refund', error: 'the refund failed' }, {}],
          },
        ],
      },
    ]);
  });

  it('are refused when they are cut anywhere but between values', async () => {
    const bytes = await readFile(PYTHON);
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => decodeRequest('traces', bytes.subarray(0, length)), String(length)).toThrow(BrokenMessage);
    }
  });

  it('are decoded or refused, whatever they are', async () => {
    const bytes = await readFile(PYTHON);
    const mutant = fc.tuple(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }));
    const decode = (body: Uint8Array) => {
      try {
        decodeRequest('traces', body);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMessage);
      }
    };
    fc.assert(
      fc.property(mutant, ([changes]) => {
        const body = Uint8Array.from(bytes);
        for (const [at, value] of changes) body[at] = value;
        decode(body);
      }),
      { numRuns: 3000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decode), { numRuns: 3000 });
  });

  it('are refused when values are nested without end', () => {
    // ArrayValue in AnyValue, each around the one before.
    let value: number[] = [];
    for (let depth = 0; depth < 301; depth += 1) value = field(depth % 2 === 0 ? 5 : 1, value);
    const attribute = field(1, field(1, [...field(1, [0x61]), ...field(2, value)]));
    expect(() => decodeRequest('traces', Uint8Array.from(field(1, attribute)))).toThrow('nested more than 100 deep');
  });
});

/** A field of bytes. */
function field(number: number, bytes: readonly number[]): number[] {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return [(number << 3) | 2, ...length, ...bytes];
}

describe('responses in protobuf', () => {
  it('are empty when everything was taken', () => {
    expect(encodeResponse(null)).toHaveLength(0);
  });

  it('say what was rejected', () => {
    const reader = new PbfReader(encodeResponse({ rejected: 3, reason: 'no ids' }));
    const read: unknown[] = [];
    reader.readFields((tag, _, pbf) => {
      read.push(
        tag,
        pbf.readMessage((inner, list: unknown[]) => list.push(inner === 1 ? pbf.readVarint() : pbf.readString()), []),
      );
    }, null);
    expect(read).toEqual([1, [3, 'no ids']]);
  });

  it('have a code and a message when a request is refused', () => {
    const reader = new PbfReader(encodeStatus(3, 'why'));
    const read: unknown[] = [];
    reader.readFields((tag, _, pbf) => void read.push(tag, tag === 1 ? pbf.readVarint() : pbf.readString()), null);
    expect(read).toEqual([1, 3, 2, 'why']);
  });
});
