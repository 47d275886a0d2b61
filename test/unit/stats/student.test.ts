import { expect, it } from 'vitest';
import { studentCritical, studentT95 } from '../../../src/stats/student.ts';
import { reference, relativeError } from './reference.ts';

it.each(reference.student)(
  't of alpha $alpha at $degrees degrees agrees with SciPy',
  ({ alpha, degrees, expected }) => {
    expect(relativeError(studentCritical(alpha, degrees), expected)).toBeLessThan(1e-8);
  },
);

it('has the same t for 95% whenever it is asked for, of each number of degrees its own', () => {
  const degrees = [3, 7, 3, 1, 7];
  expect(degrees.map(studentT95)).toEqual(degrees.map((each) => studentCritical(0.05, each)));
});
