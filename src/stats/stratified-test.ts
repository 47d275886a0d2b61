import { hypergeometric } from './hypergeometric.ts';
import { wilsonInterval } from './intervals.ts';

/** Attempts of which each passed or did not. */
export interface Proportion {
  readonly passed: number;
  readonly of: number;
}

/** What one task did before and after a change. */
export interface BeforeAndAfter {
  readonly before: Proportion;
  readonly after: Proportion;
}

export interface DropTest {
  /** The probability of a drop at least as large, in one task or over all of them, if nothing changed. */
  readonly p: number;
  /** The same of each stratum on its own, by Fisher's exact test, one-sided; in their order. */
  readonly strata: readonly number[];
}

/**
 * An exact test whether tasks pass less often than before, by what is possible if the attempts of each task had been exchanged
 * between both sides. With one attempt each it is McNemar's test, with one task Fisher's; both one-sided.
 *
 * It combines the sum over the tasks of `weight x z^2` for each drop of z standard deviations, which sees drops of a few
 * tasks and small drops of many, with the smallest p of a single task. The weight of a task is what the 95 % interval of its
 * attempts before leaves of the unit interval, so that a task whose own attempts disagree counts less.
 */
export function testDrop(strata: readonly BeforeAndAfter[]): DropTest {
  const tables = tablesOf(strata);
  const own = strata.map((stratum, index) => lowerTail(tables[index] ?? [], stratum.after.passed));
  return { p: Math.min(1, sumTail(strata, tables) / SUM, smallestTail(own, tables) / (1 - SUM)), strata: own };
}

/** The share of false alarms that the sum may make; the rest is that of the smallest p, which is small if it is not chance. */
const SUM = 0.8;

/** A possible result of a task after the change. */
interface Cell {
  readonly passed: number;
  readonly probability: number;
  /** `weight x z^2` of a drop, else 0. */
  readonly drop: number;
}

/** By stratum; those with the same totals share one table. */
function tablesOf(strata: readonly BeforeAndAfter[]): (readonly Cell[])[] {
  const known = new Map<string, readonly Cell[]>();
  return strata.map(({ before, after }) => {
    const passed = before.passed + after.passed;
    const key = `${before.of} ${after.of} ${passed}`;
    const table = known.get(key) ?? createTable(before.of, after.of, passed);
    known.set(key, table);
    return table;
  });
}

/** What is possible if `passed` of all attempts pass, and which of them are after the change is chance. */
function createTable(before: number, after: number, passed: number): Cell[] {
  const { low, probabilities } = hypergeometric(after, before, passed);
  const all = before + after;
  const mean = all === 0 ? 0 : (after * passed) / all;
  const variance = all < 2 ? 0 : (mean * (1 - passed / all) * before) / (all - 1);
  return probabilities.map((probability, index) => {
    const k = low + index;
    const [from, to] = wilsonInterval(passed - k, before);
    const drop = k < mean && variance > 0 ? ((1 - (to - from)) * (mean - k) ** 2) / variance : 0;
    return { passed: k, probability, drop };
  });
}

function lowerTail(table: readonly Cell[], observed: number): number {
  const tail = table.reduce((sum, { passed, probability }) => (passed <= observed ? sum + probability : sum), 0);
  return Math.min(1, tail);
}

/**
 * The smallest p, corrected for the search. A task counts only if it could have a p as small: R. E. Tarone (1990), "A Modified
 * Bonferroni Method for Discrete Data".
 */
function smallestTail(own: readonly number[], tables: readonly (readonly Cell[])[]): number {
  const smallest = own.reduce((least, p) => Math.min(least, p), 1);
  const able = tables.filter(([first]) => (first?.probability ?? 1) <= smallest * (1 + 1e-9)).length;
  return Math.min(1, smallest * Math.max(1, able));
}

/** Steps of the sum up to what is usual; above four times as much every sum counts as the same. */
const STEPS = 1024;
const MOST_STEPS = 4 * STEPS;

/** The probability of a sum of drops as large as the observed one, by convolution over the strata, in whole steps. */
function sumTail(strata: readonly BeforeAndAfter[], tables: readonly (readonly Cell[])[]): number {
  const varied = tables.filter((table) => table.length > 1);
  const moments = varied.map((table) => {
    const mean = table.reduce((sum, { drop, probability }) => sum + drop * probability, 0);
    const square = table.reduce((sum, { drop, probability }) => sum + drop ** 2 * probability, 0);
    return { mean, variance: square - mean ** 2 };
  });
  const mean = moments.reduce((sum, moment) => sum + moment.mean, 0);
  const deviation = Math.sqrt(moments.reduce((sum, moment) => sum + moment.variance, 0));
  const step = (mean + 4 * deviation) / STEPS;
  if (!(step > 0)) return 1;
  const inSteps = (drop: number) => Math.round(drop / step);
  const sum = strata.reduce((total, { after }, index) => {
    const cell = tables[index]?.find(({ passed }) => passed === after.passed);
    return total + inSteps(cell?.drop ?? 0);
  }, 0);
  const limit = Math.min(sum, MOST_STEPS);
  if (limit === 0) return 1;

  // The probability of each sum below the limit; what reaches it stays there.
  let below = new Float64Array(limit);
  below[0] = 1;
  let reached = 0;
  for (const table of varied) {
    const next = new Float64Array(limit);
    for (const { drop, probability } of table) {
      const shift = inSteps(drop);
      const kept = Math.max(0, limit - shift);
      for (let at = 0; at < kept; at += 1) next[at + shift] = (next[at + shift] ?? 0) + (below[at] ?? 0) * probability;
      for (let at = kept; at < limit; at += 1) reached += (below[at] ?? 0) * probability;
    }
    below = next;
  }
  return Math.min(1, reached);
}
