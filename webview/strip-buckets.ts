import { isAtLeast, type Severity } from '../src/core/severity.ts';
import { type ProblemStrip, stripCell, type TurnCoverage } from '../src/protocol/report.ts';

/** Turns that share one place where there is no room for each. */
export interface Bucket {
  /** Zero-based; the last is in it. */
  readonly first: number;
  readonly last: number;
  /** The riskiest of them: where a person goes who looks closer. */
  readonly worst: number;
  /** Its risk; null where none has one. */
  readonly risk: number | null;
  /** The mean of the risks of all of them that have one. */
  readonly mean: number | null;
  readonly reason: string | null;
  /** Of all of them. */
  readonly failures: number;
  readonly severity: Severity | null;
  /** `waiting`: all of them are. */
  readonly coverage: TurnCoverage;
}

/** @param most how many places there are for the turns from one on, up to and without another. */
export function toBuckets(strip: ProblemStrip, from: number, to: number, most: number): Bucket[] {
  const size = Math.max(1, Math.ceil((to - from) / Math.max(1, most)));
  const buckets: Bucket[] = [];
  for (let first = from; first < to; first += size) buckets.push(toBucket(strip, first, Math.min(to, first + size)));
  return buckets;
}

function toBucket(strip: ProblemStrip, from: number, to: number): Bucket {
  let worst = from;
  let failures = 0;
  let severity: Bucket['severity'] = null;
  let isWaiting = true;
  const risks: number[] = [];
  for (let turn = from; turn < to; turn += 1) {
    failures += strip.failures[turn] ?? 0;
    const risk = strip.risk[turn] ?? null;
    if (risk !== null) risks.push(risk);
    if ((strip.risk[turn] ?? -1) > (strip.risk[worst] ?? -1)) worst = turn;
    const found = strip.severity[turn];
    if (found && (!severity || isAtLeast(found, severity))) severity = found;
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
    failures,
    severity,
    coverage: isWaiting ? 'waiting' : (cell?.coverage ?? 'rules'),
  };
}

/** The worst of each group of values: what is good everywhere else must not hide it. */
export function worstValues(
  values: readonly (number | null)[],
  most: number,
  lowerIsBetter: boolean,
): (number | null)[] {
  const size = Math.max(1, Math.ceil(values.length / Math.max(1, most)));
  const worst: (number | null)[] = [];
  for (let first = 0; first < values.length; first += size) {
    let found: number | null = null;
    for (const value of values.slice(first, first + size)) {
      if (value !== null && (found === null || (lowerIsBetter ? value > found : value < found))) found = value;
    }
    worst.push(found);
  }
  return worst;
}
