import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cohenKappa } from '../../../src/stats/kappa.ts';
import { reference } from './ppi-reference.ts';

describe('cohenKappa', () => {
  it.each(reference.kappa)('of $bothYes, $onlyFirst, $onlySecond and $bothNo agrees with statsmodels', (table) => {
    const kappa = cohenKappa(table);
    expect(kappa?.value).toBeCloseTo(table.value, 12);
    if (table.onlyFirst + table.onlySecond === 0) return;
    expect(kappa?.interval[0]).toBeCloseTo(table.interval[0], 12);
    expect(kappa?.interval[1]).toBeCloseTo(table.interval[1], 12);
  });

  it('says nothing where one answer is the only one', () => {
    expect(cohenKappa({ bothYes: 20, onlyFirst: 0, onlySecond: 0, bothNo: 0 })).toBeNull();
    expect(cohenKappa({ bothYes: 0, onlyFirst: 0, onlySecond: 0, bothNo: 0 })).toBeNull();
  });

  it('is not certain where raters always agree', () => {
    const kappa = cohenKappa({ bothYes: 20, onlyFirst: 0, onlySecond: 0, bothNo: 10 });
    expect(kappa?.interval[0]).toBeLessThan(0.8);
    expect(kappa?.interval[1]).toBe(1);
  });

  it('is from -1 to 1, inside its interval, and the same with the raters exchanged', () => {
    const count = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(count, count, count, count, (bothYes, onlyFirst, onlySecond, bothNo) => {
        const kappa = cohenKappa({ bothYes, onlyFirst, onlySecond, bothNo });
        if (!kappa) return;
        const [low, high] = kappa.interval;
        expect(low).toBeGreaterThanOrEqual(-1);
        expect(high).toBeLessThanOrEqual(1);
        expect(kappa.value).toBeGreaterThanOrEqual(low - 1e-12);
        expect(kappa.value).toBeLessThanOrEqual(high + 1e-12);
        const exchanged = cohenKappa({ bothYes, onlyFirst: onlySecond, onlySecond: onlyFirst, bothNo });
        expect(exchanged?.value).toBeCloseTo(kappa.value, 10);
        expect(exchanged?.interval[0]).toBeCloseTo(low, 10);
      }),
    );
  });
});
