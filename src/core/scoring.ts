/** Comparisons with thresholds tolerate the last bits of a sum. */
const EPSILON = 1e-9;

export function meetsThreshold(score: number, threshold: number, lowerIsBetter = false): boolean {
  return lowerIsBetter ? score <= threshold + EPSILON : score >= threshold - EPSILON;
}

export interface Coverage {
  readonly scored: number;
  readonly of: number;
}

/** scored / (scored + error + cancelled + needs_*); `vacuous` and `not_applicable` are outside it. */
export function coverage(results: Iterable<{ readonly status: string } | undefined>): Coverage {
  let scored = 0;
  let of = 0;
  for (const result of results) {
    if (!result || result.status === 'vacuous' || result.status === 'not_applicable') continue;
    of += 1;
    if (result.status === 'scored') scored += 1;
  }
  return { scored, of };
}
