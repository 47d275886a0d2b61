import { describe, expect, it } from 'vitest';
import { lazy, memoize } from '../../../../src/core/cache/memoize.ts';

describe('once', () => {
  it('works a value out when it is first asked for, and not again', () => {
    let asked = 0;
    const value = lazy(() => {
      asked += 1;
      return undefined;
    });
    expect(asked).toBe(0);
    expect([value(), value()]).toEqual([undefined, undefined]);
    expect(asked).toBe(1);
  });
});

describe('oncePer', () => {
  it('works each key out once', () => {
    const asked: string[] = [];
    const initial = memoize((name: string) => {
      asked.push(name);
      return name[0];
    });
    expect(['get', 'set', 'get', '', ''].map(initial)).toEqual(['g', 's', 'g', undefined, undefined]);
    expect(asked).toEqual(['get', 'set', '']);
  });
});
