import { appendFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  DidChangeWatchedFilesNotification,
  FileChangeType,
  type FileEvent,
  LogMessageNotification,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { type LiveStatus, liveChanged, liveProblem, stopWatching, watchAgent } from '../../../src/protocol/live.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { onNotification, sendRequest } from '../../../src/protocol/rpc.ts';
import { fileOf } from '../../../src/receiver/live-file.ts';
import type { EvaluateFiles } from '../../../src/server/evaluation/evaluator.ts';
import { endSession, OtelAgent } from '../../support/otel-agent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type GeneratedSpan, turnSpans } from '../../unit/receiver/generated-spans.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

type Problem = { readonly session: string; readonly turn: number | null; readonly text: string };

/** A window on a folder, and what its server says of received traces. */
async function openWindow(path: string, options: Readonly<Record<string, unknown>> = {}) {
  const runs: { readonly paths: readonly string[]; readonly rulesOnly: boolean | undefined }[] = [];
  const recorded: EvaluateFiles = (paths, configuration, choices) => {
    runs.push({ paths, rulesOnly: choices.rulesOnly });
    return evaluateFiles(paths, configuration, choices);
  };
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    folders: [path],
    options: { livePort: 0, ...options },
    evaluateFiles: recorded,
  });
  const statuses: (LiveStatus | null)[] = [];
  const problems: Problem[] = [];
  const { connection } = editor;
  onNotification(connection, liveChanged, ({ status }) => void statuses.push(status));
  onNotification(connection, liveProblem, (problem) => void problems.push(problem));
  connection.onNotification(LogMessageNotification.type, () => {});
  const project = pathToFileURL(path).href;
  return {
    editor,
    runs,
    statuses,
    problems,
    watch: () => sendRequest(connection, watchAgent, { project }),
    stop: () => sendRequest(connection, stopWatching, {}),
    headlines: async () => {
      const { rows } = await sendRequest(connection, sessions, { offset: 0, limit: 10 });
      return rows.map(({ headline, turns, state }) => [headline.text, turns, state]);
    },
    [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
  };
}

const endpointOf = ({ port }: LiveStatus) => `http://127.0.0.1:${port}`;

/** As an exporter sends them, in JSON. */
async function send(endpoint: string, spans: readonly GeneratedSpan[]): Promise<void> {
  const scopeSpans = spans.map(({ scope, span }) => ({ scope: { name: scope }, spans: [span] }));
  const response = await fetch(`${endpoint}/v1/traces`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans }] }),
  });
  expect(response.status).toBe(200);
}

async function files(path: string): Promise<string[]> {
  return (await readdir(join(path, '.turnwise', 'live'))).sort();
}

describe('Watch My Agent', { timeout: 60_000 }, () => {
  it('shows a session when its turn is finished, evaluated by the rules alone, and its problem once', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path);
    const status = await window.watch();
    expect(status).toMatchObject({ state: 'receiving', sessions: 0 });
    expect(status.setup).toBe(
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpointOf(status)}\nexport OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\nexport OTEL_BSP_SCHEDULE_DELAY=500\n`,
    );
    expect(status.details).toContain('.turnwise/live has 0 of 500 MB. Sessions are kept for 30 days.');
    await using agent = new OtelAgent({ endpoint: endpointOf(status) });
    agent.turn({ conversation: 'c', order: 'A-1', fails: true });
    await agent.flush();
    await expect.poll(window.headlines).toEqual([['Failed: success claimed after an error (turn 1)', 1, 'fresh']]);
    const [file = ''] = (await files(folder.path)).filter((name) => name.endsWith('.jsonl'));
    const path = join(folder.path, '.turnwise', 'live', file);
    expect(window.runs.every(({ paths, rulesOnly }) => rulesOnly === true && paths.join() === path)).toBe(true);
    const { shown } = window.editor;
    await expect.poll(() => shown.get(pathToFileURL(path).href)?.some(({ severity }) => severity === 1)).toBe(true);
    agent.turn({ conversation: 'c', order: 'A-2', fails: true });
    await agent.flush();
    await expect.poll(window.headlines).toMatchObject([[expect.any(String), 2, 'fresh']]);
    expect(window.problems).toMatchObject([
      { turn: 0, text: expect.stringMatching(/in turn 1 \(Please refund order A-1\.\)$/) },
    ]);
    await expect
      .poll(() => window.statuses.at(-1))
      .toMatchObject({ sessions: 1, label: `Watching ${status.port} · 1 session` });
  });

  it('tells of a session once, also after it was stopped and in the window that takes over', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using second = await openWindow(folder.path);
    const turn = async (status: LiveStatus, conversation: string, order: string) => {
      await using agent = new OtelAgent({ endpoint: endpointOf(status) });
      agent.turn({ conversation, order, fails: true });
      await agent.flush();
    };
    {
      await using first = await openWindow(folder.path);
      await turn(await first.watch(), 'c', 'A-1');
      await expect.poll(() => first.problems).toHaveLength(1);
      await first.stop();
      const status = await first.watch();
      await turn(status, 'c', 'A-2');
      await expect.poll(first.headlines).toMatchObject([[expect.any(String), 2, 'fresh']]);
      await turn(status, 'd', 'B-1');
      await expect.poll(() => first.problems).toHaveLength(2);
      expect(first.problems[1]?.text).toContain('Please refund order B-1.');
      expect((await second.watch()).state).toBe('waiting');
    }
    await expect.poll(() => second.statuses.at(-1)?.state, { timeout: 10_000 }).toBe('receiving');
    const status = await second.watch();
    await turn(status, 'c', 'A-3');
    await turn(status, 'e', 'C-1');
    await expect.poll(() => second.problems).toMatchObject([{ text: expect.stringContaining('order C-1') }]);
    await expect.poll(second.headlines).toHaveLength(2);
    expect(second.problems).toHaveLength(1);
  });

  it('tells of no problem where the setting says so', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path, { liveNotify: false });
    await using agent = new OtelAgent({ endpoint: endpointOf(await window.watch()) });
    agent.turn({ conversation: 'c', order: 'A-1', fails: true });
    await agent.flush();
    await expect.poll(window.headlines).toHaveLength(1);
    await window.stop();
    expect(window.problems).toEqual([]);
  });

  it('writes nothing after it was stopped, and leaves neither its port nor its lock', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path);
    const endpoint = endpointOf(await window.watch());
    await using agent = new OtelAgent({ endpoint });
    agent.turn({ conversation: 'c', order: 'A-1' });
    await agent.flush();
    await expect.poll(window.headlines).toHaveLength(1);
    await window.stop();
    expect(window.statuses.at(-1)).toBeNull();
    const left = await files(folder.path);
    expect(left.filter((name) => !name.endsWith('.jsonl'))).toEqual(['.gitignore']);
    const [file = ''] = left.filter((name) => name.endsWith('.jsonl'));
    const { size } = await stat(join(folder.path, '.turnwise', 'live', file));
    await expect(fetch(`${endpoint}/v1/traces`, { method: 'POST' })).rejects.toThrow();
    expect((await stat(join(folder.path, '.turnwise', 'live', file))).size).toBe(size);
    expect(await files(folder.path)).toEqual(left);
  });

  it('is off until it is asked for', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path);
    await window.stop();
    expect(await readdir(folder.path)).toEqual(['.git']);
    expect(window.statuses).toEqual([]);
  });

  it('receives on the next port when one is taken, and says so', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const livePort = typeof address === 'object' ? (address?.port ?? 0) : 0;
    try {
      await using window = await openWindow(folder.path, { livePort });
      const { port, message } = await window.watch();
      expect(port).toBeGreaterThan(livePort);
      expect(message).toMatch(new RegExp(`^Port ${livePort} is taken: receiving traces on port ${port}\\. Set `));
    } finally {
      taken.close();
    }
  });

  it('waits while another window watches, and takes over when that one closes', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using second = await openWindow(folder.path);
    {
      await using first = await openWindow(folder.path);
      const { port } = await first.watch();
      const waiting = await second.watch();
      expect(waiting).toMatchObject({ state: 'waiting', port, label: 'Watched by another window' });
      expect(waiting.message).toBe(
        `Another window, or turnwise collect, receives the traces of this folder on port ${port}. This window takes over when that one ends.`,
      );
    }
    const closed = performance.now();
    await expect.poll(() => second.statuses.at(-1)?.state, { timeout: 10_000 }).toBe('receiving');
    expect(performance.now() - closed).toBeLessThan(2000);
    const status = await second.watch();
    await using agent = new OtelAgent({ endpoint: endpointOf(status) });
    agent.turn({ conversation: 'c', order: 'A-1' });
    await agent.flush();
    await expect.poll(second.headlines).toHaveLength(1);
  });

  it('does not call a session outdated or evaluate it while a turn is in progress', async () => {
    await using folder = await temporaryFolder({ '.git': '', 'other.trace.json': trace() });
    const other = join(folder.path, 'other.trace.json');
    await using window = await openWindow(folder.path, { evaluateOnChange: 'evaluated' });
    const { connection } = window.editor;
    await sendRequest(connection, evaluate, { uris: [pathToFileURL(other).href] });
    await using agent = new OtelAgent({ endpoint: endpointOf(await window.watch()) });
    agent.turn({ conversation: 'c', order: 'A-1' });
    await agent.flush();
    const file = fileOf('c');
    await window.editor.untilStates({ 'other.trace.json': 'fresh', [file]: 'fresh' });
    const path = join(folder.path, '.turnwise', 'live', file);
    // As the receiver does for spans of a turn that is not finished.
    await appendFile(path, '\n');
    await writeFile(other, trace({ turns: 4 }));
    window.runs.length = 0;
    const type = FileChangeType.Changed;
    const changes = [path, other].map((of): FileEvent => ({ uri: pathToFileURL(of).href, type }));
    await connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    await expect.poll(() => window.runs, { timeout: 10_000 }).toEqual([{ paths: [other], rulesOnly: true }]);
    expect(await window.editor.states()).toMatchObject({ [file]: 'fresh' });
    await window.stop();
    await window.editor.untilStates({ 'other.trace.json': 'fresh', [file]: 'stale' });
  });

  it('removes a session that turns out to be a part of another one', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path);
    const endpoint = endpointOf(await window.watch());
    const turn = { conversation: 'c', steps: 1, named: 'leaf', requests: 0 } as const;
    const [root, ...others] = turnSpans(1, turn);
    await send(endpoint, [root]);
    await expect.poll(() => window.statuses.at(-1)?.sessions).toBe(1);
    await expect.poll(async () => (await window.headlines()).length).toBe(1);
    await send(endpoint, others);
    await expect.poll(async () => Object.keys(await window.editor.states())).toEqual([fileOf('c')]);
    expect(window.statuses.at(-1)?.sessions).toBe(1);
  });

  it('shows and counts sessions no more that were deleted for new ones', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path, { liveMaxSize: 1 });
    const endpoint = endpointOf(await window.watch());
    await using agent = new OtelAgent({ endpoint });
    for (const conversation of ['a', 'b', 'c']) {
      agent.turn({ conversation, order: `A-1 ${'word '.repeat(10_000)}` });
      await agent.flush();
      await expect.poll(async () => Object.keys(await window.editor.states())).toContain(fileOf(conversation));
      await endSession(endpoint, conversation);
    }
    await expect.poll(async () => Object.keys(await window.editor.states())).toHaveLength(2);
    expect(await files(folder.path)).not.toContain(fileOf('a'));
    await expect.poll(() => window.statuses.at(-1)?.sessions).toBe(2);
  });

  it('receives nothing for a folder that is not trusted, and says why', async () => {
    await using folder = await temporaryFolder({ '.git': '' });
    await using window = await openWindow(folder.path, { trusted: false });
    await expect(window.watch()).rejects.toThrow('This folder is not trusted, so no traces are received.');
    expect(await readdir(folder.path)).toEqual(['.git']);
  });

  it('does not write through a link out of the project', async () => {
    await using elsewhere = await temporaryFolder();
    await using folder = await temporaryFolder({ '.turnwise/x': '' });
    await symlink(elsewhere.path, join(folder.path, '.turnwise', 'live'));
    await using window = await openWindow(folder.path);
    await expect(window.watch()).rejects.toThrow('.turnwise/live is a link out of this folder.');
    expect(await readdir(elsewhere.path)).toEqual([]);
  });
});
