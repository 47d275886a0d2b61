import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { CancellationTokenSource, HoverRequest } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { suppress } from '../../../src/protocol/finding-edits.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { markdown, prompt, saveFeedback } from '../../../src/protocol/panel.ts';
import { resolveLocation } from '../../../src/protocol/report.ts';
import { findTraces, lookalikes } from '../../../src/protocol/results-outline.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { runs as listRuns } from '../../../src/protocol/runs.ts';
import { turns } from '../../../src/protocol/turn-rows.ts';
import { searchTurns } from '../../../src/protocol/turn-search.ts';
import type { RunStore } from '../../../src/runs/run-store.ts';
import { workInWorkers } from '../../../src/server/workers/work-in-workers.ts';
import { openRunStore } from '../../../src/store/runs/run-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const LIMITS = { evaluationMs: 3000, requestMs: 3000, memoryMb: 400 };

/** A folder, and a server whose workers loop where the test wants it. */
async function setUp(files: Readonly<Record<string, string>>, limits = LIMITS, runs?: RunStore) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const startFileWork = workInWorkers(new URL('./looping-worker.ts', import.meta.url), limits);
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    evaluateFiles: { startFileWork },
    folders: [folder.path],
    ...(runs && { runs }),
  });
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  return {
    editor,
    uri,
    path: folder.path,
    evaluate: (...names: readonly string[]) => sendRequest(editor.connection, evaluate, { uris: names.map(uri) }),
    loopOn: (name: string) => writeFile(join(folder.path, `${name}.loop`), ''),
    waitOn: (name: string) => writeFile(join(folder.path, `${name}.slow`), ''),
    locate: (name: string) => sendRequest(editor.connection, resolveLocation, { uri: uri(name), pointer: '/messages' }),
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** How long something takes, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** Starts two threads, so that no start is measured. */
async function warmUp({ evaluate, locate, waitOn }: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  await waitOn('slow.json');
  await Promise.all([locate('slow.json'), evaluate('good.json')]);
}

const FILES = { 'slow.json': trace(), 'stuck.json': trace(), 'good.json': trace(), 'other.json': trace() };

// Other programs can take the processor's time: what is measured is measured again.
describe('an evaluation that loops for ever', { retry: 2 }, () => {
  it('keeps no other file waiting, and becomes a problem of its file', async () => {
    await using there = await setUp(FILES);
    await warmUp(there);
    await there.loopOn('stuck.json');
    let isStuck = true;
    const stuck = there.evaluate('stuck.json').finally(() => {
      isStuck = false;
    });
    // Where an expectation below fails, the server ends before the answer.
    stuck.catch(() => {});
    await there.evaluate('good.json');
    await there.editor.rows();
    expect(isStuck).toBe(true);
    const { complete, problems } = await stuck;
    expect(complete).toBe(true);
    expect(problems).toMatchObject([
      {
        severity: 'error',
        message: expect.stringMatching(/^Can't read the file: it took more than 3 s without progress\. Split it/),
        location: { uri: there.uri('stuck.json') },
      },
    ]);
    expect(await there.editor.rows()).toContainEqual(
      expect.objectContaining({ uri: there.uri('stuck.json'), sessions: 0, problems }),
    );
  });

  it('is restarted without the file, whatever else is in the folder', async () => {
    await using there = await setUp(FILES);
    await there.loopOn('stuck.json');
    const { complete, sessions, problems } = await there.evaluate('.');
    expect({ complete, sessions }).toEqual({ complete: true, sessions: 3 });
    expect(problems.map(({ location }) => location.uri)).toEqual([there.uri('stuck.json')]);
  });

  it.each([
    ['loops in a rule', 'loop in a rule', LIMITS, /it took more than 3 s without progress/],
    [
      'needs too much memory',
      'eat all memory',
      { ...LIMITS, evaluationMs: 60_000, memoryMb: 250 },
      /it needs more memory than there is/,
    ],
  ])('names the file whose evaluation %s', async (_, says, limits, why) => {
    await using there = await setUp({ ...FILES, 'stuck.json': trace({ says }) }, limits);
    const { sessions, problems } = await there.evaluate('.');
    expect(sessions).toBe(3);
    expect(problems).toMatchObject([
      { message: expect.stringMatching(why), location: { uri: there.uri('stuck.json') } },
    ]);
  });

  it('leaves no run that seems to be written still', async () => {
    await using home = await temporaryFolder();
    // The threads open the store of the environment.
    vi.stubEnv('TURNWISE_HOME', home.path);
    using store = openRunStore(home.path, { cwd: home.path, warn: (sentence) => expect.fail(sentence) });
    await using there = await setUp({ ...FILES, 'stuck.json': trace({ says: 'loop in a rule' }) }, LIMITS, store);
    await there.evaluate('.');
    const page = await sendRequest(there.editor.connection, listRuns, { offset: 0, limit: 10 });
    expect(page.rows.at(0)).toMatchObject({ state: 'complete', sessions: 3 });
    expect(page.rows.slice(1)).not.toEqual([]);
    for (const { isLive, state, stoppedBy } of page.rows.slice(1)) {
      expect({ isLive, state }).toEqual({ isLive: false, state: 'interrupted' });
      expect(stoppedBy).toMatch(/^The evaluation was stopped: it took more than 3 s without progress\.$/);
    }
    vi.unstubAllEnvs();
  });

  it('is stopped when it is cancelled, long before the limit', async () => {
    await using there = await setUp(FILES, { ...LIMITS, evaluationMs: 60_000 });
    await there.evaluate('good.json');
    await there.loopOn('stuck.json');
    const stop = new CancellationTokenSource();
    const stuck = sendRequest(there.editor.connection, evaluate, { uris: [there.uri('stuck.json')] }, stop.token);
    setTimeout(() => stop.cancel(), 500);
    await expect(stuck).resolves.toMatchObject({ complete: false });
    await expect(there.evaluate('good.json')).resolves.toMatchObject({ complete: true });
  });
});

type There = Awaited<ReturnType<typeof setUp>>;

/** The session of a file. */
async function sessionIn({ editor, uri }: There, name: string): Promise<string> {
  const { rows } = await sendRequest(editor.connection, sessions, { offset: 0, limit: 10, uri: uri(name) });
  return rows[0]?.key ?? '';
}

/** Requests that read a trace again. */
const REQUESTS: Readonly<Record<string, (there: There, name: string) => Promise<unknown>>> = {
  hover: async ({ editor, uri }, name) =>
    editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri: uri(name) },
      position: { line: LINE_OF_TURN, character: 0 },
    }),
  'a page of turns': async (there, name) =>
    sendRequest(there.editor.connection, turns, { session: await sessionIn(there, name), from: 0, count: 10 }),
  search: async (there, name) =>
    sendRequest(there.editor.connection, searchTurns, {
      session: await sessionIn(there, name),
      query: { text: 'done' },
    }),
  'the preview of a prompt': async (there, name) =>
    sendRequest(there.editor.connection, prompt, {
      session: await sessionIn(there, name),
      turn: 0,
      metric: 'helpfulness',
    }),
  'a copy as Markdown': async (there, name) =>
    sendRequest(there.editor.connection, markdown, { session: await sessionIn(there, name), turn: null }),
  'the location of a value': ({ locate }, name) => locate(name),
  'suppressing a finding': async ({ editor, uri }, name) =>
    sendRequest(editor.connection, suppress, {
      uri: uri(name),
      turn: 0,
      rule: 'unknown-tool',
      reason: 'It is an alias.',
    }),
  feedback: async (there, name) =>
    sendRequest(there.editor.connection, saveFeedback, {
      session: await sessionIn(there, name),
      turn: 0,
      of: { type: 'turn' },
      feedback: { value: 'up', note: null },
    }),
};

/** Where the first turn begins in the text of `trace`. */
const LINE_OF_TURN =
  trace()
    .split('\n')
    .findIndex((line) => line.includes('"Question 0?"')) - 2;

describe('a request that loops for ever', { retry: 2 }, () => {
  it.each(Object.entries(REQUESTS))('for %s keeps no other file waiting', async (_, request) => {
    await using there = await setUp(FILES);
    await there.evaluate('stuck.json', 'good.json', 'other.json');
    await warmUp(there);
    await there.loopOn('stuck.json');
    const stuck = request(there, 'stuck.json').catch((error: unknown) => error);
    for (const name of ['good.json', 'other.json']) {
      for (const other of Object.values(REQUESTS)) {
        const answer = await timed(() => other(there, name));
        expect(answer).toBeLessThan(1000);
      }
    }
    await stuck;
    const row = (await there.editor.rows()).find(({ uri }) => uri === there.uri('stuck.json'));
    expect(row?.problems).toMatchObject([
      {
        severity: 'error',
        message: expect.stringMatching(/^Turnwise has stopped working on this file: it took more than 3 s/),
      },
    ]);
    expect(row?.sessions).toBe(1);
  });

  it('for the search of traces leaves the file out', async () => {
    await using there = await setUp({ ...FILES, 'a/late.json': trace() });
    await there.loopOn('stuck.json');
    const { connection } = there.editor;
    expect(await sendRequest(connection, findTraces, {})).toEqual({ total: Object.keys(FILES).length });
    const { rows } = await sendRequest(connection, lookalikes, { offset: 0, limit: 10 });
    expect(rows.map(({ uri }) => uri)).not.toContain(there.uri('stuck.json'));
  });
});
