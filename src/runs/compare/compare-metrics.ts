import type { ComparabilityNote, ComparedMetric } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { adjustForFalseDiscovery } from '../../stats/benjamini-hochberg.ts';
import { detectableDifference } from '../../stats/detectable-difference.ts';
import { mcnemar } from '../../stats/mcnemar.ts';
import { bootstrapMeanDifference } from '../../stats/paired-bootstrap.ts';
import { signFlipTest } from '../../stats/sign-flip.ts';
import { withheldBy } from './comparability.ts';
import { type Figure, formatDifference, formatValue, meanOf, relevantDifference, spanOf } from './figures.ts';
import type { TaskPair } from './pairing.ts';

/** A difference with a smaller adjusted p, and an interval without 0, is one. */
export const SIGNIFICANT = 0.05;

/**
 * Compares two runs by every figure. Tasks are what is independent: attempts are averaged within their task, and intervals and
 * tests are over tasks. Pass or fail is tested on the pairs of sessions, by McNemar's exact test; scores and costs, by the
 * sign-flip test of the differences of tasks. Both p values are adjusted together.
 *
 * @param runs all sessions of both: a figure that one of them has, and no task in both, is not comparable; whether every pair
 * has the same content.
 * @returns by name, without figures that no session has
 */
export function compareMetrics(
  tasks: readonly TaskPair[],
  figures: readonly Figure[],
  notes: readonly ComparabilityNote[],
  runs: { readonly sessions: readonly RecordedSession[]; readonly isUnchanged: boolean },
): Record<string, ComparedMetric> {
  const { sessions, isUnchanged } = runs;
  const measured = figures.map((figure) => ({
    ...measure(figure, tasks),
    note: withheldBy(notes, figure.name),
  }));
  const tested = measured.filter(({ note, differences }) => note === null && differences.length > 0);
  const ps = tested.map(({ figure, differences, pairs }) =>
    figure.unit === 'share' ? mcnemar(pairs.lost, pairs.gained).p : signFlipTest(differences),
  );
  const adjusted = new Map(
    adjustForFalseDiscovery(ps).map((pAdjusted, index) => [tested[index], { p: ps[index] ?? 1, pAdjusted }]),
  );
  return Object.fromEntries(
    measured.flatMap((one) => {
      const test = adjusted.get(one);
      const result = test
        ? conclude(one, { ...test, of: tested.length }, isUnchanged)
        : sessions.some((row) => one.figure.of(row) !== null)
          ? notComparable(one, one.note)
          : null;
      return result ? [[one.figure.name, result]] : [];
    }),
  );
}

interface Measured {
  readonly figure: Figure;
  /** After minus before, one of each task with a value in both runs. */
  readonly differences: readonly number[];
  readonly before: ComparedMetric['before'];
  readonly after: ComparedMetric['after'];
  /** Pairs of sessions with two values; of shares, those that are 1 only before, or only after. */
  readonly pairs: { readonly all: number; readonly lost: number; readonly gained: number };
}

function measure(figure: Figure, tasks: readonly TaskPair[]): Measured {
  const differences: number[] = [];
  const sums = { before: 0, after: 0, nBefore: 0, nAfter: 0 };
  const pairs = { all: 0, lost: 0, gained: 0 };
  for (const task of tasks) {
    const [before, after] = [meanOf(figure, task.before), meanOf(figure, task.after)];
    if (!before || !after) continue;
    differences.push(after.mean - before.mean);
    sums.before += before.mean;
    sums.after += after.mean;
    sums.nBefore += before.n;
    sums.nAfter += after.n;
    for (const pair of task.pairs) {
      const [old, now] = [figure.of(pair.before), figure.of(pair.after)];
      if (old === null || now === null) continue;
      pairs.all += 1;
      if (old > now) pairs.lost += 1;
      if (old < now) pairs.gained += 1;
    }
  }
  const count = differences.length;
  return {
    figure,
    differences,
    before: count === 0 ? null : { mean: sums.before / count, n: sums.nBefore },
    after: count === 0 ? null : { mean: sums.after / count, n: sums.nAfter },
    pairs,
  };
}

function notComparable(measured: Measured, note: ComparabilityNote | null): ComparedMetric {
  return {
    ...common(measured),
    conclusion: 'not comparable',
    difference: null,
    ci95: null,
    p: null,
    pAdjusted: null,
    test: null,
    detectable: null,
    reason: note?.reason ?? NO_VALUES,
  };
}

const NO_VALUES = 'No task has a value in both runs.';

function common({ figure, before, after, pairs, differences }: Measured) {
  const { lowerIsBetter, unit, scale } = figure;
  return { pairs: pairs.all, tasks: differences.length, before, after, lowerIsBetter, unit, scale } as const;
}

interface Test {
  readonly p: number;
  readonly pAdjusted: number;
  /** How many metrics were tested. */
  readonly of: number;
}

/** 0 where the mean is no more than what adding floating-point numbers leaves: `+1.3e-17` is no difference. */
function meanDifference(differences: readonly number[]): number {
  const sum = differences.reduce((total, value) => total + value, 0);
  const size = differences.reduce((total, value) => total + Math.abs(value), 0);
  return Math.abs(sum) <= size * differences.length * Number.EPSILON ? 0 : sum / differences.length;
}

function conclude(measured: Measured, test: Test, isUnchanged: boolean): ComparedMetric {
  const { figure, differences, before } = measured;
  const { p, pAdjusted } = test;
  const difference = meanDifference(differences);
  const interval = bootstrapMeanDifference(differences);
  const step = ((spanOf(figure) ?? 0) * differences.length) / Math.max(1, measured.pairs.all);
  const detectable = detectableDifference(differences, step);
  // A comparison that could not have shown one of this size cannot tell.
  const relevant = relevantDifference(figure, before?.mean ?? 0);
  const isClear = pAdjusted < SIGNIFICANT && interval !== null && (interval[0] > 0 || interval[1] < 0);
  const conclusion = isClear
    ? difference > 0 === figure.lowerIsBetter
      ? 'worse'
      : 'better'
    : isSame(measured, isUnchanged) || (detectable !== null && detectable <= relevant)
      ? 'no clear difference'
      : 'cannot tell';
  return {
    ...common(measured),
    conclusion,
    difference,
    ci95: interval && [interval[0], interval[1]],
    p,
    pAdjusted,
    test: figure.unit === 'share' ? 'mcnemar' : 'sign-flip',
    detectable,
    reason: reasonOf(measured, { ...test, conclusion, detectable, relevant, isUnchanged }),
  };
}

/** Whether no task differs, where that says something: of sessions that are the same, or of a figure without bounds. */
function isSame({ figure, differences }: Measured, isUnchanged: boolean): boolean {
  const isTelling = isUnchanged || (spanOf(figure) === null && differences.length >= FEWEST);
  return isTelling && differences.every((difference) => difference === 0);
}

/** Fewer tasks can show nothing. */
const FEWEST = 6;

function reasonOf(
  measured: Measured,
  {
    conclusion,
    detectable,
    relevant,
    p,
    pAdjusted,
    of,
    isUnchanged,
  }: Test &
    Pick<ComparedMetric, 'conclusion' | 'detectable'> & { readonly relevant: number; readonly isUnchanged: boolean },
): string {
  const {
    figure: { unit },
    differences,
    before,
    after,
  } = measured;
  const tasks = pluralize(differences.length, 'task');
  const means =
    before && after
      ? `${formatValue(before.mean, unit)} before, ${formatValue(after.mean, unit)} after over ${tasks}`
      : tasks;
  const chance = `p ${formatP(p)}${of > 1 ? `, ${formatP(pAdjusted)} adjusted to ${of} metrics` : ''}`;
  if (conclusion === 'better' || conclusion === 'worse') return `${means}: beyond chance (${chance}).`;
  if (isSame(measured, isUnchanged)) return `${means}: the same in every task.`;
  if (conclusion === 'no clear difference') {
    return `${means}: within chance (${chance}). A difference of ${formatDifference(detectable ?? 0, unit)} would have shown in 4 of 5 comparisons.`;
  }
  if (detectable === null) {
    return differences.length < FEWEST
      ? `${means}: at least ${FEWEST} tasks are needed.`
      : `${means}: the values do not vary, so that nothing is known of the spread of others.`;
  }
  const needed = relevant === 0 ? null : Math.ceil(differences.length * (detectable / relevant) ** 2);
  const remedy =
    needed === null
      ? ''
      : ` About ${needed.toLocaleString('en')} tasks would show ${formatDifference(relevant, unit)}.`;
  return `${means}: so few show only a difference of ${formatDifference(detectable, unit)} or more (${chance}).${remedy}`;
}

function formatP(p: number): string {
  return p < 0.001 ? '< 0.001' : Number(p.toPrecision(2)).toString();
}
