import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, scanJson } from '../../../src/core/scan-json.ts';

describe('scanJson', () => {
  it.each([
    ['a long id', '{"a": 12345678901234567890}', true],
    ['a negative one', '[-12345678901234567]', true],
    ['the largest exact integer', '[9007199254740991]', false],
    ['the next one', '[9007199254740992]', true],
    ['microseconds', '[1714000000000000]', false],
    ['nanoseconds', '[1714000000000000001]', true],
    ['a long fraction', '[0.12345678901234567]', false],
    ['long digits before a fraction', '[12345678901234567.5]', false],
    ['an exponent', '[12345678901234567e2, 1.5E-1234567890123456789]', false],
    ['digits in a string', '["12345678901234567890", "\\"12345678901234567890"]', false],
    ['digits in a key', '{"12345678901234567890": 1}', false],
    ['one behind a string that ends in a backslash', '["\\\\", 12345678901234567890]', true],
  ])('detects integers that a number would round: %s', (_, text, unsafeInteger) => {
    expect(scanJson(text)).toMatchObject({ tooDeepAt: null, tooManyAt: null, unsafeInteger });
  });

  it.each([
    ['[1, 1e400]', 4],
    ['{"a": -1E+0309}', 7],
    [`[${'9'.repeat(310)}.5]`, 1],
    ['[1e308, 1e-400, 0.1234567890, 12345, 1e30, 0e999, "1e400"]', null],
  ])('finds numbers beyond the range of numbers: %s', (text, infiniteAt) => {
    expect(scanJson(text).infiniteAt).toBe(infiniteAt);
  });

  it('finds where nesting is too deep', () => {
    const prefix = '["[[[[", ';
    expect(scanJson('['.repeat(MAX_DEPTH)).tooDeepAt).toBeNull();
    expect(scanJson(prefix + '{"a":'.repeat(MAX_DEPTH)).tooDeepAt).toBe(prefix.length + 5 * (MAX_DEPTH - 1));
    expect(scanJson('[{}]'.repeat(MAX_DEPTH)).tooDeepAt).toBeNull();
  });

  it('counts values outside of strings, and finds where they are too many', () => {
    expect(scanJson('[1, {"a,[{": "b,,,", "c": []}, "\\",", 2]').values).toBe(7);
    expect(scanJson('[0,0,0,0]', 0, 9, 4)).toMatchObject({ values: 4, tooManyAt: null });
    expect(scanJson('[0,0,0,0]', 0, 9, 3)).toMatchObject({ tooManyAt: 6 });
    expect(scanJson('[[],[],[]]', 0, 10, 3)).toMatchObject({ tooManyAt: 4 });
  });

  it('counts at least half of the values, so that a limit on the count limits the memory', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(2 * scanJson(JSON.stringify(value)).values + 1).toBeGreaterThanOrEqual(count(value));
      }),
    );
  });

  it('scans only its part of the text', () => {
    const text = `12345678901234567890 "open [[[[ ${'['.repeat(2000)}`;
    expect(scanJson(text, 21, 32)).toMatchObject({ tooDeepAt: null, unsafeInteger: false });
  });

  it('agrees with the parsed value', () => {
    const value = fc.jsonValue({ maxDepth: 5 });
    const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    fc.assert(
      fc.property(value, fc.array(integer), (some, integers) => {
        fc.pre(!/\d{16}/.test(JSON.stringify(some)));
        const text = `[${[JSON.stringify(some), ...integers].join(', ')}]`;
        const { unsafeInteger } = scanJson(text);
        expect(unsafeInteger).toBe(integers.some((one) => !Number.isSafeInteger(Number(one))));
      }),
    );
  });
});
