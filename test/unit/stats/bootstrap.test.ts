import { describe, expect, it } from 'vitest';
import { clusterBootstrap, mean } from '../../../src/stats/bootstrap.ts';

describe('clusterBootstrap', () => {
  const share = (some: readonly boolean[]) => some.filter(Boolean).length / some.length;

  it('draws whole clusters: what is the same within them tells less than it seems', () => {
    const apart = Array.from({ length: 40 }, (_, i) => [i % 2 === 0]);
    const together = Array.from({ length: 4 }, (_, i) => Array.from({ length: 10 }, () => i % 2 === 0));
    const width = (clusters: readonly (readonly boolean[])[]) => {
      const [low, high] = clusterBootstrap(clusters, share) ?? [0, 0];
      return high - low;
    };
    expect(width(apart)).toBeCloseTo(0.3, 1);
    expect(width(together)).toBeGreaterThan(0.7);
  });

  it('is the same for the same seed, and leaves out draws without a figure', () => {
    const clusters = [[1], [2], [3]];
    expect(clusterBootstrap(clusters, mean, { seed: 7 })).toEqual(clusterBootstrap(clusters, mean, { seed: 7 }));
    expect(clusterBootstrap(clusters, () => null)).toBeNull();
    expect(clusterBootstrap([[4]], mean)).toEqual([4, 4]);
  });
});
