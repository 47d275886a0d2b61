import { describe, expect, it } from 'vitest';
import { riskLevel, riskLevelByThirds } from '../../../src/report-model/risk-level.ts';
import { resultOf, unscored } from '../metrics/views.ts';

function risk(score: number, metadata = {}) {
  return resultOf(
    { status: 'scored', score, source: 'rules', reason: null, metadata },
    { scale: 'unit', threshold: null },
  );
}

describe('riskLevel', () => {
  it('is what the result states', () => {
    expect(riskLevel(risk(0.3, { level: 'high' }))).toBe('high');
    expect(riskLevel(risk(0.9, { level: 'low' }))).toBe('low');
  });

  it('goes by thirds of the scale where the result states no known level', () => {
    expect(riskLevel(risk(0.5))).toBe('elevated');
    expect(riskLevel(risk(0.7, { level: 'enormous' }))).toBe('high');
  });

  it('is unknown without a score', () => {
    expect(riskLevel(undefined)).toBeNull();
    expect(riskLevel(unscored('not_applicable'))).toBeNull();
  });
});

describe('riskLevelByThirds', () => {
  it.each([
    [0, 'low'],
    [0.333, 'low'],
    [1 / 3, 'elevated'],
    [0.666, 'elevated'],
    [2 / 3, 'high'],
    [1, 'high'],
  ])('the level of risk %s is %s', (score, level) => {
    expect(riskLevelByThirds(score)).toBe(level);
  });
});
