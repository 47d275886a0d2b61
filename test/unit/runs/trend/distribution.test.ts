import { describe, expect, test } from 'vitest';
import { metricDistributionSchema } from '../../../../src/core/schemas/run-trend.ts';
import { metricDistribution } from '../../../../src/runs/trend/distribution.ts';
import { planMetric, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

describe('the distribution of a metric', () => {
  const run = recordedRun(
    [0.05, 0.15, 0.92, 0.95, 1]
      .map((score, index) => sessionRow({ id: `s${index}`, scores: { quality: score } }))
      .concat(sessionRow({ id: 'unscored' })),
    { plan: { metrics: [planMetric('quality', { threshold: 0.5 })] } },
  );

  test('counts sessions over the scale, those that miss the threshold, and those without a value', () => {
    const distribution = metricDistribution(run, 'quality');
    expect(metricDistributionSchema.safeParse(distribution).success).toBe(true);
    expect(distribution).toMatchObject({ n: 5, missing: 1, missed: 2, median: 0.92, subject: { threshold: 0.5 } });
    expect(distribution?.bins.map(({ count }) => count)).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 3]);
    expect(distribution?.mean).toBeCloseTo(0.614);
  });

  test('of figures without an end lies between the smallest and the largest', () => {
    const costs = recordedRun([1, 2, 11].map((cost, index) => sessionRow({ id: `s${index}`, cost })));
    const { bins = [], median } = metricDistribution(costs, 'cost') ?? {};
    expect([bins[0]?.from, bins.at(-1)?.to, median]).toEqual([1, 11, 2]);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  test('is null for a name without values', () => {
    expect(metricDistribution(run, 'qualty')).toBeNull();
  });
});
