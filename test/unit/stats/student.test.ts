import { expect, it } from 'vitest';
import { studentCritical } from '../../../src/stats/student.ts';
import { reference, relativeError } from './reference.ts';

it.each(reference.student)(
  't of alpha $alpha at $degrees degrees agrees with SciPy',
  ({ alpha, degrees, expected }) => {
    expect(relativeError(studentCritical(alpha, degrees), expected)).toBeLessThan(1e-8);
  },
);
