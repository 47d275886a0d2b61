import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DidChangeWatchedFilesNotification, FileChangeType } from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import type { EvaluateFiles } from '../../../src/server/evaluation/evaluator.ts';
import { copilotTurn } from '../../support/copilot-log.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const { Changed, Created } = FileChangeType;
const A = '/ws/a.trace.json';
const B = '/ws/b.trace.json';
const C = '/ws/broken/c.json';
const uri = (path: string) => `file://${path}`;

/** An editor that has evaluated one file. */
async function editorOn(evaluateOnChange: 'evaluated' | 'all' | 'off', before: Readonly<Record<string, string>> = {}) {
  const files = new ChangingFiles({ [A]: trace(), ...before });
  const runs: { readonly paths: readonly string[]; readonly rulesOnly: boolean | undefined }[] = [];
  const recorded: EvaluateFiles = (paths, configuration, options) => {
    runs.push({ paths, rulesOnly: options.rulesOnly });
    return evaluateFiles(paths, configuration, options);
  };
  const options = { evaluateOnChange };
  const editor = await ConnectedEditor.to({ files, folders: ['/ws'], options, evaluateFiles: recorded });
  await sendRequest(editor.connection, evaluate, { uris: [A, ...Object.keys(before)].map(uri) });
  runs.length = 0;
  return {
    editor,
    files,
    runs,
    tell: (...changes: readonly (readonly [path: string, type: FileChangeType])[]) =>
      editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: changes.map(([path, type]) => ({ uri: uri(path), type })),
      }),
    turns: async () => {
      const { rows } = await sendRequest(editor.connection, sessions, { uri: uri(A), offset: 0, limit: 10 });
      return rows.map(({ turns, state }) => [turns, state]);
    },
    [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose](),
  };
}

describe('a trace that another program writes', () => {
  it('is evaluated again by the rules alone when it was evaluated before', async () => {
    await using it = await editorOn('evaluated');
    it.files.write(A, trace({ turns: 4 }));
    it.files.write(B, trace());
    await it.tell([A, Changed], [B, Created]);
    await it.editor.untilStates({ 'a.trace.json': 'fresh', 'b.trace.json': 'new' });
    expect(await it.turns()).toEqual([[4, 'fresh']]);
    expect(it.runs).toEqual([{ paths: [A], rulesOnly: true }]);
  });

  it('is evaluated for the first time where the setting includes new traces', async () => {
    await using it = await editorOn('all');
    it.files.write(B, trace());
    await it.tell([B, Created]);
    await it.editor.untilStates({ 'a.trace.json': 'fresh', 'b.trace.json': 'fresh' });
    expect(it.runs).toEqual([{ paths: [B], rulesOnly: true }]);
  });

  it('is one of many that are evaluated together', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `/ws/many-${index}.trace.json`);
    await using it = await editorOn('evaluated', Object.fromEntries(names.map((name) => [name, trace({ turns: 1 })])));
    for (const name of names) {
      it.files.write(name, trace({ turns: 2 }));
      await it.tell([name, Changed]);
    }
    await it.editor.until(() => it.runs.length > 0);
    await it.editor.untilStates(Object.fromEntries([A, ...names].map((path) => [path.slice('/ws/'.length), 'fresh'])));
    expect(it.runs.map(({ paths }) => paths.length)).toEqual([50]);
  });
});

describe('a log that a coding agent writes', () => {
  const fixture = (name: string) =>
    readFile(join(import.meta.dirname, '..', '..', 'fixtures', 'formats', name), 'utf8');

  it.each([
    ['claude-code.jsonl', fixture, 6],
    ['codex.jsonl', fixture, 12],
    ['copilot.jsonl', async () => copilotTurn(1) + copilotTurn(2), 4],
  ] as const)('%s is followed as it grows', async (name, read, begun) => {
    const log = await read(name);
    const lines = log.split(/(?<=\n)/);
    const path = `/ws/logs/${name}`;
    await using it = await editorOn('evaluated', { [path]: lines.slice(0, begun).join('') });
    const turnsNow = async () => {
      const { rows } = await sendRequest(it.editor.connection, sessions, { uri: uri(path), offset: 0, limit: 10 });
      return rows.map((row) => [row.turns, row.state]);
    };
    expect(await turnsNow()).toEqual([[1, 'fresh']]);
    expect(JSON.stringify([...it.editor.watchers.values()])).toContain(uri('/ws/logs'));
    // A line that is written in two parts is read when it is complete.
    it.files.write(path, log.slice(0, -40));
    await it.tell([path, Changed]);
    it.files.write(path, log);
    await it.tell([path, Changed]);
    await it.editor.untilStates({ 'a.trace.json': 'fresh', [name]: 'stale' });
    await it.editor.untilStates({ 'a.trace.json': 'fresh', [name]: 'fresh' });
    expect(await turnsNow()).toEqual([[2, 'fresh']]);
    expect((await it.editor.rows()).flatMap(({ problems }) => problems)).toEqual([]);
    expect(it.runs).toEqual([{ paths: [path], rulesOnly: true }]);
  });
});

describe('a file that no longer parses', () => {
  it('keeps its last results, outdated and with the reason, until it is repaired', async () => {
    await using it = await editorOn('evaluated');
    it.files.write(A, trace().slice(0, 100));
    await it.tell([A, Changed]);
    const isBroken = async () => (await it.editor.rows()).some(({ problems }) => problems.length > 0);
    while (!(await isBroken())) {
      const changeCount = it.editor.changes.length;
      await it.editor.until(() => it.editor.changes.length > changeCount);
    }
    expect(await it.editor.rows()).toMatchObject([{ sessions: 1, state: 'stale', problems: [{ severity: 'error' }] }]);
    expect(await it.turns()).toEqual([[2, 'stale']]);
    expect(it.editor.shown.get(uri(A))).not.toHaveLength(0);

    it.files.write(A, trace({ turns: 3 }));
    await it.tell([A, Changed]);
    await it.editor.untilStates({ 'a.trace.json': 'fresh' });
    expect(await it.editor.rows()).toMatchObject([{ sessions: 1, problems: [] }]);
    expect(await it.turns()).toEqual([[3, 'fresh']]);
  });

  it('is read again when it is repaired by undoing the change', async () => {
    await using it = await editorOn('evaluated');
    it.files.write(A, '{');
    await sendRequest(it.editor.connection, evaluate, { uris: [uri(A)] });
    expect(await it.editor.rows()).toMatchObject([{ sessions: 1, state: 'stale', problems: [{ severity: 'error' }] }]);
    it.files.write(A, trace());
    await it.tell([A, Changed]);
    await it.editor.until(() => it.runs.length === 2);
    await it.editor.untilStates({ 'a.trace.json': 'fresh' });
    while ((await it.editor.rows()).some(({ problems }) => problems.length > 0)) {
      const changeCount = it.editor.changes.length;
      await it.editor.until(() => it.editor.changes.length > changeCount);
    }
    expect(await it.turns()).toEqual([[2, 'fresh']]);
  });

  it('is evaluated when it is repaired, though it was never read before', async () => {
    await using it = await editorOn('evaluated', { [C]: '{' });
    const watched = JSON.stringify([...it.editor.watchers.values()]);
    expect(watched).toContain(uri('/ws/broken'));
    it.files.write(C, trace());
    await it.tell([C, Changed]);
    await it.editor.untilStates({ 'a.trace.json': 'fresh', 'c.json': 'fresh' });
    expect((await it.editor.rows()).flatMap(({ problems }) => problems)).toEqual([]);
  });
});
