import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jaccard, textOrEmpty, wordSet } from '../../../../src/metrics/shared/text.ts';

describe('wordSet', () => {
  it.each([
    ['', []],
    ['__proto__ constructor', ['__proto__', 'constructor']],
    ['𝒜 𝒜𝒷', ['𝒜𝒷']],
    ['a_b c3 3 33', ['a_b', 'c3', '33']],
    ['注文 注', ['注文']],
    ['to be or not to be', []],
  ])('%j', (text, words) => {
    expect([...wordSet(text)]).toEqual(words);
  });

  it('never throws and never repeats a word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(wordSet(`${text} ${text}`)).toEqual(wordSet(text));
      }),
    );
  });
});

describe('jaccard', () => {
  it.each([
    [[], [], 0],
    [['x'], [], 0],
    [['x'], ['x'], 1],
    [['x', 'y'], ['y', 'z', 'w'], 0.25],
  ])('%j and %j', (a, b, expected) => {
    expect(jaccard(new Set(a), new Set(b))).toBe(expected);
    expect(jaccard(new Set(b), new Set(a))).toBe(expected);
  });
});

it.each([
  [null, ''],
  ['', ''],
  [' \n\u00a0', ''],
  [' x ', ' x '],
])('readable(%j) is %j', (text, expected) => {
  expect(textOrEmpty(text)).toBe(expected);
});
