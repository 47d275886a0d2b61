import type { RecordedRun, RecordedSession, RunManifest } from '../../../src/core/run-record.ts';
import type { Cell } from './labelled-rows.ts';

/** How many tasks with how many attempts each. */
export interface Size {
  readonly tasks: number;
  readonly attempts: number;
}

/** What changes a session of the second run; undefined: nothing does. */
export type Planted = (row: RecordedSession, random: () => number) => RecordedSession;

/**
 * Two runs of the same agents: for every task a cell is drawn, and its sessions are dealt to both runs without replacement. Which
 * run gets which is chance, so that every difference is one too.
 */
export function drawRuns(
  { manifest, cells }: { readonly manifest: RunManifest; readonly cells: readonly Cell[] },
  { tasks, attempts }: Size,
  random: () => number,
  planted: Planted = (row) => row,
): readonly [RecordedRun, RecordedRun] {
  const weights = cells.map(({ length }) => length);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const before: RecordedSession[] = [];
  const after: RecordedSession[] = [];
  for (let task = 0; task < tasks; task += 1) {
    const cell = cells[drawWeighted(weights, total, random)] ?? [];
    for (const [index, row] of deal(cell, 2 * attempts, random).entries()) {
      const trial = String(index >> 1);
      const own = {
        ...row,
        task: { id: `task ${task}`, trial, dataset: null, agent: null },
        inputs: `task ${task}`,
        content: `${task} ${index}`,
      };
      if (index % 2 === 0) before.push(own);
      else after.push(planted(own, random));
    }
  }
  return [
    { manifest: { ...manifest, id: 'before', name: 'before' }, rows: before },
    { manifest: { ...manifest, id: 'after', name: 'after' }, rows: after },
  ];
}

function drawWeighted(weights: readonly number[], total: number, random: () => number): number {
  let at = random() * total;
  return Math.max(
    0,
    weights.findIndex((weight) => {
      at -= weight;
      return at < 0;
    }),
  );
}

function deal(cell: Cell, count: number, random: () => number): RecordedSession[] {
  const rest = [...cell];
  return Array.from({ length: Math.min(count, rest.length) }, (_, index) => {
    const other = index + Math.floor(random() * (rest.length - index));
    const drawn = rest[other] as RecordedSession;
    rest[other] = rest[index] as RecordedSession;
    rest[index] = drawn;
    return drawn;
  });
}

/** So many points of all sessions fail that would have succeeded. @param rate how many succeed now, from 0 to 1 */
export function dropOfSuccess(points: number, rate: number): Planted {
  return (row, random) => {
    if (row.correct !== true || random() >= points / 100 / rate) return row;
    return { ...row, correct: false, verdict: 'failed', outcome: { status: 'failed', source: 'recorded' } };
  };
}

/** A score falls by so many points of its scale, from 0 to 1, and not below 0. */
export function dropOfScore(metric: string, points: number): Planted {
  return (row) => {
    const score = row.scores[metric];
    return score === undefined
      ? row
      : { ...row, scores: { ...row.scores, [metric]: Math.max(0, score - points / 100) } };
  };
}
