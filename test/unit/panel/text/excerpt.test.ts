import { describe, expect, it } from 'vitest';
import { excerpt, truncate } from '../../../../src/panel/text/excerpt.ts';

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
