import { describe, expect, it } from 'vitest';
import { LruCache } from '../../../../src/core/cache/lru-cache.ts';
import { lazy, memoize, memoizeRecent, memoizeWeak } from '../../../../src/core/cache/memoize.ts';

describe('LruCache', () => {
  it('drops the entry that was used least recently, and says which', () => {
    const cache = new LruCache<string, number>(2);
    expect(cache.set('a', 1)).toBeUndefined();
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    expect(cache.set('c', 3)).toEqual(['b', 2]);
    expect(cache.get('b')).toBeUndefined();
    expect([cache.get('a'), cache.get('c'), cache.size]).toEqual([1, 3, 2]);
  });

  it('replaces the value of a key without dropping another', () => {
    const cache = new LruCache<string, number | undefined>(2);
    cache.set('a', 1);
    cache.set('b', undefined);
    expect(cache.set('a', 2)).toBeUndefined();
    expect(cache.get('b')).toBeUndefined();
    expect(cache.set('c', 3)).toEqual(['a', 2]);
  });

  it('limits the sizes of its entries together, and keeps the newest whatever its size', () => {
    const cache = new LruCache<string, number>(10);
    cache.set('a', 1, 4);
    cache.set('b', 2, 4);
    cache.set('a', 3, 2);
    cache.set('c', 4, 4);
    expect([...cache.values()]).toEqual([2, 3, 4]);
    cache.delete('b');
    cache.set('d', 5, 4);
    expect([...cache.values()]).toEqual([3, 4, 5]);
    cache.set('e', 6, 20);
    expect([...cache.values()]).toEqual([6]);
  });
});

describe('memoizing', () => {
  const counting = () => {
    const calls: unknown[] = [];
    return { calls, compute: (key: unknown) => calls.push(key) };
  };

  it('computes a lazy value once, also when it is undefined', () => {
    let calls = 0;
    const value = lazy(() => {
      calls += 1;
    });
    expect([value(), value(), calls]).toEqual([undefined, undefined, 1]);
  });

  it('computes each key once', () => {
    const { calls, compute } = counting();
    const memoized = memoize(compute);
    expect([memoized('a'), memoized('b'), memoized('a')]).toEqual([1, 2, 1]);
    expect(calls).toEqual(['a', 'b']);
  });

  it('forgets what was not used recently', () => {
    const { calls, compute } = counting();
    const memoized = memoizeRecent(compute, 2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) memoized(key);
    expect(calls).toEqual(['a', 'b', 'c', 'b']);
  });

  it('keeps a value for each object', () => {
    const { calls, compute } = counting();
    const memoized = memoizeWeak<object, number>(compute);
    const [first, second] = [{}, {}];
    expect([memoized(first), memoized(second), memoized(first)]).toEqual([1, 2, 1]);
    expect(calls).toHaveLength(2);
  });
});
