/**
 * `npm run bench:compare`: how often a comparison of unchanged runs says that something changed, which planted drops it names,
 * and what it costs. Writes the figures into `docs/comparison.md`. Exits with 2 where the labelled data is not there.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { RunComparison } from '../../../src/core/run-comparison.ts';
import { compareRuns } from '../../../src/runs/compare/compare-runs.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { seeded } from '../../../src/stats/random.ts';
import { percent, percentRange, table } from '../validity/markdown.ts';
import { replaceSection } from './document-section.ts';
import { drawRuns, dropOfScore, dropOfSuccess, type Planted, type Size } from './draws.ts';
import { type LabelledRows, labelledRows } from './labelled-rows.ts';
import type { ComparisonCost } from './measure-cost.ts';

/** Every size as often as the others. */
const SIZES: readonly Size[] = [
  { tasks: 10, attempts: 1 },
  { tasks: 20, attempts: 1 },
  { tasks: 60, attempts: 1 },
  { tasks: 20, attempts: 4 },
  { tasks: 100, attempts: 4 },
];
const UNCHANGED = 1000;
const PLANTED = 200;
const SCORE = 'agent_reliability';

const data = await labelledRows();
if (data) {
  const text = [unchangedText(data), plantedText(data), costText()].join('\n\n');
  await replaceSection(join(import.meta.dirname, '../../../docs/comparison.md'), 'compare', text);
  console.log(text);
} else {
  console.log('The labelled data is not here (../shared/data), so nothing was measured and the page is as it was.');
  process.exitCode = 2;
}

function unchangedText(rows: LabelledRows): string {
  const random = seeded(17);
  const results = Array.from({ length: UNCHANGED }, (_, index) => {
    const size = SIZES[index % SIZES.length] as Size;
    return { size, comparison: compareRuns(drawRuns(rows, size, random)) };
  });
  const body = Array.from(
    Map.groupBy(results, ({ size }) => size),
    ([size, ofSize]) =>
      unchangedRow(
        sizeText(size),
        ofSize.map(({ comparison }) => comparison),
      ),
  );
  const all = unchangedRow(
    'all',
    results.map(({ comparison }) => comparison),
  );
  return [
    `${UNCHANGED.toLocaleString('en')} comparisons of unchanged runs, drawn from ${rows.sessions} labelled sessions in ${rows.cells.length} groups of one task, or of one agent and domain. Both runs get their sessions from the same groups by chance:`,
    '',
    table(
      [
        'tasks × attempts',
        'comparisons',
        'metrics compared',
        'say better or worse',
        '95 % interval',
        '"cannot tell" of all metrics',
      ],
      ...body,
      all,
    ),
  ].join('\n');
}

function unchangedRow(name: string, comparisons: readonly RunComparison[]): string[] {
  const changed = comparisons.filter(({ metrics }) => Object.values(metrics).some(isClear)).length;
  const compared = comparisons.flatMap(({ metrics }) => Object.values(metrics).filter(({ p }) => p !== null));
  const unclear = compared.filter(({ conclusion }) => conclusion === 'cannot tell').length;
  const count = comparisons.length;
  return [
    name,
    String(count),
    (compared.length / count).toFixed(1),
    `${changed} (${percent(changed / count, 1)})`,
    percentRange(wilsonInterval(changed, count)),
    percent(unclear / compared.length),
  ];
}

function plantedText(rows: LabelledRows): string {
  const sessions = rows.cells.flat();
  const rate = sessions.filter(({ correct }) => correct).length / sessions.length;
  const plants: readonly (readonly [metric: string, points: number, planted: Planted])[] = [
    ...[20, 10, 5].map((points) => ['correct', points, dropOfSuccess(points, rate)] as const),
    ...[20, 10, 5].map((points) => [SCORE, points, dropOfScore(SCORE, points)] as const),
  ];
  const sizes: readonly Size[] = [
    { tasks: 100, attempts: 4 },
    { tasks: 60, attempts: 1 },
    { tasks: 20, attempts: 4 },
  ];
  const body = plants.map(([metric, points, planted]) => [
    `\`${metric}\``,
    `${points} points`,
    ...sizes.map((size) => percent(shareOfWorse(rows, size, metric, planted))),
  ]);
  return [
    `Planted drops, the share of ${PLANTED} comparisons each that call the metric worse, with all other metrics compared too:`,
    '',
    table(['metric', 'drop', ...sizes.map(sizeText)], ...body),
  ].join('\n');
}

function shareOfWorse(rows: LabelledRows, size: Size, metric: string, planted: Planted): number {
  const random = seeded(23);
  const found = Array.from({ length: PLANTED }, () => {
    const { metrics } = compareRuns(drawRuns(rows, size, random, planted));
    return metrics[metric]?.conclusion === 'worse';
  });
  return found.filter(Boolean).length / found.length;
}

function isClear({ conclusion }: RunComparison['metrics'][string]): boolean {
  return conclusion === 'better' || conclusion === 'worse';
}

function sizeText({ tasks, attempts }: Size): string {
  return `${tasks} × ${attempts}`;
}

/** In processes of their own, so that memory is that of one comparison. */
function costText(): string {
  const body = ['1', '4'].map((attempts) => {
    const script = join(import.meta.dirname, 'measure-cost.ts');
    const { stdout, stderr } = spawnSync(process.execPath, [script, attempts], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    const { read, compare, megabytes }: ComparisonCost = JSON.parse(stdout);
    return [`10,000 sessions, ${attempts} per task`, `${read} ms`, `${compare} ms`, `${megabytes} MB`];
  });
  return [
    'Two recorded runs of 10,000 sessions with 16 metrics, in a process of its own (time of the processor):',
    '',
    table(['runs', 'read', 'compare', 'memory at most'], ...body),
  ].join('\n');
}
