/**
 * `npm run bench:gates`: how often a baseline fails or leaves open a run of unchanged agents, and which planted drops it names.
 * Writes the figures into `docs/comparison.md`. Exits with 2 where the labelled data is not there.
 */
import { join } from 'node:path';
import type { BaselineResult } from '../../../src/core/baseline.ts';
import type { RecordedRun, RecordedSession } from '../../../src/core/run-record.ts';
import { acceptBaseline } from '../../../src/runs/baseline/accept-baseline.ts';
import { baselineText } from '../../../src/runs/baseline/baseline-text.ts';
import { gateRun } from '../../../src/runs/baseline/gate-run.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { seeded } from '../../../src/stats/random.ts';
import { replaceSection } from '../compare/document-section.ts';
import { type Cell, type LabelledRows, labelledRows } from '../compare/labelled-rows.ts';
import { percent, percentRange, table } from '../validity/markdown.ts';

const TODAY = '2026-01-01';
const TASKS = 60;
const DROPPED = TASKS / 10;
/** By attempts of each task: unchanged runs, a thousand together. */
const UNCHANGED: readonly (readonly [attempts: number, runs: number])[] = [
  [10, 400],
  [4, 300],
  [1, 300],
];
const PLANTED = 200;

/** By points: the lowest rate at which the tasks succeed that drop. */
const DROPS: readonly (readonly [points: number, lowestRate: number])[] = [
  [40, 0.8],
  [40, 0.4],
  [60, 0.6],
  [25, 0.8],
];

const data = await labelledRows();
if (data) {
  const text = [...unchangedText(data), '', ...plantedText(data)].join('\n');
  await replaceSection(join(import.meta.dirname, '../../../docs/comparison.md'), 'gates', text);
  console.log(text);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was measured and the page is as it was.');
  process.exitCode = 2;
}

function unchangedText(rows: LabelledRows): string[] {
  const random = seeded(23);
  const bytes: number[] = [];
  const results = UNCHANGED.flatMap(([attempts, runs]) =>
    Array.from({ length: runs }, () => {
      const cells = drawCells(rows.tasks, () => 0, random);
      const baseline = acceptBaseline(drawRun(rows, cells, attempts, random), { reason: 'bench', today: TODAY });
      const perTask = baselineText(baseline)
        .split('\n')
        .filter((line) => line.startsWith('    "task '));
      bytes.push(perTask.reduce((sum, line) => sum + line.length + 1, 0) / perTask.length);
      const result = gateRun(baseline, drawRun(rows, cells, attempts, random), { file: '', today: TODAY });
      return { attempts, result };
    }),
  );
  const row = (name: string, of: readonly BaselineResult[]) => [
    name,
    String(of.length),
    ...[share(of, ({ answer }) => answer === 'worse'), share(of, ({ answer }) => answer === 'undecided')].flat(),
  ];
  const size = bytes.reduce((sum, value) => sum + value, 0) / bytes.length;
  return [
    `${results.length.toLocaleString('en')} runs of unchanged agents against a baseline of the same agents: ${TASKS} of ${rows.tasks.length} tasks are drawn, and both runs get their attempts from the labelled sessions of the same task by chance. The baseline takes ${Math.round(size)} bytes per task.`,
    '',
    table(
      ['attempts per task', 'runs', 'failed', '95 % interval', 'left undecided', '95 % interval'],
      ...UNCHANGED.map(([attempts]) =>
        row(
          String(attempts),
          results.filter((one) => one.attempts === attempts).map(({ result }) => result),
        ),
      ),
      row(
        'all',
        results.map(({ result }) => result),
      ),
    ),
  ];
}

function share(results: readonly BaselineResult[], test: (result: BaselineResult) => boolean): [string, string] {
  const count = results.filter(test).length;
  return [
    `${count} (${((100 * count) / results.length).toFixed(1)} %)`,
    percentRange(wilsonInterval(count, results.length)),
  ];
}

function plantedText(rows: LabelledRows): string[] {
  const body = DROPS.map(([points, lowestRate]) => {
    const random = seeded(31);
    const results = Array.from({ length: PLANTED }, () => {
      const cells = drawCells(rows.tasks, (index) => (index < DROPPED ? lowestRate : 0), random);
      const baseline = acceptBaseline(drawRun(rows, cells, 10, random), { reason: 'bench', today: TODAY });
      const after = drawRun(rows, cells, 10, random, points / 100);
      return gateRun(baseline, after, { file: '', today: TODAY });
    });
    const names = results.map(({ tasks }) => [...new Set(tasks.map(({ task }) => task))]);
    const right = names.map((own) => own.filter((name) => Number(name.replace('task ', '')) < DROPPED).length);
    const isNamed = ({ answer }: BaselineResult, index: number) => answer !== 'not worse' && (right[index] ?? 0) > 0;
    const rightly = right.reduce((sum, count) => sum + count, 0);
    const wrongly = names.reduce((sum, own) => sum + own.length, 0) - rightly;
    return [
      `${points} points`,
      `at least ${percent(lowestRate)}`,
      percent(results.filter(({ answer }) => answer === 'worse').length / PLANTED),
      percent(results.filter(isNamed).length / PLANTED),
      percent(rightly / (PLANTED * DROPPED)),
      (wrongly / PLANTED).toFixed(1),
    ];
  });
  return [
    `Planted drops: ${DROPPED} of ${TASKS} tasks with 10 attempts each succeed less often, in ${PLANTED} runs each. "Named": the run fails or is undecided, and lists a task that dropped.`,
    '',
    table(
      [
        'drop',
        'tasks that succeeded before',
        'fails the run',
        'named',
        'dropped tasks listed',
        'other tasks listed per run',
      ],
      ...body,
    ),
  ];
}

/** Tasks without repetition; the first ones succeed at least as often as asked. */
function drawCells(tasks: readonly Cell[], lowestRate: (index: number) => number, random: () => number): Cell[] {
  const left = [...tasks];
  return Array.from({ length: TASKS }, (_, index) => {
    const able = left.filter((cell) => rate(cell) >= lowestRate(index));
    const cell = able[Math.floor(random() * able.length)] ?? [];
    left.splice(left.indexOf(cell), 1);
    return cell;
  });
}

function rate(cell: Cell): number {
  return cell.filter(({ correct }) => correct).length / cell.length;
}

/** Attempts of each task by chance. @param drop of the first tasks, from 0 to 1 */
function drawRun(
  { manifest }: LabelledRows,
  cells: readonly Cell[],
  attempts: number,
  random: () => number,
  drop = 0,
): RecordedRun {
  const rows = cells.flatMap((cell, index) =>
    Array.from({ length: attempts }, (_, attempt): RecordedSession[] => {
      const row = cell[Math.floor(random() * cell.length)];
      if (!row) return [];
      const task = { id: `task ${index}`, trial: String(attempt), dataset: null, agent: null };
      const own = { ...row, id: `${index} ${attempt}`, task, inputs: `${task.id} of the bench` };
      const isLost = index < DROPPED && row.correct === true && random() < drop / rate(cell);
      return [
        isLost ? { ...own, correct: false, verdict: 'failed', outcome: { status: 'failed', source: 'recorded' } } : own,
      ];
    }).flat(),
  );
  return { manifest, rows };
}
