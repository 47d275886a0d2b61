import { isAtLeast, type Severity } from '../src/core/severity.ts';
import { type ProblemStrip, type StripCell, stripCell } from '../src/protocol/report.ts';

/** A group of turns that share one cell when there are too many for a cell each. */
export interface Bucket {
  /** Zero-based; `last` is inclusive. */
  readonly first: number;
  readonly last: number;
  /** The turn with the highest risk, which opens on click. */
  readonly worst: number;
  /** The risk of `worst`; null if no turn has a risk. */
  readonly risk: number | null;
  /** The mean risk of the turns that have one. */
  readonly mean: number | null;
  readonly reason: string | null;
  /** The number of problems in all turns. */
  readonly problems: number;
  readonly severity: Severity | null;
  /** The coverage of `worst`; `waiting` only if all turns are. */
  readonly coverage: StripCell['coverage'];
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
  let severity: Bucket['severity'] = null;
  let isWaiting = true;
  const risks: number[] = [];
  for (let turn = from; turn < to; turn += 1) {
    problems += strip.problems[turn] ?? 0;
    const risk = strip.risk[turn] ?? null;
    if (risk !== null) risks.push(risk);
    if ((strip.risk[turn] ?? -1) > (strip.risk[worst] ?? -1)) worst = turn;
    const turnSeverity = strip.severity[turn];
    if (turnSeverity && (!severity || isAtLeast(turnSeverity, severity))) severity = turnSeverity;
    if (strip.coverage[turn] !== 'waiting') isWaiting = false;
  }
  const cell = stripCell(strip, worst);
  return {
    first: from,
    last: to - 1,
    worst,
    risk: cell?.risk ?? null,
    mean: risks.length === 0 ? null : risks.reduce((sum, risk) => sum + risk, 0) / risks.length,
    reason: cell?.reason ?? null,
    problems,
    severity,
    coverage: isWaiting ? 'waiting' : (cell?.coverage ?? 'rules'),
  };
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
