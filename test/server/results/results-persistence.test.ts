import { inflateSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import {
  CodeLensRequest,
  DidChangeWatchedFilesNotification,
  DidOpenTextDocumentNotification,
  FileChangeType,
  type FileEvent,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { createProblem } from '../../../src/core/problem.ts';
import { clear, documentEdited, evaluate, restore, sessionProblems, sessions } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import type { EvaluateFiles } from '../../../src/server/evaluation/evaluator.ts';
import { openResultsStore, type StoredFileResults } from '../../../src/store/results-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const A = '/ws/traces/a.trace.json';
const B = '/ws/traces/b.trace.json';
const uri = (path: string) => `file://${path}`;
const PAGE = { offset: 0, limit: 100 };

/** Windows, one after the other or side by side, with one disk and one data folder. */
async function windows(files: Readonly<Record<string, string>> = { [A]: trace(), [B]: trace({ turns: 3 }) }) {
  const home = await temporaryFolder();
  const disk = new ChangingFiles(files);
  const warnings: string[] = [];
  const store = () => openResultsStore(home.path, { warn: (sentence) => warnings.push(sentence) });
  const open = (options: Readonly<Record<string, unknown>> = {}, evaluation: EvaluateFiles = evaluateFiles) =>
    ConnectedEditor.to({ files: disk, store: store(), folders: ['/ws'], options, evaluateFiles: evaluation });
  /** What a window leaves that has evaluated the folder. */
  const evaluated = async () => {
    await using window = await open();
    await sendRequest(window.connection, evaluate, { uris: [uri('/ws/traces')] });
    return await looked(window);
  };
  return { disk, warnings, store, open, evaluated, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

/** All that an editor sees. */
async function looked({ connection, shown }: ConnectedEditor) {
  const { rows } = await sendRequest(connection, sessions, PAGE);
  const result = await Promise.all(
    rows.map(({ key }) => sendRequest(connection, sessionProblems, { session: key, ...PAGE })),
  );
  const lenses = [A, B].map((path) =>
    connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: uri(path) } }),
  );
  // The title may be the first words of the user, which are not stored.
  return {
    rows: rows.map((row) => ({ ...row, title: '' })),
    found: result,
    lenses: await Promise.all(lenses),
    shown: new Map([...shown].sort()),
  };
}

const bringBack = ({ connection }: ConnectedEditor, ...paths: readonly string[]) =>
  sendRequest(connection, restore, { folders: (paths.length > 0 ? paths : ['/ws']).map(uri) });

describe('stored results of an earlier window', () => {
  it('are restored without reading files that have not changed', async () => {
    await using there = await windows();
    const before = await there.evaluated();
    expect(before.rows).toHaveLength(2);
    there.disk.reads.length = 0;
    await using window = await there.open();
    expect(await window.states()).toEqual({});
    expect(await bringBack(window)).toEqual({ files: 2 });
    await window.until(() => window.shown.size === 2);
    expect(await looked(window)).toEqual(before);
    expect(there.disk.reads).toEqual([]);
    expect(there.warnings).toEqual([]);
  });

  it.each([
    ['has changed', (disk: ChangingFiles) => disk.write(A, trace({ turns: 5 })), 'stale'],
    ['was written again as it was', (disk: ChangingFiles) => disk.write(A, trace()), 'fresh'],
    ['is gone', (disk: ChangingFiles) => disk.delete(A), 'gone'],
    [
      'has a sidecar now',
      (disk: ChangingFiles) => disk.write('/ws/traces/a.turnwise.json', '{"goal":"To test."}'),
      'stale',
    ],
  ])('are restored with the state of their file, which %s', async (_, change, state) => {
    await using there = await windows();
    await there.evaluated();
    change(there.disk);
    await using window = await there.open();
    await bringBack(window);
    expect(await window.states()).toEqual({ 'a.trace.json': state, 'b.trace.json': 'fresh' });
  });

  it('are restored with the state of their sidecar', async () => {
    const sidecar = '/ws/traces/a.turnwise.json';
    await using there = await windows({ [A]: trace(), [sidecar]: '{"goal":"To test."}' });
    await there.evaluated();
    const states: unknown[] = [];
    for (const text of ['{"goal":"To test."}', '{"goal":"Another."}', null]) {
      if (text === null) there.disk.delete(sidecar);
      else there.disk.write(sidecar, text);
      await using window = await there.open();
      await bringBack(window);
      states.push((await window.states())['a.trace.json']);
    }
    expect(states).toEqual(['fresh', 'stale', 'stale']);
  });

  it('are watched like those of this window', async () => {
    await using there = await windows();
    await there.evaluated();
    await using window = await there.open();
    await bringBack(window);
    await window.until(() => window.watchers.size === 2);
    there.disk.write(A, trace({ turns: 5 }));
    const changes: FileEvent[] = [{ uri: uri(A), type: FileChangeType.Changed }];
    await window.connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
    await window.untilStates({ 'a.trace.json': 'stale', 'b.trace.json': 'fresh' });
  });

  it('move with edits that were typed before they were restored', async () => {
    await using there = await windows();
    const before = await there.evaluated();
    await using window = await there.open();
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const typed = { uri: uri(A), edits: [{ range, lines: 3, lastLength: 0 }], isDirty: true };
    await window.connection.sendNotification(documentEdited.method, typed);
    await bringBack(window);
    const now = await looked(window);
    const line = ({ found }: typeof now) =>
      found.map(({ rows }) => rows[0]?.location).find((place) => place?.uri === uri(A));
    expect(line(now)?.range.start.line).toBe((line(before)?.range.start.line ?? 0) + 3);
    expect((await window.states())['a.trace.json']).toBe('stale');
  });

  it('are restored only for the requested files', async () => {
    await using there = await windows();
    await there.evaluated();
    await using window = await there.open();
    expect(await bringBack(window, A, '/other')).toEqual({ files: 1 });
    expect(await window.states()).toEqual({ 'a.trace.json': 'fresh' });
    expect(await bringBack(window, '/ws')).toEqual({ files: 1 });
    expect(await bringBack(window, '/ws')).toEqual({ files: 0 });
  });

  it('are restored when another editor opens their file', async () => {
    await using there = await windows();
    await there.evaluated();
    await using window = await there.open({ client: 'other' });
    await window.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: uri(A), languageId: 'json', version: 1, text: trace() },
    });
    // Lenses are refreshed for an editor that has asked for them.
    await window.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: uri(A) } });
    await window.untilStates({ 'a.trace.json': 'fresh' });
  });

  it('do not replace those of this window', async () => {
    await using there = await windows();
    await there.evaluated();
    await using window = await there.open();
    there.disk.write(A, trace({ turns: 5 }));
    await sendRequest(window.connection, evaluate, { uris: [uri(A)] });
    expect(await bringBack(window)).toEqual({ files: 1 });
    const { rows } = await sendRequest(window.connection, sessions, { uri: uri(A), ...PAGE });
    expect(rows.map(({ turns, state }) => [turns, state])).toEqual([[5, 'fresh']]);
  });

  it('are those of the last evaluation in any window', async () => {
    await using there = await windows();
    await using window = await there.open();
    await using other = await there.open();
    await sendRequest(window.connection, evaluate, { uris: [uri('/ws/traces')] });
    there.disk.write(A, trace({ turns: 7 }));
    await sendRequest(other.connection, evaluate, { uris: [uri(A)] });
    await window.shutdown();
    await other.shutdown();
    await using next = await there.open();
    expect(await bringBack(next)).toEqual({ files: 2 });
    expect((await looked(next)).rows.map(({ turns }) => turns).sort()).toEqual([3, 7]);
    expect(there.warnings).toEqual([]);
  });

  it('are removed when an evaluation no longer finds them', async () => {
    await using there = await windows();
    await there.evaluated();
    there.disk.delete(B);
    await there.evaluated();
    await using window = await there.open();
    expect(await bringBack(window)).toEqual({ files: 1 });
  });

  it.each([
    ['no single file, in a process that works in their folder', ''],
    ['their folder', '/ws/traces'],
  ])('survive an evaluation of another file that warns of %s', async (_, file) => {
    using _cwd = vi.spyOn(process, 'cwd').mockReturnValue('/ws');
    const warning = createProblem('warning', 'judge-unanswered', file, 'The judge left 2 questions without an answer.');
    await using there = await windows();
    await there.evaluated();
    {
      await using window = await there.open({}, async (...input) => {
        const { report, ...read } = await evaluateFiles(...input);
        return { ...read, report: { ...report, problems: [...report.problems, warning] } };
      });
      const { problems } = await sendRequest(window.connection, evaluate, { uris: [uri(B)] });
      expect(problems).toMatchObject([{ location: { uri: uri(file === '' ? '/ws' : file) } }]);
    }
    await using window = await there.open();
    expect(await bringBack(window)).toEqual({ files: 2 });
    expect(await window.states()).toEqual({ 'a.trace.json': 'fresh', 'b.trace.json': 'fresh' });
  });

  it('move with a renamed file', async () => {
    await using there = await windows();
    {
      await using window = await there.open();
      await sendRequest(window.connection, evaluate, { uris: [uri('/ws/traces')] });
      there.disk.rename(A, '/ws/traces/c.trace.json');
      const changes: FileEvent[] = [
        { uri: uri(A), type: FileChangeType.Deleted },
        { uri: uri('/ws/traces/c.trace.json'), type: FileChangeType.Created },
      ];
      await window.connection.sendNotification(DidChangeWatchedFilesNotification.type, { changes });
      await window.untilStates({ 'b.trace.json': 'fresh', 'c.trace.json': 'fresh' });
    }
    await using window = await there.open();
    await bringBack(window);
    expect(await window.states()).toEqual({ 'b.trace.json': 'fresh', 'c.trace.json': 'fresh' });
  });

  it('include unreadable files', async () => {
    await using there = await windows({ [A]: '{"broken' });
    await there.evaluated();
    await using window = await there.open();
    await bringBack(window);
    const [row] = await window.rows();
    expect(row).toMatchObject({ uri: uri(A), state: 'fresh', sessions: 0, problems: [{ severity: 'error' }] });
  });
});

describe('cleared results', () => {
  it('are not restored', async () => {
    await using there = await windows();
    await there.evaluated();
    {
      await using window = await there.open();
      await bringBack(window, A);
      // Of the open folder, what was not brought back is forgotten as well.
      await sendRequest(window.connection, clear, {});
      expect(await window.states()).toEqual({});
    }
    await using window = await there.open();
    expect(await bringBack(window)).toEqual({ files: 0 });
  });

  it('are not restored when they are cleared during the restore', async () => {
    await using there = await windows();
    await there.evaluated();
    await using window = await there.open();
    await Promise.all([bringBack(window), sendRequest(window.connection, clear, {})]);
    expect(await window.states()).toEqual({});
  });

  it('are not stored by a write that was in progress', async () => {
    await using there = await windows();
    {
      await using window = await there.open();
      await Promise.all([
        sendRequest(window.connection, evaluate, { uris: [uri('/ws/traces')] }),
        sendRequest(window.connection, evaluate, { uris: [uri('/ws')] }),
      ]);
      await sendRequest(window.connection, clear, {});
    }
    using store = there.store();
    expect(store.pathsUnder(['/'])).toEqual([]);
  });

  it('are those of this folder only', async () => {
    await using there = await windows({ [A]: trace(), '/other/b.trace.json': trace() });
    {
      await using other = await there.open();
      await sendRequest(other.connection, evaluate, { uris: [uri('/other'), uri('/ws')] });
    }
    await using window = await there.open();
    await sendRequest(window.connection, clear, {});
    expect(await bringBack(window, '/ws', '/other')).toEqual({ files: 1 });
  });
});

describe('stored content', () => {
  it('has scores and reasons, and no messages except quotations', async () => {
    const message = 'A sentence that no rule has anything to say about, said by nobody else.';
    await using there = await windows({ [A]: trace({ turns: 1, says: message }) });
    await there.evaluated();
    using store = there.store();
    const text = inflateSync(store.get(A)?.content ?? new Uint8Array()).toString();
    const isIn = [/unknown_tool/, /A sentence that no rule/, /Question 0/, /"metadata"/].map((what) => what.test(text));
    expect(isIn).toEqual([true, false, false, false]);
  });

  it.each([
    ['is damaged', (file: StoredFileResults) => ({ ...file, content: file.content.slice(0, -20) })],
    ['is nothing', (file: StoredFileResults) => ({ ...file, content: new Uint8Array() })],
    ['has another shape', (file: StoredFileResults) => ({ ...file, format: 7 })],
    [
      'is of another program',
      (file: StoredFileResults) => ({ ...file, content: new Uint8Array(Buffer.from('{"sessions":7}')) }),
    ],
  ])('is ignored when it %s', async (_, damage) => {
    await using there = await windows();
    await there.evaluated();
    {
      using store = there.store();
      const file = store.get(A);
      if (file) store.save([damage(file)]);
    }
    await using window = await there.open();
    expect(await bringBack(window)).toEqual({ files: 1 });
    expect(await window.states()).toEqual({ 'b.trace.json': 'fresh' });
  });
});
