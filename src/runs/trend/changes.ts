import type { TrendChange, TrendSubject } from '../../core/run-trend.ts';
import { findChangePoint, type Stratum } from '../../stats/change-point.ts';
import { formatValue } from '../compare/figures.ts';
import type { SegmentValues, TaskValues } from './segments.ts';

/** A change is marked where chance explains it less often than this, over all positions of its segment. */
const SIGNIFICANT = 0.05;

/** The changes of a segment: the clearest first splits it, then each of its sides is searched. In the order of the runs. */
export function findChanges(segment: SegmentValues, subject: TrendSubject): TrendChange[] {
  const strata = toStrata(segment);
  const found: { readonly at: number; readonly p: number }[] = [];
  const search = (from: number, to: number) => {
    const change = findChangePoint(within(strata, from, to), to - from + 1);
    if (!change || change.p > SIGNIFICANT) return;
    const at = from + change.at;
    search(from, at - 1);
    found.push({ at, p: change.p });
    search(at, to);
  };
  search(0, segment.values.length - 1);
  return found.flatMap(({ at, p }, index) => {
    const from = found[index - 1]?.at ?? 0;
    const to = (found[index + 1]?.at ?? segment.values.length) - 1;
    return describeChange(segment, subject, { from, at, to, p }) ?? [];
  });
}

interface FoundChange {
  /** Of the runs of the segment. */
  readonly from: number;
  readonly at: number;
  readonly to: number;
  readonly p: number;
}

function describeChange(
  { values, from: offset }: SegmentValues,
  subject: TrendSubject,
  { from, at, to, p }: FoundChange,
): TrendChange | null {
  const before = meanOverTasks(values.slice(from, at));
  const after = meanOverTasks(values.slice(at, to + 1));
  if (before === null || after === null || before === after) return null;
  const rises = after > before;
  const [low, high] = [before, after].map((value) => formatValue(value, subject.unit));
  return {
    at: offset + at,
    before,
    after,
    from: offset + from,
    to: offset + to,
    p,
    conclusion: rises === subject.lowerIsBetter ? 'worse' : 'better',
    text: `${subject.name} ${rises ? 'rose' : 'fell'} from ${low} to ${high}; unchanged runs show that in ${p < 0.001 ? 'fewer than 1 of 1,000' : `${Math.max(1, Math.round(1000 * p))} of 1,000`} cases`,
  };
}

/** Of several runs, the mean over tasks of the mean of their values; null without values. */
export function meanOverTasks(runs: readonly TaskValues[]): number | null {
  const sums = new Map<string, { sum: number; n: number }>();
  for (const values of runs) {
    for (const [key, own] of values) {
      const known = sums.get(key) ?? { sum: 0, n: 0 };
      for (const value of own) known.sum += value;
      known.n += own.length;
      sums.set(key, known);
    }
  }
  if (sums.size === 0) return null;
  let total = 0;
  for (const { sum, n } of sums.values()) total += sum / n;
  return total / sums.size;
}

/** Values change places within their task only; where the runs have sessions of their own, among all of them. */
export function toStrata({ values, pairing }: Pick<SegmentValues, 'values' | 'pairing'>): Stratum[] {
  const strata = new Map<string, { values: number[]; runs: number[] }>();
  for (const [run, tasks] of values.entries()) {
    for (const [key, own] of tasks) {
      const name = pairing === 'tasks' ? key : '';
      const stratum = strata.get(name) ?? { values: [], runs: [] };
      strata.set(name, stratum);
      for (const value of own) {
        stratum.values.push(value);
        stratum.runs.push(run);
      }
    }
  }
  return [...strata.values()];
}

/** The values of some of the runs, which begin at 0. */
function within(strata: readonly Stratum[], from: number, to: number): Stratum[] {
  return strata.map(({ values, runs }) => {
    const kept = runs.flatMap((run, index) => (run >= from && run <= to ? [index] : []));
    return { values: kept.map((index) => values[index] ?? 0), runs: kept.map((index) => (runs[index] ?? 0) - from) };
  });
}
