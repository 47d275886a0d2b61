/** Reads and compares two runs of 10,000 sessions from their records: `node measure-cost.ts ATTEMPTS` prints figures as JSON. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuns } from '../../../src/app/compared-runs.ts';
import { compareRuns } from '../../../src/runs/compare/compare-runs.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { attemptRow, planMetric, recordedRun } from '../../support/recorded-runs.ts';

/** Milliseconds of the processor. */
export interface ComparisonCost {
  readonly read: number;
  readonly compare: number;
  /** Of the whole process, at most. */
  readonly megabytes: number;
}

const SESSIONS = 10_000;
const METRICS = Array.from({ length: 10 }, (_, index) => `metric_${index}`);

const [attempts = '1', folder] = process.argv.slice(2);
if (folder === undefined) await prepareAndMeasure();
else await measure(folder);

/** Another process measures: what it takes to make the runs counts as no memory of comparing them. */
async function prepareAndMeasure(): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'turnwise-bench-'));
  try {
    await writeRuns(temporary);
    const child = fork(import.meta.filename, [attempts, temporary], { stdio: 'inherit' });
    await once(child, 'exit');
  } finally {
    await rm(temporary, { recursive: true });
  }
}

async function writeRuns(path: string): Promise<void> {
  using store = openRunStore(join(path, 'home'), { cwd: path, warn: console.error });
  for (const [index, seed] of [1, 5].entries()) {
    const rows = Array.from({ length: SESSIONS }, (_, n) => {
      const task = `task ${Math.floor(n / Number(attempts))}`;
      const scores = Object.fromEntries(METRICS.map((name, at) => [name, ((n * (at + 3) + seed) % 100) / 100]));
      return attemptRow(task, n % Number(attempts), (n * 7 + seed) % 10 < 7, {
        content: `${seed} ${n}`,
        cost: (n % 17) / 100,
        tokens: n % 1000,
        durationMs: n,
        scores,
      });
    });
    const { manifest } = recordedRun(rows, {
      id: `2026110${index + 1}T090000000Z-0000000${index + 1}`,
      startedAt: `2026-11-0${index + 1}T09:00:00.000Z`,
      project: path,
      plan: { metrics: METRICS.map((name) => planMetric(name)) },
    });
    const writer = await store.create({ ...manifest, endedAt: null, totals: null, state: 'running' });
    await writer.finish(rows, manifest);
  }
}

async function measure(path: string): Promise<void> {
  using store = openRunStore(join(path, 'home'), { cwd: path, warn: console.error });
  const start = process.cpuUsage();
  const { signal } = new AbortController();
  const runs = await openRuns(['last~1', 'last'], { store, cwd: path, signal });
  const read = process.cpuUsage(start);
  const before = process.cpuUsage();
  const { flips } = compareRuns(runs.map(({ run }) => run));
  const compare = process.cpuUsage(before);
  if (flips.length === 0) throw new Error('Nothing was compared.');
  const time = ({ user, system }: NodeJS.CpuUsage) => Math.round((user + system) / 1000);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const cost: ComparisonCost = { read: time(read), compare: time(compare), megabytes };
  console.log(JSON.stringify(cost));
}
