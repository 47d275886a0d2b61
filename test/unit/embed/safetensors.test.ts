import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSafetensors } from '../../../src/embed/safetensors.ts';
import { floats, safetensors, withHeader } from '../../support/static-models.ts';

/** The numbers of a tensor with one row. */
function read(dtype: string, data: Buffer, count: number): number[] {
  const tensor = openSafetensors(safetensors({ before: floatTensor(7), x: { dtype, shape: [count], data } }))('x');
  return Array.from({ length: count }, (_, index) => tensor?.at(index) ?? Number.NaN);
}

function floatTensor(...values: readonly number[]) {
  return { dtype: 'F32', shape: [values.length], data: floats(...values) };
}

describe('openSafetensors', () => {
  it('reads numbers of each type', () => {
    expect(read('F64', Buffer.from(Float64Array.of(1 / 3, -0).buffer), 2)).toEqual([1 / 3, -0]);
    expect(read('F32', floats(1.5, -2), 2)).toEqual([1.5, -2]);
    expect(read('I8', Buffer.from(Int8Array.of(-128, 127).buffer), 2)).toEqual([-128, 127]);
    expect(read('I32', Buffer.from(Int32Array.of(-1, 7).buffer), 2)).toEqual([-1, 7]);
    expect(read('I64', Buffer.from(BigInt64Array.of(-1n, 7n).buffer), 2)).toEqual([-1, 7]);
  });

  it('reads numbers of half precision', () => {
    const halves = { 0: 0, 1: 2 ** -24, 1023: 1023 * 2 ** -24, 1024: 2 ** -14, 15360: 1, 13653: 0.333251953125 };
    const more = {
      49152: -2,
      31743: 65504,
      31744: Number.POSITIVE_INFINITY,
      64512: Number.NEGATIVE_INFINITY,
      32256: Number.NaN,
    };
    const cases = Object.entries({ ...halves, ...more });
    const data = Buffer.from(Uint16Array.from(cases, ([bits]) => Number(bits)).buffer);
    expect(read('F16', data, cases.length)).toEqual(cases.map(([, value]) => value));
  });

  it('has no tensor that the header does not name', () => {
    expect(openSafetensors(safetensors({ x: floatTensor(1) }))('toString')).toBeNull();
  });

  const entry = (changes: object) =>
    withHeader(JSON.stringify({ x: { dtype: 'F32', shape: [2], data_offsets: [0, 8], ...changes } }), floats(1, 2));

  it.each([
    ['an empty file', Buffer.alloc(0), 'is no safetensors file, or was cut off'],
    ['a file without a header', Buffer.alloc(8), 'is no safetensors file, or was cut off'],
    ['a header that is longer than the file', Buffer.from('ffffffffffffffff7b7d', 'hex'), 'cut off'],
    ['a header that is no JSON', withHeader('{"x":'), 'its header is not JSON'],
    ['a number without a type', entry({ dtype: 4 }), 'the entry "x" is malformed'],
    ['a type that model2vec does not write', entry({ dtype: 'BF16' }), '"BF16"; it must be one of F64, F32'],
    ['a negative size', entry({ shape: [-2] }), 'the entry "x" is malformed'],
    ['a size that is no whole number', entry({ shape: [1.5] }), 'the entry "x" is malformed'],
    ['one offset', entry({ data_offsets: [0] }), 'the entry "x" is malformed'],
    ['offsets in reverse', entry({ data_offsets: [8, 0] }), '"x" does not have the length that the header says'],
    ['more numbers than bytes', entry({ shape: [3] }), '"x" does not have the length that the header says'],
    ['numbers behind the end', entry({ data_offsets: [8, 16] }), '"x" does not have the length that the header says'],
    ['a size beyond all numbers', entry({ shape: [1e15, 1e15] }), 'the header says'],
  ])('says what is wrong with %s', (_, bytes, message) => {
    expect(() => openSafetensors(bytes)('x')).toThrow(message);
  });

  it('throws nothing but sentences for any bytes', () => {
    const whole = safetensors({ x: floatTensor(1, 2, 3) });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, end) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        try {
          const tensor = openSafetensors(bytes.subarray(0, end))('x');
          const count = tensor?.shape.reduce((product, dimension) => product * dimension, 1) ?? 0;
          for (let index = 0; index < count; index += 1) expect(typeof tensor?.at(index)).toBe('number');
        } catch (error) {
          expect(String(error)).toMatch(/^Error: (is|has) /);
        }
      }),
    );
  });
});
