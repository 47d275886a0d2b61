import { describe, expect, it } from 'vitest';
import type { Result } from '../../../src/core/result.ts';
import { shortfalls, worstShortfall } from '../../../src/report-model/shortfall.ts';

function result(score: number, threshold: number, scale: Result['scale'], parts: Partial<Result> = {}): Result {
  return {
    status: 'scored',
    score,
    label: null,
    labels: [],
    scale,
    threshold,
    passed: false,
    band: null,
    reason: null,
    source: 'rules',
    evidence: [],
    metadata: {},
    ...parts,
  };
}

describe('shortfalls', () => {
  it('measures the distance from the threshold as a share of the scale', () => {
    const found = shortfalls({ unit: result(0.4, 0.5, [0, 1]), likert: result(2, 3, [1, 5]) });
    expect(found.map(({ metric, distance }) => [metric, Number(distance.toFixed(3))])).toEqual([
      ['likert', 0.25],
      ['unit', 0.1],
    ]);
  });

  it('does not rank a count or a duration above a score that is at the end of its scale', () => {
    const found = shortfalls({
      latency: result(5000, 4000, [0, null]),
      accuracy: result(0, 1, [0, 1]),
      calls: result(3, 2, [0, null]),
    });
    expect(found.map(({ metric }) => metric)).toEqual(['accuracy', 'calls', 'latency']);
    expect(found.map(({ distance }) => Number(distance.toFixed(3)))).toEqual([1, 0.333, 0.2]);
  });

  it('keeps the share within 0 and 1 where an open-ended score is far below its threshold', () => {
    const [missing] = shortfalls({ documents: result(0, 5, [0, null]) });
    expect(missing?.distance).toBe(1);
  });

  it('leaves out results that meet their threshold, have none or repeat another result', () => {
    const metrics = {
      met: result(1, 0.5, [0, 1], { passed: true }),
      none: result(0, 0, [0, 1], { threshold: null, passed: null }),
      implied: result(0, 0.5, [0, 1], { implied: true }),
    };
    expect(shortfalls(metrics)).toEqual([]);
    expect(worstShortfall(metrics)).toBeNull();
  });
});

describe('worstShortfall', () => {
  it('is the score farthest from its threshold, without the risk that summarises the others', () => {
    const metrics = {
      turn_risk: result(1, 0.1, [0, 1]),
      near: result(0.4, 0.5, [0, 1]),
      far: result(0.1, 0.5, [0, 1]),
    };
    expect(worstShortfall(metrics)?.metric).toBe('far');
  });
});
