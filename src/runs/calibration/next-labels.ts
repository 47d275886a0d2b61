import { isSameIdentity, type JudgeLabel } from '../../core/judge-labels.ts';
import { labelId, labelOrder } from '../../core/label-ids.ts';
import type { JudgedMetric, JudgedResult } from './judged-results.ts';

/** Of three results to label, two are held out. */
const HELD_OUT_IN_A_ROW = 2;

/**
 * What to label next, the same for the same labels, and also where each label changes what is asked for next. Held-out results come in
 * a random order, so that they stand for all and nothing about them depends on the judge. For tuning, results that the judge passes and
 * fails take turns, those near the threshold first: there a label says most.
 */
export function nextToLabel(metric: JudgedMetric, labels: readonly JudgeLabel[]): JudgedResult[] {
  const { results, threshold } = metric;
  const labelled = new Set(labels.map(labelId));
  const open = results.filter(({ id }) => !labelled.has(id));
  const own = labels.filter((label) => isSameIdentity(label, metric));
  const tuned = own.filter(({ part }) => part === 'tuning');
  const heldOut = inRandomOrder(open.filter(({ part }) => part === 'held-out'));
  const [passing, failing] = (['pass', 'fail'] as const).map((verdict) => ({
    items: byUncertainty(
      open.filter((result) => result.part === 'tuning' && result.verdict === verdict),
      threshold,
    ),
    done: tuned.filter((label) => label.verdict === verdict).length,
  }));
  const tuning = passing && failing ? inTurns(passing, failing, 1) : [];
  return inTurns(
    { items: heldOut, done: own.length - tuned.length },
    { items: tuning, done: tuned.length },
    HELD_OUT_IN_A_ROW,
  );
}

/** About how many labels to give until so many held-out ones are there: those for tuning stand between. */
export function labelsToGive(missing: number): number {
  return Math.ceil((missing * (HELD_OUT_IN_A_ROW + 1)) / HELD_OUT_IN_A_ROW);
}

/** By a hash, which has nothing to do with what a result says. */
function inRandomOrder(results: readonly JudgedResult[]): JudgedResult[] {
  return Array.from(results, (result) => ({ result, order: labelOrder(result.id) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ result }) => result);
}

/** The sort is stable, so equal distances stay in random order. */
function byUncertainty(results: readonly JudgedResult[], threshold: number | null): JudgedResult[] {
  const distance = ({ score }: JudgedResult) =>
    score === null || threshold === null ? 0 : Math.abs(score - threshold);
  return inRandomOrder(results).sort((a, b) => distance(a) - distance(b));
}

/** What is left of a list, and how many of it came before. */
interface Remaining {
  readonly items: readonly JudgedResult[];
  readonly done: number;
}

/** So many of the first, then one of the second, as if those before had come in turns too; the rest of either at the end. */
function inTurns(first: Remaining, second: Remaining, inARow: number): JudgedResult[] {
  const result: JudgedResult[] = [];
  for (let at = 0, other = 0; at < first.items.length || other < second.items.length; ) {
    const isFirst = first.done + at < inARow * (second.done + other + 1);
    const useFirst = at < first.items.length && (isFirst || other >= second.items.length);
    const item = useFirst ? first.items[at] : second.items[other];
    if (item) result.push(item);
    if (useFirst) at += 1;
    else other += 1;
  }
  return result;
}
