import { describe, expect, it } from 'vitest';
import { foldsByFamily } from '../../../src/stats/folds.ts';

describe('foldsByFamily', () => {
  it('never parts a family, and fills the folds alike', () => {
    const families = [...'aaaaaaabbbbccccddeefghij'];
    const folds = foldsByFamily(families, 3);
    const sizes = [0, 1, 2].map((fold) => families.filter((family) => folds.get(family) === fold).length);
    expect(sizes).toEqual([8, 8, 8]);
    expect(foldsByFamily(families, 3, 1)).not.toEqual(folds);
  });
});
