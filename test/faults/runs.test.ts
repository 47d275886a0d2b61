import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunStore } from '../../src/runs/run-store.ts';
import { openRunStore } from '../../src/store/runs/run-store.ts';
import { exampleOutcomes } from '../support/example-outcomes.ts';
import { recordedRun, sessionRow } from '../support/recorded-runs.ts';
import { recordRuns, takeLocks } from '../support/run-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** How many processes are killed; `KILLS=50` is the figure of the specification. */
const KILLS = Number(process.env.KILLS ?? 6);

/** Enough sessions to be compressed. */
const OUTCOMES = await exampleOutcomes(40);
const ROWS = OUTCOMES.map(({ id }) => sessionRow({ id }));
const { manifest: MANIFEST } = recordedRun(ROWS);

async function dataFolder() {
  const folder = await temporaryFolder({
    'input.json': JSON.stringify({ manifest: MANIFEST, outcomes: OUTCOMES, rows: ROWS }),
  });
  return { ...folder, home: join(folder.path, 'home'), input: join(folder.path, 'input.json') };
}

const openIn = (home: string) => openRunStore(home, { cwd: home, warn: (sentence) => expect.unreachable(sentence) });

/** Expects that everything that was printed as recorded can be read. */
async function expectRecorded(store: RunStore, lines: readonly string[]): Promise<void> {
  const byRun = Map.groupBy(
    lines.map((line) => line.split(' ')).filter(([run = '']) => run.startsWith('2026')),
    ([run = '']) => run,
  );
  for (const [run, events] of byRun) {
    const record = await store.find(run, MANIFEST.project);
    const sessions: unknown[] = [];
    for await (const outcome of record.sessions()) sessions.push(outcome);
    const done = events.filter(([, event]) => /^\d+$/.test(event ?? '')).length;
    expect(sessions.length).toBeGreaterThanOrEqual(done);
    expect(sessions).toEqual(OUTCOMES.slice(0, sessions.length));
    const rows = await record.rows();
    expect(rows.map(({ id }) => id)).toEqual(OUTCOMES.slice(0, sessions.length).map(({ id }) => id));
    if (events.some(([, event]) => event === 'finished')) expect(record.manifest.state).toBe('complete');
  }
}

it('loses no finished session when its process is killed at any moment', {
  timeout: 60_000 + 15_000 * KILLS,
}, async () => {
  await using folder = await dataFolder();
  const lines: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const name = kill.toString(16).padStart(2, '0');
    // A run takes tens of milliseconds: most of them are killed in a later one.
    const killed = await recordRuns({ ...folder, name, runs: 1000, killAfterMs: 20 + Math.random() * 400 });
    expect(killed.stderr).toBe('');
    lines.push(...killed.lines);
  }
  expect(lines.length).toBeGreaterThan(KILLS);
  using store = openIn(folder.home);
  await expectRecorded(store, lines);
  const listed = store.list({ project: MANIFEST.project });
  expect(listed.filter(({ isLive }) => isLive)).toEqual([]);
  // Nothing waits for the processes that are gone.
  for (const { manifest } of listed.filter((run) => run.manifest.state === 'running')) {
    const record = await store.find(manifest.id, MANIFEST.project);
    const writer = await store.resume(record, { ...record.manifest });
    for (const [index, outcome] of OUTCOMES.entries()) await writer.session(outcome, index);
    await writer.finish(ROWS, { ...MANIFEST, id: manifest.id });
    const resumed = await store.find(manifest.id, MANIFEST.project);
    expect(await resumed.rows()).toEqual(ROWS);
    const sessions: unknown[] = [];
    for await (const outcome of resumed.sessions()) sessions.push(outcome);
    expect(sessions).toEqual(OUTCOMES);
  }
});

it('lets processes record the same project at once', { timeout: 60_000 }, async () => {
  await using folder = await dataFolder();
  const processes = await Promise.all(['a0', 'b0', 'c0'].map((name) => recordRuns({ ...folder, name, runs: 5 })));
  expect(processes.map(({ stderr }) => stderr)).toEqual(['', '', '']);
  const lines = processes.flatMap((one) => one.lines);
  expect(lines.filter((line) => / problem |^warning/.test(line))).toEqual([]);
  using store = openIn(folder.home);
  expect(store.list({ project: MANIFEST.project })).toHaveLength(15);
  await expectRecorded(store, lines);
});

it('lets one of several processes take over from one that was killed', { timeout: 60_000 }, async () => {
  await using folder = await temporaryFolder();
  const rounds = Array.from({ length: 40 }, (_, round) => join(folder.path, `r${round}`));
  for (const round of rounds) {
    mkdirSync(round);
    writeFileSync(join(round, 'writer.lock'), JSON.stringify({ pid: 2 ** 22 + 1, host: '', start: null }));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(round, 'writer.lock'), longAgo, longAgo);
  }
  const taken = await takeLocks(rounds, 4);
  expect(taken.sort()).toEqual(rounds.sort());
});

it.runIf(process.platform === 'linux')(
  'keeps finished sessions when the disk is full, and says so',
  { timeout: 60_000 },
  async () => {
    await using folder = await dataFolder();
    // A limit of the size of files, in blocks of 1 KiB, fails as a full disk does.
    const command = ['bash', '-c', 'trap "" XFSZ; ulimit -f 40; exec "$0" "$@"', process.execPath] as const;
    const { lines } = await recordRuns({ ...folder, name: 'f0', runs: 1, command });
    expect(lines.join('\n')).toMatch(/ problem The run is not completely recorded in .*: EFBIG/);
    rmSync(join(folder.home, 'runs', 'index.db'), { force: true });
    using store = openIn(folder.home);
    await expectRecorded(store, lines);
    const [run] = store.list({ project: MANIFEST.project });
    expect(run?.manifest.state).toBe('failed');
  },
);
