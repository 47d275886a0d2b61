import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DidSaveTextDocumentNotification, ShowMessageNotification } from 'vscode-languageserver/node';
import { evaluateFiles, validateConfiguration } from '../../../src/app/evaluate-files.ts';
import { loadRun } from '../../../src/app/load-run.ts';
import type { RecordedSession } from '../../../src/core/run-record.ts';
import { sessionHashes } from '../../../src/core/session-hashes.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { onNotification, sendRequest } from '../../../src/protocol/rpc.ts';
import {
  comparedTranscripts,
  compareRuns,
  deleteRuns,
  exportRun,
  planRejudge,
  previousRun,
  rejudge,
  renameRun,
  runChanges,
  runDistribution,
  runLeaderboard,
  runSessions,
  runs,
  runsById,
  runsChanged,
  runTrend,
  setBaseline,
} from '../../../src/protocol/runs.ts';
import type { RunStore, RunWriter } from '../../../src/runs/run-store.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { exampleOutcomes } from '../../support/example-outcomes.ts';
import { attemptRow, recordedRun, sessionRow } from '../../support/recorded-runs.ts';
import { startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const idOf = (number: number): string => `20261101T0900000${String(number).padStart(2, '0')}Z-0000000${number}`;
const timeOf = (number: number): string => `2026-11-01T09:0${number}:00.000Z`;

/** An editor with one open folder, and a store that this process and the server have. */
class Scene implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  project = '';
  home = '';
  store!: RunStore;
  editor!: ConnectedEditor;

  static async open(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const scene = new Scene();
    const stack = scene.#stack;
    scene.home = stack.use(await temporaryFolder()).path;
    scene.project = stack.use(await temporaryFolder({ '.git/HEAD': '', ...files })).path;
    scene.store = stack.use(scene.open());
    const own = stack.use(scene.open());
    scene.editor = stack.use(
      await ConnectedEditor.to({
        files: nodeFileSystem,
        runs: own,
        folders: [scene.project],
        evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles, {}, own) },
      }),
    );
    return scene;
  }

  /** As another process opens it. */
  open(): RunStore {
    return openRunStore(this.home, { cwd: this.project, warn: (sentence) => expect.fail(sentence) });
  }

  async record(number: number, rows: readonly RecordedSession[], parts: Parameters<typeof recordedRun>[1] = {}) {
    const { manifest } = recordedRun(rows, {
      id: idOf(number),
      startedAt: timeOf(number),
      project: this.project,
      ...parts,
    });
    const writer = await this.store.create({ ...manifest, state: 'running', totals: null });
    await writer.finish(rows, manifest);
    return manifest.id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const PAGE = { offset: 0, limit: 100 };

const tasks = (correct: number, of = 20): RecordedSession[] =>
  Array.from({ length: of }, (_, index) => attemptRow(`task-${index}`, 0, index < correct));

describe('the runs of the open folders', () => {
  it('are listed in pages, the newest first, also those of other processes', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    await scene.record(1, tasks(20, 2), { name: 'first' });
    await scene.record(2, tasks(1, 2), { project: join(scene.project, 'elsewhere') });
    await scene.record(3, tasks(1, 2));
    const page = await sendRequest(connection, runs, { offset: 0, limit: 1 });
    expect(page).toMatchObject({
      rows: [{ id: idOf(3), project: null, verdict: 'failed', sessions: 2, succeeded: 1, failed: 1, isLive: false }],
      hasMore: true,
    });
    const rest = await sendRequest(connection, runs, { offset: 1, limit: 5 });
    expect(rest).toMatchObject({ rows: [{ id: idOf(1), name: 'first' }], hasMore: false });
    const named = await sendRequest(connection, runsById, { runs: [idOf(1), 'unknown'] });
    expect(named.rows.map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it('have changed when another process records one', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const told = Promise.withResolvers<void>();
    onNotification(connection, runsChanged, () => told.resolve());
    expect(await sendRequest(connection, runs, PAGE)).toEqual({ rows: [], hasMore: false });
    await scene.record(1, tasks(1, 1));
    await told.promise;
    const { rows } = await sendRequest(connection, runs, PAGE);
    expect(rows.map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it('say how far a run is that is being written', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const { manifest } = recordedRun([], { id: idOf(1), startedAt: timeOf(1), project: scene.project });
    const writer: RunWriter = await scene.store.create({ ...manifest, state: 'running', totals: null });
    for (const [index, outcome] of (await exampleOutcomes(2)).entries()) await writer.session(outcome, index);
    const told = Promise.withResolvers<readonly string[] | undefined>();
    onNotification(connection, runsChanged, ({ progressed }) => told.resolve(progressed));
    const before = await sendRequest(connection, runs, PAGE);
    expect(before.rows).toMatchObject([{ state: 'running', isLive: true, sessions: 0 }]);
    expect(await told.promise).toEqual([idOf(1)]);
    const { rows } = await sendRequest(connection, runs, PAGE);
    expect(rows).toMatchObject([{ state: 'running', isLive: true, sessions: 2 }]);
    await writer.finish([], { ...manifest, totals: null });
  });

  it('say how many sessions of a run had finished that was killed', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const { manifest } = recordedRun([], { id: idOf(1), startedAt: timeOf(1), project: scene.project });
    const writer: RunWriter = await scene.store.create({ ...manifest, state: 'running', totals: null });
    for (const [index, outcome] of (await exampleOutcomes(2)).entries()) await writer.session(outcome, index);
    await scene.store.interrupt(idOf(1), 'It was killed.');
    const told = Promise.withResolvers<void>();
    onNotification(connection, runsChanged, ({ progressed }) => progressed && told.resolve());
    await sendRequest(connection, runs, PAGE);
    await told.promise;
    const { rows } = await sendRequest(connection, runs, PAGE);
    expect(rows).toMatchObject([{ state: 'interrupted', isLive: false, sessions: 2, stoppedBy: 'It was killed.' }]);
  });

  it('have what the user evaluates, and not what is evaluated on save', async () => {
    const [asked, saved] = ['a.trace.json', 'b.trace.json'] as const;
    await using scene = await Scene.open({ [asked]: trace(), [saved]: trace() });
    const { connection } = scene.editor;
    const [first, second] = [asked, saved].map((name) => pathToFileURL(join(scene.project, name)).href);
    await sendRequest(connection, evaluate, { uris: [first ?? '', second ?? ''] });
    const { rows } = await sendRequest(connection, runs, PAGE);
    expect(rows).toMatchObject([{ state: 'complete', sessions: 2, judge: null, git: null }]);
    await writeFile(join(scene.project, saved), trace({ turns: 3 }));
    await connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument: { uri: second ?? '' } });
    for (;;) {
      const changeCount = scene.editor.changes.length;
      const results = await sendRequest(connection, sessions, PAGE);
      if (results.rows.some(({ turns }) => turns === 3)) break;
      await scene.editor.until(() => scene.editor.changes.length > changeCount);
    }
    const again = await sendRequest(connection, runs, PAGE);
    expect(again.rows).toHaveLength(1);
    const sessionsOfRun = await sendRequest(connection, runSessions, { run: rows[0]?.id ?? '', ...PAGE });
    expect(sessionsOfRun.rows.map(({ file, key }) => [file, key !== null])).toEqual([
      [asked, true],
      [saved, true],
    ]);
  });

  it('have nothing that was evaluated with the rules only, since a file was opened, and no model is asked', async () => {
    await using stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: stub.openai };
    const configuration = JSON.stringify({ judge, metrics: { helpfulness: {} } });
    await using scene = await Scene.open({ 'a.trace.json': trace(), 'turnwise.config.json': configuration });
    const { connection } = scene.editor;
    const uris = [pathToFileURL(join(scene.project, 'a.trace.json')).href];
    expect(await sendRequest(connection, evaluate, { uris, rulesOnly: true })).toMatchObject({ sessions: 1 });
    expect(stub.requests).toEqual([]);
    expect((await sendRequest(connection, runs, PAGE)).rows).toEqual([]);
    await sendRequest(connection, evaluate, { uris });
    expect(stub.requests.length).toBeGreaterThan(0);
    expect((await sendRequest(connection, runs, PAGE)).rows).toHaveLength(1);
  });

  it('have nothing of a folder whose configuration turns the history off', async () => {
    const configuration = JSON.stringify({ history: { record: false } });
    await using scene = await Scene.open({ 'a.trace.json': trace(), 'turnwise.config.json': configuration });
    const uri = pathToFileURL(join(scene.project, 'a.trace.json')).href;
    await sendRequest(scene.editor.connection, evaluate, { uris: [uri] });
    expect((await sendRequest(scene.editor.connection, runs, PAGE)).rows).toEqual([]);
  });

  it('are renamed, exported and deleted', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const run = await scene.record(1, tasks(1, 1));
    await sendRequest(connection, renameRun, { run, name: 'before' });
    expect((await sendRequest(connection, runs, PAGE)).rows).toMatchObject([{ name: 'before' }]);
    const file = join(scene.project, 'a.turnwise.zip');
    await sendRequest(connection, exportRun, { run, target: pathToFileURL(file).href });
    expect(existsSync(file)).toBe(true);
    await sendRequest(connection, deleteRuns, { runs: [run] });
    expect((await sendRequest(connection, runs, PAGE)).rows).toEqual([]);
    await expect(sendRequest(connection, runSessions, { run, ...PAGE })).rejects.toThrow('not recorded any more');
  });
});

describe('a run', () => {
  it('is compared with the newest complete one before it, and its flips are named', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const first = await scene.record(1, tasks(18));
    await scene.record(2, tasks(3), { state: 'interrupted', totals: null });
    const second = await scene.record(3, tasks(4));
    expect((await sendRequest(connection, previousRun, { run: second })).row?.id).toBe(first);
    expect((await sendRequest(connection, previousRun, { run: first })).row).toBeNull();
    const compared = await sendRequest(connection, compareRuns, { runs: [first, second] });
    expect(compared.runs.map(({ id }) => id)).toEqual([first, second]);
    expect(compared.headline.conclusion).toBe('worse');
    expect(compared.comparison.flips).toHaveLength(14);
    const withItself = await sendRequest(connection, compareRuns, { runs: [first, first] });
    expect(withItself.comparison.comparability).toMatchObject([{ remedy: 'Choose another run in the Runs view.' }]);
    await expect(sendRequest(connection, compareRuns, { runs: [first, idOf(9)] })).rejects.toThrow(
      'One of these runs is not recorded any more.',
    );
  });

  it('becomes the baseline for a reason, unless something is missing, which is said', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const stopped = await scene.record(1, tasks(3), { state: 'interrupted', totals: null });
    const refused = await sendRequest(connection, setBaseline, { run: stopped, reason: 'Released.' });
    expect(refused).toEqual({
      missing: [expect.stringMatching(/^The run is not complete.* run "Turnwise: Evaluate Traces in Folder"\.$/)],
    });
    const run = await scene.record(2, tasks(18));
    const accepted = await sendRequest(connection, setBaseline, { run, reason: 'Released as 1.4.' });
    expect(accepted).toEqual({ written: join(scene.project, 'turnwise.baseline.json') });
    expect(await readFile(join(scene.project, 'turnwise.baseline.json'), 'utf8')).toContain('Released as 1.4.');
    expect((await sendRequest(connection, runs, PAGE)).rows).toMatchObject([
      { baseline: 'current' },
      { baseline: null },
    ]);
  });

  it('is an earlier baseline once another one was accepted, also on a page without that one', async () => {
    await using scene = await Scene.open();
    const [older, newer] = [await scene.record(1, tasks(18)), await scene.record(2, tasks(18))];
    await scene.store.setBaseline(newer, true);
    await setTimeout(2);
    await scene.store.setBaseline(older, true);
    const baselines = async (limit: number) =>
      (await sendRequest(scene.editor.connection, runs, { offset: 0, limit })).rows.map(({ baseline }) => baseline);
    expect(await baselines(2)).toEqual(['earlier', 'current']);
    expect(await baselines(1)).toEqual(['earlier']);
  });

  it('lists its sessions, the worst first, where their files are', async () => {
    await using scene = await Scene.open();
    const run = await scene.record(1, tasks(2, 3));
    const { total, rows } = await sendRequest(scene.editor.connection, runSessions, { run, offset: 0, limit: 2 });
    expect(total).toBe(3);
    expect(rows.map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
    expect(rows[0]).toMatchObject({
      uri: pathToFileURL(join(scene.project, 'traces/task-2-0.json')).href,
      key: null,
      task: 'task-2 · 0',
    });
  });

  it('ends the trend that it is asked for', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    for (const [index, correct] of [18, 17, 4].entries()) await scene.record(index + 1, tasks(correct));
    const { trend, subjects } = await sendRequest(connection, runTrend, { run: idOf(2), subject: null, task: null });
    expect(trend?.points.map(({ run, value }) => [run, value])).toEqual([
      [idOf(1), 0.9],
      [idOf(2), 0.85],
    ]);
    expect(subjects[0]).toMatchObject({ name: trend?.subject.name });
    const subject = trend?.subject.name ?? '';
    const { distribution } = await sendRequest(connection, runDistribution, { run: idOf(3), subject });
    expect(distribution?.mean).toBe(0.2);
    const { leaderboard } = await sendRequest(connection, runLeaderboard, { run: idOf(3) });
    expect(leaderboard.tasks[0]).toMatchObject({ attempts: 3, correct: 0 });
  });
});

describe('a run whose judge differs from that of the next', () => {
  const judged = (model: string, provider = 'openai') => ({ plan: { judge: { provider, model } } });

  async function open(baseUrl: string): Promise<Scene> {
    return await Scene.open({
      'a.trace.json': trace(),
      'b.trace.json': trace({ says: 'Something else.' }),
      'turnwise.config.json': JSON.stringify({
        judge: { provider: 'openai', model: 'old', baseUrl },
        metrics: { helpfulness: {} },
      }),
    });
  }

  async function rowsOf(scene: Scene): Promise<RecordedSession[]> {
    const files = ['a.trace.json', 'b.trace.json'];
    const signal = new AbortController().signal;
    const read = files.map(async (file) => {
      const { sessions } = await loadRun([join(scene.project, file)], validateConfiguration({}), { signal });
      return sessions.map((session) => sessionRow({ id: session.id, file, ...sessionHashes(session) }));
    });
    return (await Promise.all(read)).flat();
  }

  it('is judged again as far as its files are unchanged, which makes another run and no results of the editor', async () => {
    await using stub = await startStubModels();
    await using scene = await open(stub.openai);
    const { connection } = scene.editor;
    const rows = await rowsOf(scene);
    const first = await scene.record(1, rows, judged('old'));
    const second = await scene.record(2, rows, judged('next'));
    await writeFile(join(scene.project, 'b.trace.json'), trace({ turns: 3 }));
    const plan = await sendRequest(connection, planRejudge, { run: first });
    const uri = pathToFileURL(join(scene.project, 'a.trace.json')).href;
    expect(plan).toEqual({ uris: [uri], sessions: 1, missing: [rows[1]?.id], missingCount: 1 });
    const { run, reasons } = await sendRequest(connection, rejudge, { uris: plan.uris, by: second });
    expect(reasons).toEqual([]);
    expect(new Set(stub.requests.map(({ model }) => model))).toEqual(new Set(['next']));
    const listed = await sendRequest(connection, runs, PAGE);
    expect(listed.rows[0]).toMatchObject({ id: run, judge: 'openai/next', sessions: 1, state: 'complete' });
    expect((await sendRequest(connection, sessions, PAGE)).total).toBe(0);
  });

  it('leaves no run behind where its judge cannot be used, and says why', async () => {
    await using stub = await startStubModels();
    await using scene = await open(stub.openai);
    const { connection } = scene.editor;
    const rows = await rowsOf(scene);
    const first = await scene.record(1, rows, judged('old'));
    const second = await scene.record(2, rows, judged('m', 'unknown'));
    const { uris } = await sendRequest(connection, planRejudge, { run: first });
    const { run, reasons } = await sendRequest(connection, rejudge, { uris, by: second });
    expect([run, stub.requests]).toEqual([null, []]);
    expect(reasons.join(' ')).toContain('unknown');
    expect((await sendRequest(connection, runs, PAGE)).rows.map(({ id }) => id)).toEqual([second, first]);
  });
});

describe('what changed against the run before', () => {
  it('is listed the worst first, with the sessions on both sides', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const first = await scene.record(1, tasks(18));
    await scene.record(2, tasks(3), { state: 'interrupted', totals: null });
    const second = await scene.record(3, tasks(4));
    const page = await sendRequest(connection, runChanges, { run: second, offset: 0, limit: 2 });
    expect(page).toMatchObject({ previous: { id: first }, worse: 14, better: 0, unclear: 0 });
    expect(page.rows).toHaveLength(2);
    expect(page.rows[0]).toMatchObject({
      title: 'task-4',
      direction: 'worse',
      before: { of: 'run', run: first, file: 'traces/task-4-0.json' },
      after: { of: 'run', run: second, file: 'traces/task-4-0.json' },
    });
    const next = await sendRequest(connection, runChanges, { run: second, offset: 2, limit: 2 });
    expect(next.rows[0]?.title).toBe('task-6');
  });

  it('is nothing of a first run, and of one that is not complete', async () => {
    await using scene = await Scene.open();
    const { connection } = scene.editor;
    const first = await scene.record(1, tasks(18));
    const second = await scene.record(2, tasks(18), { state: 'interrupted', totals: null });
    for (const run of [first, second]) {
      expect(await sendRequest(connection, runChanges, { run, ...PAGE })).toMatchObject({ previous: null, rows: [] });
    }
    const third = await scene.record(3, tasks(18));
    const { previous, summary } = await sendRequest(connection, runChanges, { run: third, ...PAGE });
    expect([previous?.id, summary]).toEqual([first, 'No session changed its outcome or verdict.']);
  });
});

describe('alerts of the configuration', () => {
  /** Twelve tasks, of which the first so many have failed. */
  const attempts = (failed: number): string =>
    JSON.stringify(
      Array.from({ length: 12 }, (_, task) => ({
        task_id: task,
        trial: 0,
        reward: task < failed ? 0 : 1,
        traj: [
          { role: 'user', content: `Question ${task}` },
          { role: 'assistant', content: 'Answer' },
        ],
      })),
    );

  it('are shown in the row of the run, and in a message while they are new', async () => {
    const marker = 'the command of the alerts ran';
    const command = [process.execPath, '-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`];
    await using scene = await Scene.open({
      'good.trace.json': attempts(0),
      'bad.trace.json': attempts(11),
      'turnwise.config.json': JSON.stringify({
        alerts: { when: [{ metric: 'correct', direction: 'falls' }], command },
        gates: { outcome: false, failOn: 'never' },
      }),
    });
    const { connection } = scene.editor;
    const messages: string[] = [];
    connection.onNotification(ShowMessageNotification.type, ({ message }) => {
      messages.push(message);
    });
    const evaluateFile = (name: string) =>
      sendRequest(connection, evaluate, { uris: [pathToFileURL(join(scene.project, name)).href] });
    for (const name of ['good.trace.json', 'good.trace.json', 'good.trace.json', 'bad.trace.json']) {
      await evaluateFile(name);
    }
    const { rows } = await sendRequest(connection, runs, PAGE);
    expect(rows.map(({ alerts }) => alerts.length)).toEqual([1, 0, 0, 0]);
    expect(rows[0]?.alerts[0]).toMatch(/^correct falls: 8[.]3 % in this run, 100 % in 3 runs before[.]$/);
    await evaluateFile('bad.trace.json');
    expect((await sendRequest(connection, runs, PAGE)).rows[0]?.alerts).toHaveLength(1);
    expect(messages).toEqual([`Alert: ${rows[0]?.alerts[0]}`]);
    expect(existsSync(join(scene.project, marker))).toBe(false);
  });
});

describe('two transcripts', () => {
  const FILE = 'a.trace.json';

  async function rowOf(scene: Scene): Promise<RecordedSession> {
    const path = join(scene.project, FILE);
    const signal = new AbortController().signal;
    const { sessions } = await loadRun([path], validateConfiguration({}), { signal });
    const [session] = sessions;
    if (!session) throw new Error('The trace has no session.');
    return sessionRow({ id: session.id, file: FILE, ...sessionHashes(session) });
  }

  it('are aligned at the first step that differs: that of a run, and the one with current results', async () => {
    await using scene = await Scene.open({ [FILE]: trace({ turns: 1 }), 'b.trace.json': trace({ turns: 2 }) });
    const { connection } = scene.editor;
    const row = await rowOf(scene);
    const run = await scene.record(1, [row]);
    const uri = pathToFileURL(join(scene.project, 'b.trace.json')).href;
    await sendRequest(connection, evaluate, { uris: [uri] });
    const [result] = (await sendRequest(connection, sessions, PAGE)).rows;
    const key = result?.key ?? '';
    const compared = await sendRequest(connection, comparedTranscripts, {
      left: { of: 'run', run, session: row.id, file: FILE },
      right: { of: 'results', key },
      ...PAGE,
    });
    expect(compared).toMatchObject({
      left: { run: { id: run }, missing: null, line: 1 },
      right: { run: null, missing: null, key },
      total: 6,
      divergence: 3,
    });
    expect(compared.rows.map(({ change }) => change)).toEqual(['same', 'same', 'same', 'right', 'right', 'right']);
  });

  it('say why one of them is missing: its file has changed, or is gone', async () => {
    await using scene = await Scene.open({ [FILE]: trace({ turns: 1 }) });
    const { connection } = scene.editor;
    const row = await rowOf(scene);
    const run = await scene.record(1, [row, sessionRow({ id: 'gone', file: 'gone.json' })]);
    await writeFile(join(scene.project, FILE), trace({ turns: 1, says: 'Something else.' }));
    const side = { of: 'run', run } as const;
    const compared = await sendRequest(connection, comparedTranscripts, {
      left: { ...side, session: row.id, file: FILE },
      right: { ...side, session: 'gone', file: 'gone.json' },
      ...PAGE,
    });
    expect(compared.left.missing).toContain('changed after this run');
    expect(compared.right.missing).toContain('cannot be read any more');
    expect(compared.rows).toEqual([]);
  });
});
