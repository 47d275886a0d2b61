import type { BaselineGate } from '../../core/baseline.ts';
import { signFlipTest } from '../../stats/sign-flip.ts';
import { type BeforeAndAfter, type Proportion, testDrop } from '../../stats/stratified-test.ts';
import type { GateName } from './identity.ts';
import type { TaskFigures } from './run-figures.ts';

/** A task of the baseline and of the run. */
export interface TaskFiguresPair {
  /** As the baseline names it. */
  readonly task: string;
  readonly before: TaskFigures;
  readonly after: TaskFigures;
}

/** A figure of both over the tasks that have it. */
export interface ComparedColumn {
  readonly before: BaselineGate['before'];
  readonly after: BaselineGate['after'];
  readonly tasks: number;
  /** Whether the baseline has it for a task of both. */
  readonly isInBaseline: boolean;
  /** One-sided; null where nothing is known in both. */
  readonly p: number | null;
  /** About the p if nothing passed any more; of a mean, if every task had fallen. */
  readonly smallest: () => number;
  readonly hasFallen: boolean;
  /** Whether no task has another value. */
  readonly isSame: boolean;
  /** The tasks with their own p; empty for a mean. */
  readonly strata: readonly (BeforeAndAfter & { readonly task: string; readonly p: number })[];
}

/** Compares one figure over the tasks, against getting worse. */
export function compareColumn(
  gate: GateName,
  pairs: readonly TaskFiguresPair[],
  lowerIsBetter: boolean,
): ComparedColumn {
  return gate.kind === 'mean' ? compareMeans(gate.name, pairs, lowerIsBetter) : compareShares(gate, pairs);
}

function compareShares({ name, kind }: GateName, pairs: readonly TaskFiguresPair[]): ComparedColumn {
  const known = pairs.flatMap(({ task, before, after }) => {
    const [old, now] = [figureOf(before, kind, name), figureOf(after, kind, name)];
    return old && now ? [{ task, before: old, after: now }] : [];
  });
  const [before, after] = [sum(known.map((one) => one.before)), sum(known.map((one) => one.after))];
  const { p, strata } = testDrop(known);
  const figure = ({ passed, of }: Proportion) => {
    const count = kind === 'passed' ? passed : of - passed;
    return of === 0 ? null : { value: count / of, count, of };
  };
  return {
    before: figure(before),
    after: figure(after),
    tasks: known.length,
    isInBaseline: pairs.some(({ before: old }) => figureOf(old, kind, name) !== null),
    p: known.length === 0 ? null : p,
    smallest: () => smallestP(known),
    hasFallen: known.some((one) => rate(one.after) < rate(one.before)),
    isSame: known.every((one) => rate(one.after) === rate(one.before)),
    strata: known.map((stratum, index) => ({ ...stratum, p: strata[index] ?? 1 })),
  };
}

/** Tasks that are enough to say that a drop would be seen: with more of them, p is only smaller. */
const ENOUGH = 30;

/** The p if nothing passed any more; that of all tasks is no larger. */
function smallestP(known: readonly BeforeAndAfter[]): number {
  const best = known.toSorted((a, b) => b.before.passed - a.before.passed).slice(0, ENOUGH);
  return testDrop(best.map(({ before, after }) => ({ before, after: { ...after, passed: 0 } }))).p;
}

/** The attempts without the label, or without a finding of the rule, pass. */
function figureOf(figures: TaskFigures, kind: GateName['kind'], name: string): Proportion | null {
  if (kind === 'passed') return figures.passed[name] ?? null;
  const has = (kind === 'label' ? figures.labels : figures.rules)[name];
  if (has === null) return null;
  return has === undefined
    ? { passed: figures.attempts, of: figures.attempts }
    : { passed: has.of - has.passed, of: has.of };
}

function rate({ passed, of }: Proportion): number {
  return of === 0 ? 0 : passed / of;
}

function sum(parts: readonly Proportion[]): Proportion {
  return {
    passed: parts.reduce((total, { passed }) => total + passed, 0),
    of: parts.reduce((total, { of }) => total + of, 0),
  };
}

/** A baseline has only the mean of each task, so that the tasks are what is permuted. */
function compareMeans(name: string, pairs: readonly TaskFiguresPair[], lowerIsBetter: boolean): ComparedColumn {
  const known = pairs.flatMap(({ before, after }) => {
    const [old, now] = [before.means[name] ?? null, after.means[name] ?? null];
    return old === null || now === null ? [] : [{ before: old, after: now }];
  });
  // Baselines are rounded to three digits.
  const differences = known.map(({ before, after }) => {
    const difference = after - before;
    return Math.abs(difference) <= 0.006 * Math.abs(before) ? 0 : lowerIsBetter ? -difference : difference;
  });
  const total = differences.reduce((all, difference) => all + difference, 0);
  const twoSided = signFlipTest(differences);
  const mean = (side: 'before' | 'after') =>
    known.length === 0
      ? null
      : { value: known.reduce((all, one) => all + one[side], 0) / known.length, of: known.length };
  return {
    before: mean('before'),
    after: mean('after'),
    tasks: known.length,
    isInBaseline: pairs.some(({ before: old }) => typeof old.means[name] === 'number'),
    p: known.length === 0 ? null : total < 0 ? twoSided / 2 : 1 - twoSided / 2,
    smallest: () => 2 ** -differences.filter((difference) => difference !== 0).length,
    hasFallen: total < 0,
    isSame: differences.every((difference) => difference === 0),
    strata: [],
  };
}
