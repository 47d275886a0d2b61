import { describe, expect, it } from 'vitest';
import { excerpt, formatArguments, formatResult, truncate } from '../../../../src/server/text/excerpt.ts';

describe('excerpt', () => {
  it.each([
    ['abc', 3, { text: 'abc', omitted: 0 }],
    ['abcd', 3, { text: 'abc', omitted: 1 }],
    ['', 3, { text: '', omitted: 0 }],
    ['ab🎈d', 3, { text: 'ab', omitted: 3 }],
    ['ab🎈d', 4, { text: 'ab🎈', omitted: 1 }],
  ])('of %j at %i', (text, limit, expected) => {
    expect(excerpt(text, limit)).toEqual(expected);
  });

  it('marks a truncated sentence', () => {
    expect(truncate('abcd', 3)).toBe('abc…');
    expect(truncate('abc', 3)).toBe('abc');
  });
});

describe('formatted arguments and results', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

  it.each([
    [{}, ''],
    [{ id: 'A-1', amount: 42.5, tags: ['a'] }, 'id: "A-1", amount: 42.5, tags: ["a"]'],
    ['not json', 'not json'],
    [JSON.parse('{"__proto__": 1}'), '__proto__: 1'],
    [{ deep }, 'deep: (nested deeper than can be shown)'],
  ])('of a call %#', (given, expected) => {
    expect(formatArguments(given)).toBe(expected);
  });

  it.each([
    ['text', 'text'],
    [{ a: 1 }, '{"a":1}'],
    [null, 'null'],
    [deep, '(nested deeper than can be shown)'],
  ])('of a result %#', (value, expected) => {
    expect(formatResult(value)).toBe(expected);
  });
});
