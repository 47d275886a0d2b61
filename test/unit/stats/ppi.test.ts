import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LabelledPrediction, ppiMean, ppiShare } from '../../../src/stats/ppi.ts';
import { simulateCoverage } from '../../bench/calibration/simulation.ts';
import { reference } from './ppi-reference.ts';

function pairs(labels: readonly number[], predictions: readonly number[]): LabelledPrediction[] {
  return labels.map((label, i) => ({ label, prediction: predictions[i] ?? Number.NaN }));
}

const bit = fc.constantFrom(0, 1);
const labelled = fc.array(fc.record({ label: bit, prediction: bit }), { minLength: 2, maxLength: 80 });
const unlabelled = fc.array(bit, { minLength: 1, maxLength: 200 });

describe('ppiMean', () => {
  it.each(reference.ppi)('of $name agrees with ppi-python', ({ labels, predictions, unlabelled, ...expected }) => {
    const { lambda, estimate, interval } = ppiMean(pairs(labels, predictions), unlabelled);
    expect(lambda).toBeCloseTo(expected.lambda, 10);
    expect(estimate).toBeCloseTo(expected.estimate, 10);
    expect(interval[0]).toBeCloseTo(expected.interval[0], 10);
    expect(interval[1]).toBeCloseTo(expected.interval[1], 10);
  });

  it('is the mean of the labels where there are no other predictions, or where they tell nothing', () => {
    const few = pairs([1, 0, 1, 1], [1, 0, 1, 1]);
    expect(ppiMean(few, [])).toMatchObject({ estimate: 0.75, lambda: 0 });
    expect(ppiMean(pairs([1, 0, 1, 1], [1, 1, 1, 1]), [1, 1])).toMatchObject({ estimate: 0.75, lambda: 0 });
  });

  it('weighs predictions from 0 to 1', () => {
    fc.assert(
      fc.property(labelled, unlabelled, (few, many) => {
        const { lambda, variance } = ppiMean(few, many);
        expect(lambda).toBeGreaterThanOrEqual(0);
        expect(lambda).toBeLessThanOrEqual(1);
        expect(variance).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('ppiShare', () => {
  it('stays from 0 to 1, and has its estimate in its interval', () => {
    fc.assert(
      fc.property(labelled, unlabelled, (few, many) => {
        const { estimate, interval } = ppiShare(few, many);
        expect(interval[0]).toBeGreaterThanOrEqual(0);
        expect(interval[1]).toBeLessThanOrEqual(1);
        expect(interval[0]).toBeLessThanOrEqual(estimate + 1e-12);
        expect(interval[1]).toBeGreaterThanOrEqual(estimate - 1e-12);
      }),
    );
  });

  it('is the same with pass and fail exchanged', () => {
    fc.assert(
      fc.property(labelled, unlabelled, (few, many) => {
        const own = ppiShare(few, many);
        const other = ppiShare(
          few.map(({ label, prediction }) => ({ label: 1 - label, prediction: 1 - prediction })),
          many.map((prediction) => 1 - prediction),
        );
        expect(other.estimate).toBeCloseTo(1 - own.estimate, 10);
        expect(other.interval[0]).toBeCloseTo(1 - own.interval[1], 10);
      }),
    );
  });

  it('corrects a judge that passes everything that fails half of the time', () => {
    const few = pairs(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : 0)),
      Array.from({ length: 100 }, (_, i) => (i % 10 === 1 ? 0 : 1)),
    );
    const many = Array.from({ length: 1000 }, (_, i) => (i % 10 === 0 ? 0 : 1));
    const { estimate, interval } = ppiShare(few, many);
    expect(estimate).toBeCloseTo(0.5, 2);
    expect(interval[0]).toBeGreaterThan(0.35);
    expect(interval[1]).toBeLessThan(0.65);
  });

  it('is wider than nothing where all labels and predictions agree', () => {
    const few = pairs(Array(50).fill(1), Array(50).fill(1));
    expect(ppiShare(few, [1, 1, 1]).interval[0]).toBeLessThan(0.95);
  });
});

describe('the 95% interval of ppiShare', () => {
  it.each([
    ['good', { passes: 0.7, tpr: 0.95, tnr: 0.9 }, 50, 1000],
    ['lenient', { passes: 0.8, tpr: 0.98, tnr: 0.5 }, 100, 100],
  ])('holds the true share in 93 to 97 % of 2,000 simulations of a %s judge', (_, judge, labels, results) => {
    const { share } = simulateCoverage(judge, { labels, results, rounds: 2000, seed: 20261128 });
    expect(share).toBeGreaterThanOrEqual(0.93);
    expect(share).toBeLessThanOrEqual(0.97);
  });
});
