import { isAtLeast, type Severity } from '../src/core/severity.ts';
import type { ProblemStrip } from '../src/protocol/report.ts';

/** A group of turns that share one cell when there are too many for a cell each. */
export interface Bucket {
  /** Zero-based; `last` is inclusive. */
  readonly first: number;
  readonly last: number;
  /** The first turn with the most severe problem, which opens on click; else the first turn. */
  readonly worst: number;
  /** The number of problems in all turns. */
  readonly problems: number;
  readonly severity: Severity | null;
  /** `waiting` only if all turns are; `failed` if any is. */
  readonly coverage: ProblemStrip['coverage'][number];
}

/** Groups the turns from `from` (inclusive) to `to` (exclusive). @param most the maximum number of groups. */
export function toBuckets(strip: ProblemStrip, from: number, to: number, most: number): Bucket[] {
  const size = Math.max(1, Math.ceil((to - from) / Math.max(1, most)));
  const buckets: Bucket[] = [];
  for (let first = from; first < to; first += size) buckets.push(toBucket(strip, first, Math.min(to, first + size)));
  return buckets;
}

function toBucket(strip: ProblemStrip, from: number, to: number): Bucket {
  let worst = from;
  let problems = 0;
  let severity: Severity | null = null;
  const coverage = new Set<Bucket['coverage']>();
  for (let turn = from; turn < to; turn += 1) {
    problems += strip.problems[turn] ?? 0;
    coverage.add(strip.coverage[turn] ?? 'waiting');
    const own = strip.severity[turn] ?? null;
    if (own === null || (severity && isAtLeast(severity, own))) continue;
    severity = own;
    worst = turn;
  }
  const state = (['failed', 'judged', 'rules'] as const).find((one) => coverage.has(one)) ?? 'waiting';
  return { first: from, last: to - 1, worst, problems, severity, coverage: state };
}

/** The worst value of each group, so that good values around it do not hide it. */
export function worstValues(
  values: readonly (number | null)[],
  most: number,
  lowerIsBetter: boolean,
): (number | null)[] {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, most)));
  const worst: (number | null)[] = [];
  for (let first = 0; first < values.length; first += size) {
    let groupWorst: number | null = null;
    for (const value of values.slice(first, first + size)) {
      if (value !== null && (groupWorst === null || (lowerIsBetter ? value > groupWorst : value < groupWorst)))
        groupWorst = value;
    }
    worst.push(groupWorst);
  }
  return worst;
}
