import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binarySearch, RowHeights } from '../../../webview/row-heights.ts';

describe('RowHeights', () => {
  it('sums heights as a walk over all rows would', () => {
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

  it('finds a row among a million quickly', () => {
    const heights = new RowHeights(1_000_000, 32);
    const started = performance.now();
    for (let index = 0; index < 100_000; index += 1) {
      heights.set(index * 10, 40);
      heights.indexAt(heights.offsetOf(index));
    }
    // Walking over all rows would take minutes.
    expect(performance.now() - started).toBeLessThan(5000);
    expect(heights.total).toBe(32_000_000 + 100_000 * 8);
  });

  it('gives an empty list no height', () => {
    const heights = new RowHeights(0, 100);
    expect([heights.total, heights.indexAt(0), heights.offsetOf(5)]).toEqual([0, 0, 0]);
  });
});

describe('binarySearch', () => {
  it('finds the index of a key in ascending keys, or -1', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(100)), fc.nat(100), (input, key) => {
        const keys = [...input].sort((a, b) => a - b);
        expect(binarySearch(keys, key)).toBe(keys.indexOf(key));
      }),
    );
  });
});
