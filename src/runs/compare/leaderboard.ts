import type { ComparabilityNote, RankedMetric } from '../../core/run-comparison.ts';
import type { RecordedSession } from '../../core/run-record.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { adjustForFalseDiscovery } from '../../stats/benjamini-hochberg.ts';
import { bootstrapMeanDifference } from '../../stats/paired-bootstrap.ts';
import { quantile } from '../../stats/quantile.ts';
import { seeded } from '../../stats/random.ts';
import { signFlipTest } from '../../stats/sign-flip.ts';
import { withheldBy } from './comparability.ts';
import { SIGNIFICANT } from './compare-metrics.ts';
import { type Figure, meanOf } from './figures.ts';

/** The sessions of one task in every run, in the order of the runs. */
export type TaskOfRuns = readonly (readonly RecordedSession[])[];

/**
 * Ranks runs by every figure, over the tasks that all of them have. A run is the best where its difference to every other is
 * beyond chance: all of these tests together keep the false discovery rate.
 */
export function rankRuns(
  tasks: readonly TaskOfRuns[],
  labels: readonly string[],
  figures: readonly Figure[],
  notes: readonly ComparabilityNote[],
): Record<string, RankedMetric> {
  const candidates = figures.flatMap((figure) => {
    const note = withheldBy(notes, figure.name);
    const values = note ? [] : valuesOf(figure, tasks);
    const hasValues = values.length > 0 || tasks.some((task) => task.some((rows) => meanOf(figure, rows)));
    return hasValues ? [{ figure, note, values }] : [];
  });
  const tests = candidates.flatMap((candidate) => {
    const means = meansOf(candidate.values, labels.length);
    const [best] = placesOf(means, candidate.figure.lowerIsBetter);
    return best === undefined || candidate.values.length === 0
      ? []
      : means.flatMap((_, run) =>
          run === best ? [] : [{ candidate, best, run, ...testPair(candidate.values, best, run) }],
        );
  });
  const adjusted = adjustForFalseDiscovery(tests.map(({ p }) => p));
  const unclear = new Map<(typeof candidates)[number], number[]>();
  for (const [index, { candidate, run, hasInterval }] of tests.entries()) {
    if ((adjusted[index] ?? 1) < SIGNIFICANT && hasInterval) continue;
    unclear.set(candidate, [...(unclear.get(candidate) ?? []), run]);
  }
  return Object.fromEntries(
    candidates.map((candidate): [string, RankedMetric] => {
      const { figure, note, values } = candidate;
      const { name, lowerIsBetter, unit, scale } = figure;
      const standings = note ? [] : rank(values, tasks, figure);
      const [first] = standings;
      const ties = unclear.get(candidate) ?? [];
      const best = first && ties.length === 0 ? first.run : null;
      const reason = note
        ? note.reason
        : first
          ? reasonOf(labels, standings, ties, values.length)
          : 'No task has a value in every run.';
      return [name, { best, tasks: values.length, lowerIsBetter, unit, scale, standings, reason }];
    }),
  );
}

function reasonOf(
  labels: readonly string[],
  standings: RankedMetric['standings'],
  ties: readonly number[],
  tasks: number,
): string {
  const name = (run: number) => labels[run] ?? '';
  const best = name(standings[0]?.run ?? 0);
  const over = `over ${pluralize(tasks, 'task')}`;
  if (ties.length === 0) return `${best} differs from every other run beyond chance, ${over}.`;
  const others = ties.map(name).join(' or ');
  // The places are those of this figure alone.
  const isFirst = standings.every(({ rank }, index) => (index === 0 ? rank[1] === 1 : rank[0] > 1));
  return isFirst
    ? `${best} is first, but among so many figures chance explains its lead over ${others}, ${over}.`
    : `${best} cannot be told from ${others} ${over}.`;
}

/** By task that has a value in every run: the mean of each run. */
function valuesOf(figure: Figure, tasks: readonly TaskOfRuns[]): number[][] {
  return tasks.flatMap((task) => {
    const means = task.flatMap((rows) => meanOf(figure, rows)?.mean ?? []);
    return means.length === task.length ? [means] : [];
  });
}

function meansOf(values: readonly (readonly number[])[], runs: number): number[] {
  return Array.from({ length: runs }, (_, run) =>
    values.length === 0 ? 0 : values.reduce((sum, ofTask) => sum + (ofTask[run] ?? 0), 0) / values.length,
  );
}

/** Runs, the best mean first. */
function placesOf(means: readonly number[], lowerIsBetter: boolean): number[] {
  const sign = lowerIsBetter ? 1 : -1;
  return means.map((_, run) => run).sort((a, b) => sign * ((means[a] ?? 0) - (means[b] ?? 0)));
}

function testPair(values: readonly (readonly number[])[], best: number, run: number) {
  const differences = values.map((ofTask) => (ofTask[best] ?? 0) - (ofTask[run] ?? 0));
  const interval = bootstrapMeanDifference(differences);
  return { p: signFlipTest(differences), hasInterval: interval !== null && (interval[0] > 0 || interval[1] < 0) };
}

function rank(
  values: readonly (readonly number[])[],
  tasks: readonly TaskOfRuns[],
  figure: Figure,
): RankedMetric['standings'] {
  const [first] = values;
  if (!first) return [];
  const means = meansOf(values, first.length);
  const ranks = rankRanges(values, first.length, figure.lowerIsBetter);
  return placesOf(means, figure.lowerIsBetter).map((run) => {
    const mean = means[run] ?? 0;
    const interval = bootstrapMeanDifference(values.map((ofTask) => ofTask[run] ?? 0)) ?? [mean, mean];
    const sessions = tasks.map((task) => meanOf(figure, task[run] ?? [])?.n ?? 0);
    return {
      run,
      mean,
      ci95: [interval[0], interval[1]],
      n: sessions.reduce((sum, n) => sum + n, 0),
      rank: ranks[run] ?? [1, first.length],
    };
  });
}

const DRAWS = 1000;
const SEED = 0x2545f491;
/** Above it, tasks are drawn in groups of equal size: their sums vary as much, and take no longer. */
const GROUPS = 1000;

/** The places of each run in 95 % of the draws of tasks; ties share the best of their places. */
function rankRanges(values: readonly (readonly number[])[], runs: number, lowerIsBetter: boolean): [number, number][] {
  const groups = groupSums(values, runs);
  const count = groups.length / runs;
  const random = seeded(SEED);
  const places = Array.from({ length: runs }, () => new Uint8Array(DRAWS));
  const sums = new Float64Array(runs);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    sums.fill(0);
    for (let drawn = 0; drawn < count; drawn += 1) {
      const start = Math.floor(random() * count) * runs;
      for (let run = 0; run < runs; run += 1) sums[run] = (sums[run] ?? 0) + (groups[start + run] ?? 0);
    }
    for (const [run, own] of sums.entries()) {
      const tolerance = 1e-9 * Math.abs(own);
      const better = sums.reduce(
        (ahead, sum) => ahead + Number(lowerIsBetter ? sum < own - tolerance : sum > own + tolerance),
        0,
      );
      const list = places[run];
      if (list) list[draw] = better + 1;
    }
  }
  return places.map((list) => {
    list.sort();
    return [Math.floor(quantile(list, 0.025)), Math.ceil(quantile(list, 0.975))];
  });
}

/** The sums of groups of tasks, one run after the other. Tasks that are left over belong to the first groups. */
function groupSums(values: readonly (readonly number[])[], runs: number): Float64Array {
  const count = Math.min(values.length, GROUPS);
  const sums = new Float64Array(count * runs);
  for (const [index, ofTask] of values.entries()) {
    const start = (index % count) * runs;
    for (let run = 0; run < runs; run += 1) sums[start + run] = (sums[start + run] ?? 0) + (ofTask[run] ?? 0);
  }
  return sums;
}
