import type { VERDICTS } from './statuses.ts';

export type Verdict = (typeof VERDICTS)[number];

/** Failed if anything is false, else undecided if anything is null, else passed. */
export function verdictOf(met: Iterable<boolean | null>): Verdict {
  let undecided = false;
  for (const value of met) {
    if (value === false) return 'failed';
    if (value === null) undecided = true;
  }
  return undecided ? 'undecided' : 'passed';
}

export const EXIT_CODES = { passed: 0, failed: 1, input: 2, undecided: 3, interrupted: 130 } as const;
