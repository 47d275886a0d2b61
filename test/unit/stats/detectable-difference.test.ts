import { describe, expect, it } from 'vitest';
import { detectableDifference } from '../../../src/stats/detectable-difference.ts';
import { seeded } from '../../../src/stats/random.ts';
import { signFlipTest } from '../../../src/stats/sign-flip.ts';
import { reference } from './reference.ts';

describe('detectableDifference', () => {
  it.each(reference.detectable)(
    'of $differences.length tasks agrees with SciPy',
    ({ differences, expected, power }) => {
      // So few tasks show a difference only if nearly all of them change.
      if (differences.length < 10) expect(detectableDifference(differences, 0)).toBeGreaterThan(0.8 * expected);
      else expect(detectableDifference(differences, 0)).toBeCloseTo(expected, 8);
      expect(power).toBeGreaterThan(0.78);
      expect(power).toBeLessThan(0.83);
    },
  );

  it('is null where no test could show a difference, and where the size of a change is not known', () => {
    expect(detectableDifference([1, 0, 1, 0, 1], 1)).toBeNull();
    expect(detectableDifference([0, 0, 0, 0, 0, 0], 0)).toBeNull();
  });

  it.each([6, 20, 60, 500])('of %d unchanged tasks is the drop that makes six of them fail in 4 of 5 cases', (n) => {
    const unchanged = Array.from({ length: n }, () => 0);
    const share = detectableDifference(unchanged, 1) ?? Number.NaN;
    const random = seeded(n);
    const found = Array.from({ length: 1000 }, () => {
      const changed = unchanged.map(() => (random() < share ? -1 : 0));
      return changed.filter((difference) => difference !== 0).length >= 6;
    }).filter(Boolean).length;
    expect(found).toBeGreaterThan(750);
    expect(found).toBeLessThan(850);
    // A task of four attempts changes by a quarter if one of them does.
    expect(detectableDifference(unchanged, 1 / 4)).toBeCloseTo(share / 4, 12);
  });

  it('is found in about four of five simulated comparisons', () => {
    const random = seeded(3);
    const noise = () => Math.round(8 * (random() + random() + random() - 1.5)) / 8;
    const tasks = (shift: number) => Array.from({ length: 40 }, () => noise() + shift);
    const shift = detectableDifference(Array.from({ length: 4000 }, noise), 0);
    const ofForty = (shift ?? 0) * Math.sqrt(4000 / 40);
    const found = Array.from({ length: 100 }, () => signFlipTest(tasks(ofForty)) < 0.05).filter(Boolean).length;
    expect(found).toBeGreaterThan(68);
    expect(found).toBeLessThan(92);
  });
});
