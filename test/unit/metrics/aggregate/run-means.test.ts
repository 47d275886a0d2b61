import { describe, expect, it } from 'vitest';
import type { ResultsByMetric, TurnReport } from '../../../../src/core/report.ts';
import { planMetrics } from '../../../../src/engine/plan.ts';
import { runMeans } from '../../../../src/metrics/aggregate/run-means.ts';
import { resultsByMetric, totalCoverage } from '../../../../src/report-model/run-coverage.ts';
import { configuration, counting, scripted } from '../../engine/support.ts';
import * as build from '../../reports/report.ts';

const PLAN = planMetrics([scripted('m', {}), counting('s', ['m'])], configuration({ metrics: ['m', 's'] }));

function session(turns: readonly ResultsByMetric[], metrics: ResultsByMetric = {}) {
  return { turns: turns.map((own, index): TurnReport => build.turn(index, own)), metrics };
}

describe('the mean of a turn metric over the run', () => {
  const means = runMeans(
    [
      session([{ m: build.scored(1) }, { m: build.scored(0.5) }], { m: build.scored(0.75) }),
      session([{ m: build.scored(0) }, { m: build.unscored('error') }], { m: build.scored(0) }),
    ],
    PLAN,
  );

  it('counts each scored turn once and not the means of its sessions', () => {
    expect(means.m).toMatchObject({
      status: 'scored',
      score: 0.5,
      source: 'aggregate',
      threshold: 0.5,
      passed: true,
      metadata: { n: 3, coverage: 0.75, sd: 0.5 },
    });
  });

  it('has a 95% interval that takes sessions as independent, within the scale', () => {
    // Deviations sum to 0.5 and -0.5; the standard error is 1 / 3, and t of one degree is 12.7.
    expect(means.m?.metadata.ci95).toEqual([0, 1]);
    const wide = Array.from({ length: 8 }, (_, index) => session([], { s: build.scored(index % 2) }));
    const [low = 0, high = 0] = (runMeans(wide, PLAN).s?.metadata.ci95 ?? []) as number[];
    // Of eight independent scores: 0.5 -+ 2.3646 * 0.53452 / sqrt(8).
    expect([low, high]).toEqual([expect.closeTo(0.05313, 4), expect.closeTo(0.94687, 4)]);
  });

  it('has no interval for a single session', () => {
    const one = runMeans([session([{ m: build.scored(1) }, { m: build.scored(0) }])], PLAN);
    expect(one.m?.metadata).toMatchObject({ n: 2, ci95: null });
  });
});

it('leaves out metrics without a score and results that are only implied', () => {
  const metrics = { s: build.unscored('needs_judge'), m: build.scored(1, { implied: true }) };
  expect(runMeans([session([], metrics)], PLAN)).toEqual({});
});

it('includes scores of the trace that are no metric of the run', () => {
  const reward = { ...build.scored(0.5, { threshold: null, range: null }), source: 'imported' as const };
  expect(runMeans([session([], { reward })], PLAN).reward).toMatchObject({ score: 0.5, scale: null, threshold: null });
});

it('has the share of sessions resolved at first contact', () => {
  const resolved = (score: number, first_contact: boolean) => ({
    resolution_rate: { ...build.scored(score), metadata: { first_contact } },
  });
  const means = runMeans(
    [session([], resolved(1, true)), session([], resolved(1, false)), session([], resolved(0, false))],
    PLAN,
  );
  expect(means.resolution_rate?.metadata.first_contact_rate).toBeCloseTo(1 / 3);
});

it('is not counted again in the coverage of the run', () => {
  const sessions = [
    build.session('a', [build.turn(0, { m: build.scored(1) })], {
      metrics: { m: build.scored(1), s: build.scored(1) },
    }),
  ];
  const report = build.report({
    sessions,
    metrics: { m: build.scored(1), s: build.scored(1), completion_rate: build.scored(1) },
  });
  expect(totalCoverage(resultsByMetric(report))).toEqual({ scored: 3, of: 3 });
});
