/** How evenly parts of a run are divided, and what it takes to merge them: `npm run bench:shards`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { planHash } from '../../../src/app/plan-shard.ts';
import type { RunManifest } from '../../../src/core/run-record.ts';
import { METRICS } from '../../../src/metrics/index.ts';
import { assignShards } from '../../../src/runs/shards/assign-shards.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { exampleOutcomes } from '../../support/example-outcomes.ts';
import { recordedRun, sessionRow } from '../../support/recorded-runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runPlan } from '../../unit/engine/support.ts';

const SESSIONS = 100_000;
const SHARDS = 8;

/** Quantiles of a Pareto distribution, the largest cut to 0.9 % of all. */
function heavyTail(exponent: number): number[] {
  let work = Array.from({ length: SESSIONS }, (_, at) => ((at + 0.5) / SESSIONS) ** (-1 / exponent));
  for (let round = 0; round < 50; round += 1) {
    const most = 0.009 * work.reduce((sum, value) => sum + value, 0);
    work = work.map((value) => Math.min(value, most));
  }
  return work;
}

function imbalance(work: readonly number[]): number {
  const sums = new Array<number>(SHARDS).fill(0);
  for (const [at, shard] of assignShards(work, SHARDS).entries())
    sums[shard - 1] = (sums[shard - 1] ?? 0) + (work[at] ?? 0);
  return (Math.max(...sums) * SHARDS) / sums.reduce((sum, value) => sum + value, 0);
}

console.log(`Largest part against the mean, ${SHARDS} parts of ${SESSIONS.toLocaleString('en')} sessions:`);
for (const exponent of [1.05, 1.2, 1.5, 2]) {
  console.log(`  tail of exponent ${exponent}: ${imbalance(heavyTail(exponent)).toFixed(6)}`);
}

const PARTS = 64;
const OF_PART = Number(process.env.SESSIONS ?? 1000);
const [example] = await exampleOutcomes(1);
if (!example) throw new Error('There is no example.');
await using folder = await temporaryFolder({ '.git': '' });
const home = join(folder.path, 'home');
const ids = Array.from({ length: PARTS * OF_PART }, (_, at) => `session-${at}`);
const shards = ids.map((_, at) => (at % PARTS) + 1);
const planned = { ids, shards, content: '', problems: { inputs: [], reading: [] } };
const { boundaryKey: _, ...plan } = runPlan(METRICS, {});
{
  using store = openRunStore(home, { cwd: folder.path, warn: (sentence) => console.error(sentence) });
  for (let index = 1; index <= PARTS; index += 1) {
    const own = ids.filter((_id, at) => shards[at] === index);
    const rows = own.map((id) => sessionRow({ id }));
    const id = `20261101T090000000Z-${index.toString(16).padStart(8, '0')}`;
    const { manifest } = recordedRun(rows, { id, plan: { ...plan, boundaryKey: null, id } });
    const part: RunManifest = { ...manifest, shard: { index, of: PARTS, plan: planHash(manifest, planned) } };
    const writer = await store.create({ ...part, state: 'running', totals: null }, 'parts');
    await writer.planned(planned);
    for (const [at, session] of own.entries()) {
      // Attempts of a few, as tasks have them.
      const task = { id: `task-${Math.floor(Number(session.slice('session-'.length)) / 4)}` };
      const source = { ...example.source, file: `${session}.json` };
      await writer.session({ ...example, id: session, task, source }, at);
    }
    await writer.finish(rows, part);
  }
}
const main = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');
const peak =
  'process.on("exit", () => process.stderr.write("\\npeak " + process.resourceUsage().maxRSS + " cpu " + process.cpuUsage().user + "\\n"));';
const started = performance.now();
const { status, stderr } = spawnSync(
  process.execPath,
  [
    ...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp'] : []),
    '--import',
    `data:text/javascript,${encodeURIComponent(peak)}`,
    main,
    'merge',
    'parts',
    '--out',
    'merged',
    '--format',
    'agent',
  ],
  { cwd: folder.path, env: { ...process.env, TURNWISE_HOME: home }, encoding: 'utf8', maxBuffer: 2 ** 28 },
);
const cpu = Number(/ cpu (\d+)/.exec(stderr)?.[1] ?? 0) / 1e6;
const seconds = (performance.now() - started) / 1000;
const megabytes = Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1024;
console.log(
  `Merge of ${PARTS} parts with ${ids.length.toLocaleString('en')} sessions of ${example.turns.length} turns: ${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of processor time), ${megabytes.toFixed(0)} MB, exit code ${status}`,
);
if (status !== 0 && status !== 1) console.log(stderr.slice(0, 2000));
