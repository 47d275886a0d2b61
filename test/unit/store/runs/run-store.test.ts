import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLE_SESSION } from '../../../../src/app/example-session.ts';
import type { RunManifest } from '../../../../src/core/run-record.ts';
import type { SessionOutcome } from '../../../../src/core/session-outcome.ts';
import { editorRemedies } from '../../../../src/runs/remedies.ts';
import type { RunRecord, RunStore } from '../../../../src/runs/run-store.ts';
import { projectKey } from '../../../../src/store/runs/record-folder.ts';
import { openRunStore } from '../../../../src/store/runs/run-store.ts';
import { exampleOutcomes } from '../../../support/example-outcomes.ts';
import { recordedRun, sessionRow } from '../../../support/recorded-runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const OUTCOMES = await exampleOutcomes(3);
const ROWS = OUTCOMES.map(({ id }) => sessionRow({ id }));
const PROJECT = '/project';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let home: string;
let store: RunStore;
let warnings: string[];

beforeEach(async () => {
  folder = await temporaryFolder();
  home = join(folder.path, 'home');
  warnings = [];
  store = open();
});

afterEach(async () => {
  store[Symbol.dispose]();
  await folder[Symbol.asyncDispose]();
});

const open = () => openRunStore(home, { cwd: folder.path, warn: (sentence) => warnings.push(sentence) });

const manifestOf = (id: string, given: Partial<Omit<RunManifest, 'plan'>> = {}) =>
  recordedRun(ROWS, { project: PROJECT, id, ...given }).manifest;

/** Records a run of all sessions. @param order in which they finish */
async function record(
  id: string,
  {
    order = [0, 1, 2],
    elsewhere,
    ...given
  }: Partial<Omit<RunManifest, 'plan'>> & { order?: readonly number[]; elsewhere?: string } = {},
): Promise<RunManifest> {
  const manifest = manifestOf(id, given);
  const writer = await store.create({ ...manifest, state: 'running', totals: null }, elsewhere);
  for (const index of order)
    for (const outcome of OUTCOMES.slice(index, index + 1)) await writer.session(outcome, index);
  await writer.finish(ROWS, manifest);
  expect(writer.problem).toBeNull();
  return manifest;
}

/** Begins a record that nothing finishes, as if its process had been killed. */
async function recordIncomplete(id: string): Promise<string> {
  const writer = await store.create({ ...manifestOf(id), state: 'running', totals: null });
  for (const [index, outcome] of OUTCOMES.entries()) await writer.session(outcome, index);
  writeFileSync(join(writer.path, 'writer.lock'), JSON.stringify({ pid: 2 ** 22 + 1, host: hostOf(writer.path) }));
  return writer.path;
}

const hostOf = (path: string): string => JSON.parse(readFileSync(join(path, 'writer.lock'), 'utf8')).host;

describe('a run whose writer in this process has ended before it', () => {
  it('is interrupted at once, and can be continued', async () => {
    const { id } = manifestOf('20261101T090000000Z-00000001');
    const writer = await store.create({ ...manifestOf(id), state: 'running', totals: null });
    for (const [index, outcome] of OUTCOMES.entries()) await writer.session(outcome, index);
    expect(store.list({ project: PROJECT })).toMatchObject([{ isLive: true }]);
    await store.interrupt(id, 'It made no progress.');
    expect(store.list({ project: PROJECT })).toMatchObject([
      { isLive: false, manifest: { state: 'interrupted', stoppedBy: 'It made no progress.' } },
    ]);
    const continued = await store.resume(await store.find(id, PROJECT), manifestOf(id));
    await continued.finish(ROWS, manifestOf(id));
    expect(continued.problem).toBeNull();
  });

  it('stays what it is where another process writes it, or where it has ended', async () => {
    const { id } = manifestOf('20261101T090000000Z-00000001');
    const writer = await store.create({ ...manifestOf(id), state: 'running', totals: null });
    const lock = join(writer.path, 'writer.lock');
    writeFileSync(lock, JSON.stringify({ pid: process.ppid, host: hostOf(writer.path) }));
    await store.interrupt(id, 'It made no progress.');
    expect(store.list({ project: PROJECT })).toMatchObject([{ isLive: true, manifest: { state: 'running' } }]);
    await writer.finish(ROWS, manifestOf(id));
    await store.interrupt(id, 'It made no progress.');
    expect(store.list({ project: PROJECT })).toMatchObject([{ manifest: { state: 'complete' } }]);
  });
});

async function sessionsOf(run: RunRecord): Promise<SessionOutcome[]> {
  const outcomes: SessionOutcome[] = [];
  for await (const outcome of run.sessions()) outcomes.push(outcome);
  return outcomes;
}

const ids = (runs = store.list({ project: PROJECT })) => runs.map(({ manifest }) => manifest.id);
const pathOf = (id: string) => join(home, 'runs', projectKey(PROJECT), id);

describe('a record', () => {
  it('has what was written, in the order of the input', async () => {
    const manifest = await record('a-1', { order: [1, 0, 2] });
    const run = await store.find('last', PROJECT);
    expect(run.manifest).toEqual(manifest);
    expect(await run.rows()).toEqual(ROWS);
    expect(JSON.stringify(await sessionsOf(run))).toBe(JSON.stringify(OUTCOMES));
  });

  it('is compressed when it is complete and large, with the rows first', async () => {
    const outcomes = await exampleOutcomes(8);
    const rows = outcomes.map(({ id }) => sessionRow({ id }));
    const manifest = manifestOf('a-1');
    const writer = await store.create({ ...manifest, state: 'running' });
    for (const [index, outcome] of outcomes.entries()) await writer.session(outcome, index);
    await writer.finish(rows, manifest);
    expect(readdirSync(writer.path).sort()).toEqual(['manifest.json', 'sessions.jsonl.gz']);
    const bytes = readFileSync(join(writer.path, 'sessions.jsonl.gz'));
    expect(gunzipSync(bytes).toString()).toMatch(/^\{"type":"row"/);
    const run = await store.find('a-1', PROJECT);
    expect(await run.rows()).toEqual(rows);
    expect(await sessionsOf(run)).toEqual(outcomes);
    // Truncated, everything before is there.
    truncateSync(join(writer.path, 'sessions.jsonl.gz'), Math.round(0.8 * bytes.length));
    const sessions = await sessionsOf(run);
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions).toEqual(outcomes.slice(0, sessions.length));
  });

  it('is read where it was compressed by hand, with the rows last', async () => {
    await record('a-1', { order: [0] });
    const file = join(pathOf('a-1'), 'sessions.jsonl');
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
    rmSync(file);
    const run = await store.find('a-1', PROJECT);
    expect(await run.rows()).toEqual(ROWS);
    expect(await sessionsOf(run)).toEqual(OUTCOMES.slice(0, 1));
  });

  it('has the transcripts that it was given, without secrets', async () => {
    const manifest = manifestOf('a-1');
    const writer = await store.create({ ...manifest, state: 'running' });
    for (const [index, outcome] of OUTCOMES.entries()) {
      await writer.session(outcome, index, index === 1 ? { ...EXAMPLE_SESSION, id: outcome.id } : undefined);
    }
    await writer.finish(ROWS, manifest);
    const run = await store.find('a-1', PROJECT);
    expect((await run.transcript('session-1'))?.turns).toEqual(EXAMPLE_SESSION.turns);
    expect(await run.transcript('session-0')).toBeNull();
  });

  it.each([
    ['a torn last line', 40],
    ['no end of its last line', 1],
  ])('keeps every finished session with %s', async (_, missing) => {
    const path = await recordIncomplete('a-1');
    const file = join(path, 'sessions.jsonl');
    truncateSync(file, readFileSync(file).length - missing);
    const run = await store.find('a-1', PROJECT);
    const sessions = missing === 1 ? OUTCOMES : OUTCOMES.slice(0, 2);
    expect(await sessionsOf(run)).toEqual(sessions);
    expect(await run.rows()).toMatchObject(sessions.map(({ id, hashes }) => ({ id, content: hashes?.content })));
  });

  it('says that a newer Turnwise recorded it', async () => {
    await record('a-1');
    const file = join(pathOf('a-1'), 'manifest.json');
    writeFileSync(file, JSON.stringify({ schemaVersion: 2, tool: { version: '3.0.0' } }));
    await expect(store.find(pathOf('a-1'), PROJECT)).rejects.toThrow(
      `${file} was recorded by a newer Turnwise (3.0.0). Update Turnwise to read it.`,
    );
  });

  it('says which key of its manifest is invalid', async () => {
    await record('a-1');
    writeFileSync(
      join(pathOf('a-1'), 'manifest.json'),
      JSON.stringify({ ...manifestOf('a-1'), tool: { name: 'turnwise' } }),
    );
    await expect(store.find(pathOf('a-1'), PROJECT)).rejects.toThrow('tool.version is missing or invalid');
  });
});

describe('resuming', () => {
  it('continues after the sessions that had finished, also after a torn line', async () => {
    const path = await recordIncomplete('a-1');
    const file = join(path, 'sessions.jsonl');
    truncateSync(file, readFileSync(file).length - 40);
    const incomplete = await store.find('a-1', PROJECT);
    const writer = await store.resume(incomplete, { ...manifestOf('a-1'), state: 'running' });
    for (const outcome of OUTCOMES.slice(2)) await writer.session(outcome, 2);
    await writer.finish(ROWS, manifestOf('a-1'));
    const run = await store.find('a-1', PROJECT);
    expect(await sessionsOf(run)).toEqual(OUTCOMES);
    expect(await run.rows()).toEqual(ROWS);
  });

  it('takes the session that was written last where there are two', async () => {
    await recordIncomplete('a-1');
    const writer = await store.resume(await store.find('a-1', PROJECT), { ...manifestOf('a-1'), state: 'running' });
    for (const outcome of OUTCOMES.slice(0, 1)) await writer.session({ ...outcome, goal: 'again' }, 0);
    await writer.finish(ROWS, manifestOf('a-1'));
    const sessions = await sessionsOf(await store.find('a-1', PROJECT));
    expect(sessions.map(({ goal }) => goal)).toEqual(['again', OUTCOMES[1]?.goal, OUTCOMES[2]?.goal]);
  });

  it('refuses a run that is complete, and one that a living process writes', async () => {
    await record('a-1');
    const complete = await store.find('a-1', PROJECT);
    await expect(store.resume(complete, complete.manifest)).rejects.toThrow('Run 1 is complete');
    const writer = await store.create({ ...manifestOf('a-2'), state: 'running' });
    const live = await store.find('a-2', PROJECT);
    await expect(store.resume(live, live.manifest)).rejects.toThrow('Run 2 is still being written by another process.');
    await expect(store.delete(['a-2'])).rejects.toThrow('Run 2 is still being written.');
    await writer.finish([], manifestOf('a-2', { state: 'interrupted' }));
    await store.delete(['a-2']);
    expect(ids()).toEqual(['a-1']);
  });

  it('refuses a run that another process completed since it was read', async () => {
    await recordIncomplete('a-1');
    const read = await store.find('a-1', PROJECT);
    const other = await store.resume(read, { ...manifestOf('a-1'), state: 'running' });
    await other.finish(ROWS, manifestOf('a-1'));
    await expect(store.resume(read, { ...manifestOf('a-1'), state: 'running' })).rejects.toThrow('Run 1 is complete');
    expect((await store.find('a-1', PROJECT)).manifest.state).toBe('complete');
    expect(readdirSync(pathOf('a-1')).filter((name) => name.startsWith('writer.lock'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('knows its process by more than the id, and at once', async () => {
    const path = await recordIncomplete('a-1');
    const lock = join(path, 'writer.lock');
    const isLive = () => store.list({ project: PROJECT })[0]?.isLive;
    expect(isLive()).toBe(false);
    const running = await store.resume(await store.find('a-1', PROJECT), { ...manifestOf('a-1'), state: 'running' });
    expect(existsSync(lock)).toBe(false);
    const taken = join(path, 'writer.lock.1');
    const own = readFileSync(taken, 'utf8');
    writeFileSync(taken, own.replace(/"start":"/, '$&0'));
    expect(isLive()).toBe(false);
    writeFileSync(taken, own);
    // A process that was suspended, or a clock that was set back.
    for (const minutes of [11, -11]) {
      const touched = new Date(Date.now() - minutes * 60_000);
      utimesSync(taken, touched, touched);
      expect(isLive()).toBe(true);
    }
    await running.finish(ROWS, manifestOf('a-1'));
  });

  it('does not wait for a process of another machine that is silent for ten minutes', async () => {
    const path = await recordIncomplete('a-1');
    const lock = join(path, 'writer.lock');
    writeFileSync(lock, JSON.stringify({ pid: 1, host: 'elsewhere' }));
    expect(store.list({ project: PROJECT })[0]?.isLive).toBe(true);
    const silent = new Date(Date.now() - 11 * 60_000);
    utimesSync(lock, silent, silent);
    expect(store.list({ project: PROJECT })[0]?.isLive).toBe(false);
  });
});

it('says that the folder was deleted while it was written', async () => {
  const manifest = manifestOf('a-1');
  const writer = await store.create({ ...manifest, state: 'running', totals: null });
  for (const outcome of OUTCOMES.slice(0, 1)) await writer.session(outcome, 0);
  rmSync(writer.path, { recursive: true });
  for (const outcome of OUTCOMES.slice(1)) await writer.session(outcome, 1);
  await writer.finish(ROWS, manifest);
  expect(writer.problem).toBe(`The run is not completely recorded in ${writer.path}: the folder was deleted.`);
  expect(existsSync(writer.path)).toBe(false);
  expect(ids()).toEqual([]);
});

describe('the list', () => {
  it('has the newest first, by pages and after a time', async () => {
    for (const day of [2, 1, 3]) await record(`a-${day}`, { startedAt: `2026-11-0${day}T00:00:00.000Z` });
    await record('b-1', { project: '/other' });
    expect(ids()).toEqual(['a-3', 'a-2', 'a-1']);
    expect(ids(store.list({ project: PROJECT, offset: 1, limit: 1 }))).toEqual(['a-2']);
    expect(ids(store.list({ project: PROJECT, after: '2026-11-02T00:00:00.000Z' }))).toEqual(['a-3']);
    expect(ids(store.list({ project: null }))).toHaveLength(4);
  });

  it.each<[string, (file: string) => void]>([
    ['missing', (file) => rmSync(file)],
    ['damaged', (file) => writeFileSync(file, 'x'.repeat(5000))],
    [
      'of another program',
      (file) => writeFileSync(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4000)])),
    ],
  ])('is rebuilt from the folders where the index is %s', async (_, damage) => {
    await record('a-1');
    store[Symbol.dispose]();
    const file = join(home, 'runs', 'index.db');
    for (const part of ['-wal', '-shm']) rmSync(`${file}${part}`, { force: true });
    damage(file);
    store = open();
    expect(ids()).toEqual(['a-1']);
    expect(warnings).toEqual([]);
    expect(readdirSync(join(home, 'runs')).filter((name) => /broken|foreign/.test(name))).toEqual([]);
  });

  it('knows runs that another process wrote, and those that are gone', async () => {
    await record('a-1');
    expect(ids()).toEqual(['a-1']);
    using other = open();
    expect(ids(other.list({ project: PROJECT }))).toEqual(['a-1']);
    renameSync(pathOf('a-1'), join(folder.path, 'moved'));
    expect(ids(other.list({ project: PROJECT }))).toEqual([]);
    renameSync(join(folder.path, 'moved'), pathOf('a-1'));
    expect(ids()).toEqual(['a-1']);
  });

  it('knows that a run is complete whose process was killed before the index was told', async () => {
    const path = await recordIncomplete('a-1');
    expect(store.list({ project: PROJECT })).toMatchObject([{ manifest: { state: 'running' }, isLive: false }]);
    writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifestOf('a-1')));
    expect(store.list({ project: PROJECT })).toMatchObject([{ manifest: { state: 'complete' } }]);
    const elsewhere = await store.create({ ...manifestOf('a-2'), state: 'running' }, 'records');
    rmSync(join(elsewhere.path, 'writer.lock'));
    writeFileSync(join(elsewhere.path, 'manifest.json'), JSON.stringify(manifestOf('a-2', { state: 'interrupted' })));
    expect((await store.find('a-2', PROJECT)).manifest.state).toBe('interrupted');
    expect(store.list({ project: PROJECT })).toMatchObject([{ manifest: { state: 'interrupted' } }, {}]);
  });

  it('leaves out what cannot be read, and says so once', async () => {
    await record('a-1');
    mkdirSync(pathOf('a-2'));
    writeFileSync(join(pathOf('a-2'), 'manifest.json'), '{');
    mkdirSync(pathOf('a-3'));
    expect(ids()).toEqual(['a-1']);
    expect(ids()).toEqual(['a-1']);
    expect(warnings).toEqual([expect.stringContaining('A recorded run is not listed.')]);
  });

  it('creates nothing where nothing was recorded', () => {
    expect(ids()).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });
});

describe('finding', () => {
  beforeEach(async () => {
    await record('20261101T000000000Z-aaaa1111', { startedAt: '2026-11-01T00:00:00.000Z', name: 'nightly' });
    await record('20261102T000000000Z-aaaa2222', { startedAt: '2026-11-02T00:00:00.000Z' });
    await record('20261103T000000000Z-bbbb3333', {
      startedAt: '2026-11-03T00:00:00.000Z',
      git: { commit: '1'.repeat(40), branch: 'topic/x', dirty: true },
    });
  });

  it.each([
    ['last', 'bbbb3333'],
    ['last~2', 'aaaa1111'],
    ['nightly', 'aaaa1111'],
    ['aaaa2', 'aaaa2222'],
    ['20261102', 'aaaa2222'],
    ['main', 'aaaa2222'],
    ['topic/x', 'bbbb3333'],
  ])('%s means a run', async (reference, id) => {
    expect((await store.find(reference, PROJECT)).manifest.id).toMatch(new RegExp(`-${id}$`));
  });

  it.each([
    ['aaaa', '"aaaa" is the beginning of 2 runs: aaaa2222, aaaa1111.'],
    ['last~3', 'This project has only 3 finished runs.'],
    ['baseline', 'This project has no baseline. `turnwise baseline accept` makes a run the baseline.'],
    ['aaa', 'There is no run "aaa". The beginning of an id has at least 4 characters.'],
    ['nowhere', 'There is no run "nowhere". `turnwise history` lists the 3 runs of this project.'],
    ['./nowhere', 'nowhere does not exist.'],
    ['.', 'has no recorded run: it has no manifest.json.'],
  ])('says what is wrong with %s', async (reference, sentence) => {
    await expect(store.find(reference, PROJECT)).rejects.toThrow(sentence);
  });

  it('names no command line in an editor', async () => {
    const inEditor = openRunStore(home, { cwd: folder.path, warn: () => {}, remedies: editorRemedies });
    await expect(inEditor.find('nowhere', PROJECT)).rejects.toThrow(
      'There is no run "nowhere". The Runs view lists the runs of this project.',
    );
    inEditor[Symbol.dispose]();
  });

  it('gives the baseline that was set last', async () => {
    await store.setBaseline('20261103T000000000Z-bbbb3333', true);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await store.setBaseline('20261101T000000000Z-aaaa1111', true);
    expect((await store.find('baseline', PROJECT)).manifest.name).toBe('nightly');
    await store.setBaseline('20261101T000000000Z-aaaa1111', false);
    expect((await store.find('baseline', PROJECT)).manifest.git?.branch).toBe('topic/x');
  });

  it('does not count a run that is being written as the last one', async () => {
    const writer = await store.create({
      ...manifestOf('live-1', { startedAt: '2026-11-09T00:00:00.000Z' }),
      state: 'running',
    });
    expect((await store.find('last', PROJECT)).manifest.id).toMatch(/bbbb3333$/);
    await writer.finish(ROWS, manifestOf('live-1', { startedAt: '2026-11-09T00:00:00.000Z' }));
    expect((await store.find('last', PROJECT)).manifest.id).toBe('live-1');
  });
});

describe('recording elsewhere', () => {
  it('writes a folder there, and lists it until it is gone', async () => {
    const manifest = await record('a-1', { elsewhere: 'records' });
    const path = join(folder.path, 'records', 'a-1');
    expect(store.list({ project: PROJECT })).toMatchObject([{ path, isGone: false, bytes: 0 }]);
    expect((await store.find('records/', PROJECT)).manifest).toEqual(manifest);
    expect(await (await store.find('a-1', PROJECT)).rows()).toEqual(ROWS);
    rmSync(path, { recursive: true });
    expect(store.list({ project: PROJECT })).toMatchObject([{ path, isGone: true }]);
    await expect(store.find('last', PROJECT)).rejects.toThrow(`Run 1 was recorded in ${path}, where it is no longer.`);
  });

  it('writes one file, which is a folder beside it until it is complete', async () => {
    const manifest = manifestOf('a-1');
    const writer = await store.create({ ...manifest, state: 'running' }, 'run.turnwise.zip');
    await writer.session(OUTCOMES[0] ?? expect.unreachable(), 0);
    expect(await sessionsOf(await store.find('a-1', PROJECT))).toEqual(OUTCOMES.slice(0, 1));
    await writer.finish(ROWS.slice(0, 1), manifest);
    expect(readdirSync(folder.path).sort()).toEqual(['home', 'run.turnwise.zip']);
    const run = await store.find('run.turnwise.zip', PROJECT);
    expect(run.manifest).toEqual(manifest);
    expect(await run.rows()).toEqual(ROWS.slice(0, 1));
    expect(await sessionsOf(run)).toEqual(OUTCOMES.slice(0, 1));
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut', (bytes) => bytes.subarray(0, 500)],
    ['is something else', () => Buffer.from('PK')],
    [
      'has a manifest that does not inflate',
      (bytes) => Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(200), bytes.subarray(260)]),
    ],
  ])('says that a file %s', async (_, damage) => {
    await record('a-1', { elsewhere: 'run.zip' });
    const file = join(folder.path, 'run.zip');
    writeFileSync(file, damage(readFileSync(file)));
    await expect(store.find('./run.zip', PROJECT)).rejects.toThrow(/is not a recorded run|is damaged/);
  });
});

describe('deleting', () => {
  it('keeps the newest runs within the bounds, and every baseline', async () => {
    for (const day of [1, 2, 3, 4, 5]) await record(`a-${day}`, { startedAt: `2026-11-0${day}T00:00:00.000Z` });
    await store.setBaseline('a-1', true);
    const removed = await store.retain(PROJECT, { runs: 3, bytes: Number.POSITIVE_INFINITY });
    expect(ids(removed)).toEqual(['a-2']);
    expect(ids()).toEqual(['a-5', 'a-4', 'a-3', 'a-1']);
    const [newest] = store.list({ project: PROJECT });
    await store.retain(PROJECT, { runs: 200, bytes: 1.5 * (newest?.bytes ?? 0) });
    expect(ids()).toEqual(['a-5', 'a-1']);
    await store.retain(PROJECT, { runs: 200, bytes: 0 });
    expect(ids()).toEqual(['a-5', 'a-1']);
    expect(readdirSync(join(home, 'runs', projectKey(PROJECT))).sort()).toEqual(['a-1', 'a-5']);
  });

  it('keeps the run that has just ended, also where the clock was set back', async () => {
    for (const day of [2, 3]) await record(`a-${day}`, { startedAt: `2026-11-0${day}T00:00:00.000Z` });
    await record('a-1', { startedAt: '2020-01-01T00:00:00.000Z' });
    const removed = await store.retain(PROJECT, { runs: 1, bytes: Number.POSITIVE_INFINITY, own: 'a-1' });
    expect(ids(removed)).toEqual(['a-2']);
    expect(ids()).toEqual(['a-3', 'a-1']);
  });

  it('follows no link out of the folder', async () => {
    await record('a-1');
    const outside = join(folder.path, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), '');
    symlinkSync(outside, join(pathOf('a-1'), 'link'));
    symlinkSync(outside, pathOf('a-2'));
    await store.delete(['a-1']);
    await expect(store.delete(['a-2'])).rejects.toThrow('There is no run with the id a-2 any more.');
    expect(readdirSync(outside)).toEqual(['precious']);
  });

  it.each(['..', '../../x', '.hidden', 'a/b', ''])('records nothing under the id %j', async (id) => {
    await expect(store.create(manifestOf(id))).rejects.toThrow('is no id of a run');
    expect(existsSync(home)).toBe(false);
  });
});
