/**
 * `npm run bench:trend`: how often trends and alerts of unchanged runs speak, and how soon they name a planted change. Simulated
 * with fixed seeds; writes the figures into `docs/comparison.md`.
 */
import { join } from 'node:path';
import type { RecordedRun } from '../../../src/core/run-record.ts';
import { checkAlerts } from '../../../src/runs/trend/alerts.ts';
import { TREND_RUNS } from '../../../src/runs/trend/load-runs.ts';
import { runTrend } from '../../../src/runs/trend/run-trend.ts';
import { findDrift, type SeriesValue } from '../../../src/stats/cusum.ts';
import { wilsonInterval } from '../../../src/stats/intervals.ts';
import { seeded } from '../../../src/stats/random.ts';
import { attemptRow, recordedRun } from '../../support/recorded-runs.ts';
import { replaceSection } from '../compare/document-section.ts';
import { percent, percentRange, table } from '../validity/markdown.ts';

const random = seeded(23);

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The success of so many sessions, with the variance that so few have. */
function share(sessions: number, probability: number): SeriesValue {
  let succeeded = 0;
  for (let index = 0; index < sessions; index += 1) if (random() < probability) succeeded += 1;
  const value = succeeded / sessions;
  return { value, variance: (value * (1 - value)) / (sessions - 1) };
}

const LAWS: Readonly<Record<string, () => SeriesValue>> = {
  'normal values': () => ({ value: normal(), variance: 0 }),
  'skewed values (exponential)': () => ({ value: -Math.log(1 - random()), variance: 0 }),
  'very skewed values (log-normal)': () => ({ value: Math.exp(normal()), variance: 0 }),
  'success of 20 sessions, 50 %': () => share(20, 0.5),
  'success of 20 sessions, 90 %': () => share(20, 0.9),
  'success of 20 sessions, 98 %': () => share(20, 0.98),
  'success of 100 sessions, 90 %': () => share(100, 0.9),
  'success of 100 sessions, varying from run to run': () => share(100, Math.min(1, Math.max(0, 0.8 + 0.05 * normal()))),
};

const SERIES = 300;
const RUNS = 100;

/** Of a series that goes on for 100 runs, what the alert sees in each of them: the last ones. */
function alarms(series: readonly SeriesValue[], rises: boolean): number {
  let count = 0;
  for (let end = 1; end <= series.length; end += 1)
    if (findDrift(series.slice(Math.max(0, end - TREND_RUNS), end), rises)) count += 1;
  return count;
}

function driftText(): string {
  const rows = Object.entries(LAWS).map(([name, draw]) => {
    const all = Array.from({ length: SERIES }, () => Array.from({ length: RUNS }, draw));
    const of = (rises: boolean) => all.reduce((sum, series) => sum + alarms(series, rises), 0) / SERIES;
    return [name, of(true).toFixed(2), of(false).toFixed(2)];
  });
  return [
    `Alerts with \`drift: true\`: runs with a false alert among 100 unchanged runs, the mean of ${SERIES} series:`,
    '',
    table(['values', 'rises', 'falls'], ...rows),
  ].join('\n');
}

interface Planted {
  readonly before: number;
  readonly runs: number;
  readonly drop: number;
  /** The drop comes in steps of this size, one in each run. */
  readonly step?: number;
}

const TASKS = 50;

/** Runs of the same tasks, each with its own difficulty: most are easy or hard. */
function drawRuns({ before, runs, drop, step = drop }: Planted): RecordedRun[] {
  const difficulty = Array.from({ length: TASKS }, () => (random() < 0.6 ? 0.95 + 0.05 * random() : random()));
  return Array.from({ length: before + runs }, (_, index) => {
    const lost = index < before ? 0 : Math.min(drop, step * (index - before + 1));
    const rows = difficulty.map((probability, task) =>
      attemptRow(`task-${task}`, 0, random() < probability && random() >= lost / MEAN_SUCCESS),
    );
    return recordedRun(rows, { id: `run-${index}` });
  });
}

/** Of `difficulty`: what a drop in points is a share of. */
const MEAN_SUCCESS = 0.6 * 0.975 + 0.4 * 0.5;

const FALLS = { metric: 'correct', direction: 'falls', drift: false, gate: false } as const;

function pipelineText(): string {
  const marked = (runs: readonly RecordedRun[]) =>
    (runTrend(runs, { subject: 'correct', task: null })?.changes.length ?? 0) > 0;
  const raised = (rule: Parameters<typeof checkAlerts>[1][number]) => (runs: readonly RecordedRun[]) =>
    checkAlerts(runs, [rule]).length > 0;
  const kinds = [
    ['trend marks a change', marked],
    ['alert, `for: 1`', raised(FALLS)],
    ['alert, `for: 3`', raised({ ...FALLS, for: 3 })],
    ['alert, `drift: true`', raised({ ...FALLS, drift: true })],
  ] as const;
  const cases: readonly (readonly [string, number, Planted])[] = [
    ['unchanged, 10 runs', 1000, { before: 10, runs: 0, drop: 0 }],
    ['20 points lower in the last run of 10', 200, { before: 9, runs: 1, drop: 0.2 }],
    ['20 points lower in the last 3 of 10', 200, { before: 7, runs: 3, drop: 0.2 }],
    ['10 points lower in the last 3 of 10', 200, { before: 7, runs: 3, drop: 0.1 }],
    ['2 points lower with each of the last 8 of 20', 200, { before: 12, runs: 8, drop: 0.16, step: 0.02 }],
  ];
  const rows = cases.map(([name, count, planted]) => {
    const found = kinds.map(() => 0);
    for (let draw = 0; draw < count; draw += 1) {
      const runs = drawRuns(planted);
      for (const [index, [, says]] of kinds.entries()) if (says(runs)) found[index] = (found[index] ?? 0) + 1;
    }
    return [name, ...found.map((n) => shareText(n, count))];
  });
  return [
    `Success of ${TASKS} tasks of different difficulty, one attempt in each run: the share of series in which the newest run has an alert, or the trend a mark (with 95 % intervals):`,
    '',
    table(['runs', ...kinds.map(([name]) => name)], ...rows),
  ].join('\n');
}

function shareText(count: number, of: number): string {
  return `${percent(count / of)} (${percentRange(wilsonInterval(count, of))})`;
}

const text = [driftText(), pipelineText()].join('\n\n');
await replaceSection(join(import.meta.dirname, '../../../docs/comparison.md'), 'trend', text);
console.log(text);
