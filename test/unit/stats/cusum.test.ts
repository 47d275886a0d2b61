import { describe, expect, test } from 'vitest';
import { findDrift } from '../../../src/stats/cusum.ts';
import { seeded } from '../../../src/stats/random.ts';

function normals(count: number, seed: number): number[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
}

function series(values: readonly number[]) {
  return values.map((value) => ({ value, variance: 0 }));
}

describe('drift', () => {
  test('is found some runs after a shift of two standard deviations, in its direction only', () => {
    const values = normals(20, 3).map((value, index) => (index < 12 ? value : value + 2));
    const drift = findDrift(series(values), true);
    expect(drift?.since).toBeGreaterThanOrEqual(11);
    expect(drift?.since).toBeLessThanOrEqual(14);
    expect(Math.abs(drift?.reference ?? 9)).toBeLessThan(1);
    expect(findDrift(series(values), false)).toBeNull();
    expect(findDrift(series(values.map((value) => -value)), false)).toEqual(
      drift && { since: drift.since, reference: -drift.reference },
    );
  });

  test('is over as soon as a value is as good as before', () => {
    const values = [...normals(12, 3), 4, 4, 4, 4, 4];
    expect(findDrift(series(values), true)).not.toBeNull();
    expect(findDrift(series([...values, -0.5]), true)).toBeNull();
  });

  test('becomes the usual level after ten values', () => {
    const values = [...normals(12, 3), ...normals(30, 4).map((value) => value + 6)];
    expect(findDrift(series(values), true)).toBeNull();
  });

  test('is not made by a single stray value, however far', () => {
    expect(findDrift(series([...normals(12, 3), 1e6]), true)).toBeNull();
  });

  test('is not judged before five values', () => {
    expect(findDrift(series([0, 0.1, -0.1, 0, 50]), true)).toBeNull();
    expect(findDrift([], true)).toBeNull();
  });

  test('is not found in values that vary no more than few measurements do', () => {
    const values = [1, 0.98, 1, 0.98, 1, 1, 0.98, 1, 1, 0.98, 1, 0.98, 0.9, 0.9, 0.92, 0.9];
    expect(findDrift(series(values), false)).not.toBeNull();
    expect(
      findDrift(
        values.map((value) => ({ value, variance: 0.05 })),
        false,
      ),
    ).toBeNull();
  });

  test('alarms in at most 1 of 100 unchanged runs', () => {
    let alarmed = 0;
    const SERIES = 60;
    for (let seed = 1; seed <= SERIES; seed += 1) {
      const values = normals(100, seed);
      for (let end = 1; end <= values.length; end += 1)
        if (findDrift(series(values.slice(Math.max(0, end - 30), end)), true)) alarmed += 1;
    }
    expect(alarmed / SERIES).toBeLessThanOrEqual(1);
  });
});
