/**
 * `npm run bench:calibration`: how often the 95% interval of a corrected share holds the share that people would pass. Judges that
 * err as often as the table says are simulated, with fixed seeds. Writes the figures into `docs/calibration.md`.
 */
import { join } from 'node:path';
import { MIN_TEST_LABELS } from '../../../src/core/judge-labels.ts';
import { replaceSection } from '../compare/document-section.ts';
import { table } from '../validity/markdown.ts';
import { type SimulatedJudge, simulateCoverage } from './simulation.ts';

const SIMULATIONS = 2000;
const SEED = 20261128;

const JUDGES: readonly SimulatedJudge[] = [
  { name: 'good', passes: 0.7, tpr: 0.95, tnr: 0.9 },
  { name: 'good, few fail', passes: 0.9, tpr: 0.98, tnr: 0.9 },
  { name: 'good, many fail', passes: 0.3, tpr: 0.9, tnr: 0.9 },
  { name: 'lenient', passes: 0.8, tpr: 0.98, tnr: 0.5 },
  { name: 'strict', passes: 0.8, tpr: 0.7, tnr: 0.95 },
  { name: 'barely better than chance', passes: 0.6, tpr: 0.6, tnr: 0.5 },
  { name: 'lenient, very few fail', passes: 0.95, tpr: 0.97, tnr: 0.6 },
];

const LABELS: readonly number[] = [MIN_TEST_LABELS, 100, 200];
const RESULTS: readonly number[] = [100, 1000];

const measured = JUDGES.flatMap((judge, index) =>
  LABELS.flatMap((labels) =>
    RESULTS.map((results) => ({
      judge,
      labels,
      results,
      ...simulateCoverage(judge, { labels, results, rounds: SIMULATIONS, seed: SEED + index }),
    })),
  ),
);

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const rows = measured.map(({ judge, labels, results, share, normal, width, labelsOnly }) => [
  judge.name,
  `${judge.passes} · ${judge.tpr} · ${judge.tnr}`,
  String(labels),
  String(results),
  percent(share),
  percent(normal),
  `${width.toFixed(2)} of ${labelsOnly.toFixed(2)}`,
]);
const range = (values: readonly number[]) => `${percent(Math.min(...values))} to ${percent(Math.max(...values))}`;
const inside = measured.filter(({ share }) => share >= 0.93 && share <= 0.97).length;
const text = [
  `${SIMULATIONS} simulations of each row, seed ${SEED}. In ${inside} of ${measured.length} rows the interval that reports show holds the true share in 93 to 97 % of them (all: ${range(measured.map(({ share }) => share))}); the interval by the normal distribution, as ppi-python has it, in ${range(measured.map(({ normal }) => normal))}.`,
  table(
    ['judge', 'people pass · TPR · TNR', 'labels', 'other results', 'holds', 'normal', 'width, of labels alone'],
    ...rows,
  ),
].join('\n\n');
await replaceSection(join(import.meta.dirname, '../../../docs/calibration.md'), 'calibration', text);
console.log(text);
