import { readFileSync } from 'node:fs';

/** Results of ppi-python and statsmodels; `test/fixtures/stats/ppi-reference.py` made them. */
export const reference = JSON.parse(
  readFileSync(new URL('../../fixtures/stats/ppi-reference.json', import.meta.url), 'utf8'),
) as Reference;

interface Reference {
  readonly ppi: readonly {
    readonly name: string;
    readonly labels: readonly number[];
    readonly predictions: readonly number[];
    readonly unlabelled: readonly number[];
    readonly lambda: number;
    readonly estimate: number;
    readonly interval: readonly [number, number];
  }[];
  readonly kappa: readonly {
    readonly bothYes: number;
    readonly onlyFirst: number;
    readonly onlySecond: number;
    readonly bothNo: number;
    readonly value: number;
    readonly interval: readonly [number, number];
  }[];
}
