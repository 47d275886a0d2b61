import { describe, expect, it } from 'vitest';
import { type SampledCase, sampledShare } from '../../../src/stats/sampled-share.ts';

/** Cases in order: people say yes to every second one, the predictor to all. */
function cases(count: number, isLabelled: (position: number) => boolean): SampledCase[] {
  return Array.from({ length: count }, (_, i) => ({
    order: String(i).padStart(4, '0'),
    prediction: true,
    label: isLabelled(i) ? i % 2 === 0 : null,
  }));
}

describe('sampledShare', () => {
  it('counts the labels of the first cases in random order', () => {
    const { labels, estimate } = sampledShare(cases(200, (i) => i < 60).toReversed(), 50);
    expect([labels, estimate?.estimate]).toEqual([60, 0.5]);
  });

  it('bears a few cases that people leave open', () => {
    expect(
      sampledShare(
        cases(200, (i) => i < 60 && i % 12 !== 0),
        50,
      ).labels,
    ).toBe(55);
  });

  it('leaves out labels of cases that were not drawn', () => {
    expect(
      sampledShare(
        cases(200, (i) => i < 60 || i % 5 === 0),
        50,
      ).labels,
    ).toBeLessThan(70);
    expect(
      sampledShare(
        cases(1000, (i) => i % 2 === 0),
        50,
      ),
    ).toEqual({ labels: 1, estimate: null });
  });

  it('takes cases that are never asked about as predictions only', () => {
    const tuning = { order: null, prediction: false, label: false };
    const { labels, estimate } = sampledShare([...cases(60, () => true), tuning], 50);
    expect([labels, estimate?.estimate]).toEqual([60, 0.5]);
  });
});
