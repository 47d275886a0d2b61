import { describe, expect, it } from 'vitest';
import {
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import { documentEdited, evaluate, sessionProblems, sessions } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { ChangingFiles } from '../../unit/server/sync/changing-files.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

const FILE = '/traces/a.trace.json';
const URI = 'file:///traces/a.trace.json';
const START = { line: 0, character: 0 };
const PAGE = { offset: 0, limit: 100 };

/** A line break at the very beginning. */
const LINE = { range: { start: START, end: START }, lines: 1, lastLength: 0 };

/** A server that has evaluated a file. */
async function evaluated(options: Readonly<Record<string, unknown>> = {}) {
  const files = new ChangingFiles({ [FILE]: trace(), '/traces/other.json': trace() });
  const editor = await ConnectedEditor.to({ files, options: { evaluateOnSave: false, ...options } });
  await sendRequest(editor.connection, evaluate, { uris: [URI] });
  files.reads.length = 0;
  const firstFailure = async () => {
    const [row] = (await sendRequest(editor.connection, sessions, PAGE)).rows;
    const result = await sendRequest(editor.connection, sessionProblems, { session: row?.key ?? '', ...PAGE });
    return result.rows[0]?.location.range.start.line ?? -1;
  };
  const turns = async () => (await sendRequest(editor.connection, sessions, PAGE)).rows[0]?.turns;
  return { editor, files, firstFailure, turns, [Symbol.asyncDispose]: () => editor[Symbol.asyncDispose]() };
}

const tell = (editor: ConnectedEditor, params: unknown) =>
  editor.connection.sendNotification(documentEdited.method, params);
const saved = (editor: ConnectedEditor, uri = URI) =>
  editor.connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument: { uri } });

describe('an editor that reports edits without texts', () => {
  it('is sent no text', async () => {
    await using there = await evaluated();
    expect(there.editor.introduced?.capabilities.textDocumentSync).toEqual({
      openClose: false,
      change: TextDocumentSyncKind.None,
      save: true,
    });
  });

  it('makes its results stale and moves them, and fresh again after undo', async () => {
    await using there = await evaluated();
    const { editor, files, firstFailure } = there;
    const before = await firstFailure();
    const changeCount = editor.changes.length;
    await tell(editor, { uri: URI, edits: [LINE, LINE], isDirty: true });
    await editor.until(() => editor.changes.slice(changeCount).some((uris) => uris?.includes(URI)));
    await editor.untilStates({ 'a.trace.json': 'stale' });
    expect(await firstFailure()).toBe(before + 2);

    const undone = { range: { start: START, end: { line: 2, character: 0 } }, lines: 0, lastLength: 0 };
    await tell(editor, { uri: URI, edits: [undone], isDirty: false });
    await editor.untilStates({ 'a.trace.json': 'fresh' });
    expect(await firstFailure()).toBe(before);
    // It was enough to see that nobody has written it.
    expect(files.reads).toEqual([]);
  });

  it('gets diagnostics that follow each edit', async () => {
    await using there = await evaluated();
    const { editor, firstFailure } = there;
    const before = await firstFailure();
    const isShownAt = (line: number) => editor.until(() => editor.shown.get(URI)?.[0]?.range.start.line === line);
    for (const edits of [1, 2, 3]) {
      await tell(editor, { uri: URI, edits: [LINE], isDirty: true });
      await isShownAt(before + edits);
    }
  });

  it('keeps results stale and in place when another text is saved', async () => {
    await using there = await evaluated();
    const { editor, files, firstFailure } = there;
    const before = await firstFailure();
    await tell(editor, { uri: URI, edits: [LINE], isDirty: true });
    files.write(FILE, `\n${trace()}`);
    await tell(editor, { uri: URI, edits: [], isDirty: false });
    await saved(editor);
    await editor.untilStates({ 'a.trace.json': 'stale' });
    expect(await firstFailure()).toBe(before + 1);

    files.write(FILE, trace());
    await saved(editor);
    await editor.untilStates({ 'a.trace.json': 'fresh' });
    expect(await firstFailure()).toBe(before);
    expect(files.reads).toEqual([FILE, FILE]);
  });

  it('gets results at the locations of its unsaved text', async () => {
    await using there = await evaluated();
    const { editor, firstFailure } = there;
    const before = await firstFailure();
    await tell(editor, { uri: URI, edits: [LINE, LINE, LINE], isDirty: true });
    await sendRequest(editor.connection, evaluate, { uris: [URI] });
    expect(await firstFailure()).toBe(before + 3);
    expect(await editor.states()).toEqual({ 'a.trace.json': 'stale' });
  });

  it('is ignored for documents without results', async () => {
    await using there = await evaluated();
    const { editor, files } = there;
    await tell(editor, { uri: 'file:///traces/other.json', edits: [LINE], isDirty: true });
    await saved(editor, 'file:///traces/other.json');
    await tell(editor, { uri: 'not a uri', edits: [LINE], isDirty: true });
    expect(await editor.states()).toEqual({ 'a.trace.json': 'fresh' });
    expect(files.reads).toEqual([]);
  });
});

describe('any other editor', () => {
  const open = (editor: ConnectedEditor, text: string) =>
    editor.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: URI, languageId: 'json', version: 1, text },
    });
  const change = (editor: ConnectedEditor, contentChanges: { range?: typeof LINE.range; text: string }[]) =>
    editor.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: URI, version: 2 },
      contentChanges,
    });

  it('reports the changes of its documents', async () => {
    await using there = await evaluated({ client: 'other' });
    expect(there.editor.introduced?.capabilities.textDocumentSync).toEqual({
      openClose: true,
      change: TextDocumentSyncKind.Incremental,
      save: true,
    });
  });

  it('makes results stale, and fresh again when the document is closed without saving', async () => {
    await using there = await evaluated({ client: 'other' });
    const { editor, firstFailure } = there;
    const before = await firstFailure();
    await open(editor, trace());
    await change(editor, [
      { range: LINE.range, text: '\n\n' },
      { range: LINE.range, text: 'x' },
    ]);
    await editor.untilStates({ 'a.trace.json': 'stale' });
    expect(await firstFailure()).toBe(before + 2);
    await editor.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: URI } });
    await editor.untilStates({ 'a.trace.json': 'fresh' });
    expect(await firstFailure()).toBe(before);
  });

  it('makes results stale when it sends the whole text', async () => {
    await using there = await evaluated({ client: 'other' });
    const { editor, firstFailure } = there;
    const before = await firstFailure();
    await change(editor, [{ text: 'another text' }]);
    await editor.untilStates({ 'a.trace.json': 'stale' });
    expect(await firstFailure()).toBe(before);
  });
});

describe('a saved file', () => {
  const states = { 'a.trace.json': 'fresh' };

  it('is evaluated again when it was evaluated before and has changed', async () => {
    await using there = await evaluated({ evaluateOnSave: true });
    const { editor, files } = there;
    files.write(FILE, trace({ turns: 5 }));
    const changeCount = editor.changes.length;
    await saved(editor);
    await editor.until(() => editor.changes.length > changeCount);
    await editor.untilStates(states);
    expect(await there.turns()).toBe(5);
  });

  it.each([
    ['nothing in it has changed', URI, true],
    ['it was not evaluated before', 'file:///traces/other.json', true],
    ['the user does not want it', URI, false],
  ])('is not evaluated when %s', async (_, uri, evaluateOnSave) => {
    await using there = await evaluated({ evaluateOnSave });
    const { editor, files } = there;
    if (!evaluateOnSave) files.write(FILE, trace({ turns: 5 }));
    await saved(editor, uri);
    await editor.untilStates({ 'a.trace.json': evaluateOnSave ? 'fresh' : 'stale' });
    expect(await there.turns()).toBe(2);
    // Where it was written, it was read once, to see whether it is another.
    expect(files.reads).toEqual(evaluateOnSave ? [] : [FILE]);
  });

  it('as a sidecar makes its traces evaluated again', async () => {
    await using there = await evaluated({ evaluateOnSave: true });
    const { editor, files } = there;
    const suppressions = [{ rule: 'unknown-tool', reason: 'It is known elsewhere.' }];
    files.write('/traces/a.turnwise.json', JSON.stringify({ suppressions }));
    await saved(editor, 'file:///traces/a.turnwise.json');
    const isFound = () => editor.shown.get(URI)?.some(({ code }) => code === 'unknown-tool');
    expect(isFound()).toBe(true);
    await editor.until(() => !isFound());
    expect(await editor.states()).toEqual(states);
  });
});
