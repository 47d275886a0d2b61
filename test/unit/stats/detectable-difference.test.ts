import { describe, expect, it } from 'vitest';
import { detectableDifference } from '../../../src/stats/detectable-difference.ts';
import { seeded } from '../../../src/stats/random.ts';
import { signFlipTest } from '../../../src/stats/sign-flip.ts';
import { reference } from './reference.ts';

describe('detectableDifference', () => {
  it.each(reference.detectable)(
    'of $differences.length tasks agrees with SciPy',
    ({ differences, expected, power }) => {
      expect(detectableDifference(differences, 0)).toBeCloseTo(expected, 8);
      expect(power).toBeGreaterThan(0.78);
      expect(power).toBeLessThan(0.83);
    },
  );

  it('is null where no test could show a difference, and where the spread is not known', () => {
    expect(detectableDifference([1, 0, 1, 0, 1], 1)).toBeNull();
    expect(detectableDifference([0, 0, 0, 0, 0, 0], 0)).toBeNull();
  });

  it('is not nothing where no task has changed, and less the more tasks there are', () => {
    const of = (n: number) =>
      detectableDifference(
        Array.from({ length: n }, () => 0),
        1,
      ) ?? Number.NaN;
    // Six of 60 tasks would have to fail for a significant difference.
    expect(of(60)).toBeGreaterThan(0.06);
    expect(of(60)).toBeLessThan(0.12);
    for (let n = 6; n < 300; n += 7) expect(of(n + 1)).toBeLessThan(of(n));
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
