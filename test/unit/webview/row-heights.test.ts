import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binarySearch, RowHeights } from '../../../webview/row-heights.ts';

describe('the heights of a long list', () => {
  it('add up as if every row was looked at, whatever was measured', () => {
    const row = fc.record({ index: fc.nat(60), height: fc.integer({ min: 1, max: 900 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 61 }), fc.array(row), (count, measured) => {
        const heights = new RowHeights(count, 100);
        const seen = new Set<number>();
        const plain = Array.from({ length: count }, () => 100);
        for (const { index, height } of measured) {
          const isNews = index < count && (!seen.has(index) || plain[index] !== height);
          expect(heights.set(index, height)).toBe(isNews);
          seen.add(index);
          if (index < count) plain[index] = height;
        }
        let offset = 0;
        for (const [index, height] of plain.entries()) {
          expect(heights.offsetOf(index)).toBe(offset);
          expect(heights.indexAt(offset)).toBe(index);
          expect(heights.indexAt(offset + height - 1)).toBe(index);
          offset += height;
        }
        expect(heights.total).toBe(offset);
        expect(heights.indexAt(offset + 1000)).toBe(count - 1);
      }),
    );
  });

  it('of a million rows are found at once', () => {
    const heights = new RowHeights(1_000_000, 32);
    const started = performance.now();
    for (let index = 0; index < 100_000; index += 1) {
      heights.set(index * 10, 40);
      heights.indexAt(heights.offsetOf(index));
    }
    // A walk over the rows would take minutes.
    expect(performance.now() - started).toBeLessThan(5000);
    expect(heights.total).toBe(32_000_000 + 100_000 * 8);
  });

  it('an empty list has no height', () => {
    const heights = new RowHeights(0, 100);
    expect([heights.total, heights.indexAt(0), heights.offsetOf(5)]).toEqual([0, 0, 0]);
  });
});

describe('the position of a key', () => {
  it('is found among keys that ascend, or is not there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(100)), fc.nat(100), (given, key) => {
        const keys = [...given].sort((a, b) => a - b);
        expect(binarySearch(keys, key)).toBe(keys.indexOf(key));
      }),
    );
  });
});
