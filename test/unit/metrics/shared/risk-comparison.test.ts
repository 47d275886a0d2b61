import { describe, expect, it } from 'vitest';
import { compareWithFit } from '../../../../src/metrics/shared/risk-comparison.ts';
import type { RiskSample } from '../../../../src/metrics/shared/risk-fit.ts';
import { coefficientsOf } from '../../../support/risk-coefficients.ts';

/** 60 sessions, one in four failed; the findings are of a rule that is known. */
function samples(hasFinding: (failed: boolean, index: number) => boolean): RiskSample[] {
  return Array.from({ length: 60 }, (_, i) => {
    const failed = i % 4 === 0;
    const findings = hasFinding(failed, i) ? [{ rule: 'error-repeated-unchanged', severity: 'medium' as const }] : [];
    return { domain: 'd', set: 's', family: `f${i}`, findings, length: 500, agreement: null, failed };
  });
}

const CURRENT = coefficientsOf({ intercept: 0, weights: { 'error-repeated-unchanged': 0 } });

describe('compareWithFit', () => {
  it('finds weights better that tell failures the current ones do not, and their risk a probability', () => {
    const { auroc, brier, baseRateBrier, isBetter, coefficients } = compareWithFit(
      samples((failed) => failed),
      CURRENT,
      'ours',
    );
    expect(auroc.current.value).toBe(0.5);
    expect(auroc.fitted.value).toBe(1);
    expect(brier.current.value).toBeCloseTo(0.25);
    expect(baseRateBrier).toBeCloseTo(0.25 * 0.75, 2);
    expect([isBetter, coefficients.isProbability, coefficients.fittedOn]).toEqual([true, true, 'ours']);
    expect(coefficients.weights['error-repeated-unchanged']).toBeGreaterThan(0);
  });

  it('does not find them better where findings have nothing to do with failures and the base is right', () => {
    const current = coefficientsOf({ intercept: Math.log(1 / 3) });
    const { isBetter, auroc } = compareWithFit(
      samples((_, i) => i % 3 === 0),
      current,
      'ours',
    );
    expect(isBetter).toBe(false);
    expect(auroc.difference.interval?.[0]).toBeLessThanOrEqual(0);
  });
});
