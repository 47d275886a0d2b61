import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RISK_COEFFICIENTS } from '../../../../src/metrics/shared/risk-coefficients.ts';
import { RULES } from '../../../../src/rules/index.ts';
import { coefficientsFile, shippedCoefficients } from '../../../bench/validity/coefficients-file.ts';
import { riskSamples } from '../../../bench/validity/risk-samples.ts';

describe('risk coefficients', () => {
  it('belong to existing rules and never lower the risk', () => {
    const ids = RULES.map(({ id }) => id);
    for (const [rule, weight] of Object.entries(RISK_COEFFICIENTS.weights)) {
      expect(ids).toContain(rule);
      expect(weight).toBeGreaterThanOrEqual(0);
    }
  });
});

const samples = await riskSamples();

describe.skipIf(!samples)('the coefficients file (skipped without ../shared/data)', () => {
  it('matches the output of `npm run calibrate:risk`', () => {
    const path = `${import.meta.dirname}/../../../../src/metrics/shared/risk-coefficients.ts`;
    expect(coefficientsFile(shippedCoefficients(samples ?? []))).toBe(readFileSync(path, 'utf8'));
  });
});
