import { describe, expect, it } from 'vitest';
import { joinWithAnd, limitList, listSome } from '../../../../src/core/text/lists.ts';

it('joins the last item with "and"', () => {
  expect(joinWithAnd([])).toBe('');
  expect(joinWithAnd(['a'])).toBe('a');
  expect(joinWithAnd(['a', 'b'])).toBe('a and b');
  expect(joinWithAnd(['a', 'b', 'c'])).toBe('a, b and c');
});

describe('a long list', () => {
  it('has the first items and the number of the others', () => {
    expect(limitList(['a', 'b', 'c'], 3)).toEqual(['a', 'b', 'c']);
    expect(limitList(['a', 'b', 'c', 'd'], 3)).toEqual(['a', 'b', 'c', '1 more']);
    expect(limitList(['a', 'b'], Number.POSITIVE_INFINITY)).toEqual(['a', 'b']);
  });

  it('describes only the items that are listed', () => {
    const described: number[] = [];
    const describeItem = (item: number) => {
      described.push(item);
      return `#${item}`;
    };
    expect(limitList([1, 2, 3, 4], 2, describeItem)).toEqual(['#1', '#2', '2 more']);
    expect(described).toEqual([1, 2]);
  });

  it('is one text, without "and" where nothing is left out', () => {
    expect(listSome([], 2)).toBe('');
    expect(listSome(['a', 'b'], 2)).toBe('a, b');
    expect(listSome(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  });

  it('names a single other instead of counting it, where two are the fewest', () => {
    expect(listSome(['a', 'b', 'c'], 2, 2)).toBe('a, b, c');
    expect(listSome(['a', 'b', 'c', 'd'], 2, 2)).toBe('a, b and 2 more');
  });
});
