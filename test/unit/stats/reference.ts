import { readFileSync } from 'node:fs';

/** Results of SciPy and NumPy; `test/fixtures/stats/reference.py` made them. */
export const reference = JSON.parse(
  readFileSync(new URL('../../fixtures/stats/reference.json', import.meta.url), 'utf8'),
) as Reference;

interface Reference {
  readonly normal: {
    readonly cdf: readonly { readonly z: number; readonly expected: number }[];
    readonly quantile: readonly { readonly p: number; readonly expected: number }[];
  };
  readonly student: readonly { readonly alpha: number; readonly degrees: number; readonly expected: number }[];
  readonly mcnemar: readonly {
    readonly onlyFirst: number;
    readonly onlySecond: number;
    readonly p: number;
    readonly less: number;
    readonly greater: number;
  }[];
  readonly benjaminiHochberg: readonly { readonly ps: readonly number[]; readonly expected: readonly number[] }[];
  readonly signFlip: {
    readonly exact: readonly { readonly differences: readonly number[]; readonly expected: number }[];
    readonly many: readonly { readonly differences: readonly number[]; readonly expected: number }[];
  };
  readonly bootstrap: readonly {
    readonly differences: readonly number[];
    readonly expected: readonly [number, number];
    readonly exact: boolean;
  }[];
  readonly detectable: readonly {
    readonly differences: readonly number[];
    readonly expected: number;
    readonly power: number;
  }[];
  readonly fisher: readonly {
    /** Successes of trials. */
    readonly first: readonly [number, number];
    readonly second: readonly [number, number];
    readonly p: number;
    readonly less: number;
    readonly greater: number;
  }[];
  readonly wilson: readonly {
    readonly successes: number;
    readonly trials: number;
    readonly expected: readonly [number, number];
  }[];
  readonly changePoint: readonly {
    readonly runs: number;
    readonly strata: readonly { readonly values: readonly number[]; readonly runs: readonly number[] }[];
    readonly at: number;
    readonly p: number;
  }[];
}

/** Relative to the expected value, as it must be for p values far out in a tail. */
export function relativeError(value: number, expected: number): number {
  return value === expected ? 0 : Math.abs(value - expected) / Math.abs(expected);
}
