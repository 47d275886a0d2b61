/**
 * What `--jobs` gains on this machine: `npm run bench:jobs -- --mb 20 --runs 3 --jobs 1,2`. Each round runs every number once, so that
 * all meet the same noise; ratios are against the first number.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeLines } from '../generate.ts';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '20' },
    runs: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '1,2' },
  },
});
const numbers = values.jobs.split(',').map(Number);
const CLI = join(import.meta.dirname, '../../../dist/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-jobs-'));

interface JobFigures {
  readonly seconds: number;
  /** Processor time of all threads, and of the one that reads and writes: with enough cores, a run takes no less. */
  readonly cpuSeconds: number;
  readonly mainSeconds: number;
  readonly megabytes: number;
}

try {
  const file = join(folder, 'lines.jsonl');
  writeLines(file, Number(values.mb) * 1e6);
  console.log(
    `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, ${values.mb} MB`,
  );
  for (const record of [true, false]) compare(file, record);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare(file: string, isRecorded: boolean): void {
  console.log(isRecorded ? '\nrecorded, table' : '\nnot recorded, table');
  const measured = new Map(numbers.map((jobs): [number, JobFigures[]] => [jobs, []]));
  for (let round = 0; round < Number(values.runs); round += 1) {
    for (const [jobs, figures] of measured) figures.push(measure(file, jobs, isRecorded));
  }
  const base = middle(measured.get(numbers[0] ?? 1) ?? [], 'seconds');
  for (const [jobs, figures] of measured) {
    const seconds = middle(figures, 'seconds');
    const all = figures.map((figure) => figure.seconds.toFixed(1)).join(', ');
    console.log(
      `  --jobs ${jobs}: ${seconds.toFixed(1)} s (${all}), ratio ${(seconds / base).toFixed(2)}, processor time ${middle(figures, 'cpuSeconds').toFixed(1)} s (${middle(figures, 'mainSeconds').toFixed(1)} s of the main thread), ${middle(figures, 'megabytes').toFixed(0)} MB`,
    );
  }
}

function measure(file: string, jobs: number, isRecorded: boolean): JobFigures {
  const resources = join(folder, 'resources.json');
  const code = `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); const { user, system } = process.threadCpuUsage(); require('node:fs').writeFileSync(${JSON.stringify(resources)}, JSON.stringify([userCPUTime + systemCPUTime, user + system, maxRSS])); });`;
  const preload = `data:text/javascript,${encodeURIComponent(`import{createRequire}from'node:module';import{isMainThread}from'node:worker_threads';const require=createRequire('file:///');if(isMainThread){${code}}`)}`;
  const record = isRecorded ? [] : ['--record', 'none'];
  const start = performance.now();
  spawnSync(
    process.execPath,
    ['--import', preload, CLI, 'eval', file, '--quiet', '--jobs', String(jobs), '--fail-on', 'never', ...record],
    { stdio: 'ignore', env: { ...process.env, TURNWISE_HOME: join(folder, 'home') } },
  );
  const seconds = (performance.now() - start) / 1000;
  const [cpu = 0, main = 0, kilobytes = 0]: readonly number[] = JSON.parse(readFileSync(resources, 'utf8'));
  return { seconds, cpuSeconds: cpu / 1e6, mainSeconds: main / 1e6, megabytes: kilobytes / 1024 };
}

function middle(figures: readonly JobFigures[], key: keyof JobFigures): number {
  const sorted = figures.map((figure) => figure[key]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
