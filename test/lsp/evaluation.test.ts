import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CancellationTokenSource,
  type ClientCapabilities,
  CodeActionRequest,
  type CodeLens,
  CodeLensRefreshRequest,
  CodeLensRequest,
  DiagnosticSeverity,
  DidChangeConfigurationNotification,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  ErrorCodes,
  ExecuteCommandRequest,
  FileChangeType,
  HoverRequest,
  InlayHintRequest,
  WorkDoneProgressCancelNotification,
  WorkDoneProgressCreateRequest,
} from 'vscode-languageserver/node';
import { delayedReply, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, GOOD, LOOPING, user } from '../support/traces.ts';
import { Editor, type Introduction } from './editor.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

/** Lines of one trace, which holds characters of one, two and four UTF-16 code units, and ends its lines as Windows does. */
const WRONG_TOOL = [
  '{',
  '  "model": "m", "tools": [{ "type": "function", "function": { "name": "get_order", "parameters": { "type": "object" } } }],',
  '  "messages": [',
  '    { "role": "user", "content": "Show order A-1001, please. 🙏🏽" },',
  '    { "role": "assistant", "content": "One moment 🚀🚀…", "tool_calls": [{ "id": "c1", "type": "function", "function": { "name": "fetch_order", "arguments": "{}" } }] },',
  '    { "role": "tool", "tool_call_id": "c1", "content": "Error: there is no tool fetch_order" },',
  '    { "role": "assistant", "content": "I am sorry, that did not work." },',
  '    { "role": "user", "content": "Never mind then." },',
  '    { "role": "assistant", "content": "As you like." }',
  '  ]',
  '}',
].join('\r\n');

/** Where the call stands: behind 71 characters, of which two are of two units each, and 92 units long. */
const CALL = { start: { line: 4, character: 73 }, end: { line: 4, character: 165 } };

/** So long that there is time to stop it. */
const LONG = chat(
  ...Array.from({ length: 4000 }, (_, index) => [
    user(`What is ${index} squared?`),
    agent(`It is ${index * index}.`),
  ]).flat(),
);

async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const made = await temporaryFolder({ '.git': '', ...files });
  open.push(made);
  return made.path;
}

async function editorIn(cwd: string, introduction: Introduction = {}): Promise<Editor> {
  const editor = new Editor(cwd);
  open.push(editor);
  await editor.initialize(introduction);
  return editor;
}

async function editorOf(files: Readonly<Record<string, string>>, introduction: Introduction = {}): Promise<Editor> {
  return editorIn(await folder(files), introduction);
}

async function lensesOn({ connection }: Editor, uri: string): Promise<readonly CodeLens[]> {
  return (await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
}

function titles(lenses: readonly CodeLens[]): (readonly [line: number, title: string])[] {
  return lenses.map(({ range, command }) => [range.start.line, command?.title ?? '']);
}

const everywhere = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };

describe('an evaluation', () => {
  it('shows its results at the right locations, in UTF-16 code units', async () => {
    const editor = await editorOf({ 'wrong tool ü.trace.json': WRONG_TOOL }, { options: { inlayHints: true } });
    const { connection } = editor;
    const uri = editor.uri('wrong tool ü.trace.json');
    const textDocument = { uri };
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'json', version: 1, text: WRONG_TOOL },
    });
    expect(titles(await lensesOn(editor, uri))).toEqual([[0, 'Evaluate with Turnwise']]);
    const [evaluation] = await lensesOn(editor, uri);
    const { command = '', arguments: args = [] } = evaluation?.command ?? {};
    expect(await editor.execute(command, ...args)).toEqual({ complete: true, sessions: 1, problems: [] });

    const diagnostics = editor.shown.get(uri) ?? [];
    expect(diagnostics.filter(({ severity }) => severity !== DiagnosticSeverity.Hint)).toMatchObject([
      { range: CALL, code: 'unknown-tool', severity: DiagnosticSeverity.Error, source: 'Turnwise' },
    ]);
    expect(WRONG_TOOL.split('\r\n')[4]?.slice(CALL.start.character, CALL.end.character)).toMatch(
      /^\{ "id": "c1".* \}$/,
    );
    const lenses = await lensesOn(editor, uri);
    expect(titles(lenses)).toEqual([
      [0, expect.stringContaining('Failed: unknown tool')],
      [3, expect.stringContaining('unknown tool: fetch_order')],
    ]);
    const hints = await connection.sendRequest(InlayHintRequest.type, { textDocument, range: everywhere });
    expect(hints).toMatchObject([
      { position: { line: 3, character: 69 }, label: expect.stringContaining('unknown tool: fetch_order') },
    ]);
    const on = (line: number, character: number) =>
      connection.sendRequest(HoverRequest.type, { textDocument, position: { line, character } });
    expect(await on(3, 69)).toMatchObject({
      contents: { value: expect.stringContaining('[Unknown tool: fetch\\_order]') },
    });
    // The editor shows the diagnostic there.
    expect(await on(4, 73)).toBeNull();
    expect(editor.asked).toContain(CodeLensRefreshRequest.method);
    expect(editor.garbage).toBe('');
    await connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
    expect(editor.shown.get(uri)).toEqual(diagnostics);
    expect(await editor.leave()).toBe(0);
  });

  it('recognises a file by any spelling of its URI', async () => {
    const editor = await editorOf({ 'a(1)~é.json': WRONG_TOOL });
    await editor.execute('turnwise.evaluate', editor.uri('a(1)~é.json'));
    const encoded = `file://${editor.cwd}/a%281%29%7E%C3%A9.json`;
    expect(await lensesOn(editor, encoded)).toHaveLength(2);
  });

  it('reports its progress from 0 to the end', async () => {
    const editor = await editorOf({ 'a.json': LONG });
    await editor.execute('turnwise.evaluate', editor.uri('a.json'));
    const [reported = []] = editor.progress.values();
    expect(reported[0]).toEqual({ kind: 'begin', title: 'Evaluating', percentage: 0, cancellable: true });
    expect(reported.at(-1)).toEqual({ kind: 'end' });
    expect(reported.filter(({ kind }) => kind === 'report')).toContainEqual({
      kind: 'report',
      percentage: expect.any(Number),
      message: expect.stringMatching(/^\d+ of 4000 turns$/),
    });
  });

  it('reports the problems so far, and the calls of a judge', async () => {
    // Slower than the pause between two messages.
    await using stub = await startStubModels(() => delayedReply(setTimeout(500)));
    const judge = { provider: 'ollama', model: 'm', baseUrl: stub.origin, concurrency: 1 };
    const editor = await editorOf({
      'a.trace.json': WRONG_TOOL,
      'turnwise.config.json': JSON.stringify({ judge, metrics: ['helpfulness'] }),
    });
    await editor.execute('turnwise.evaluate', editor.uri('a.trace.json'));
    const messages = [...editor.progress.values()].flat().flatMap((value) => {
      return value.kind === 'report' && value.message !== undefined ? [value.message] : [];
    });
    const calls = stub.requests.length;
    expect(calls).toBeGreaterThan(0);
    expect(messages).toContainEqual(expect.stringMatching(`^judging \\d of ${calls} calls · 1 problem so far$`));
  });

  it('marks judged scores as outdated when another program changes the file', async () => {
    await using stub = await startStubModels();
    const judge = { provider: 'ollama', model: 'm', baseUrl: stub.origin };
    const editor = await editorOf({
      'a.trace.json': WRONG_TOOL,
      'turnwise.config.json': JSON.stringify({ judge, metrics: ['helpfulness'] }),
    });
    const uri = editor.uri('a.trace.json');
    await editor.execute('turnwise.evaluate', uri);
    const calls = stub.requests.length;
    await writeFile(join(editor.cwd, 'a.trace.json'), WRONG_TOOL.replace('Never mind', 'Forget it'));
    await editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri, type: FileChangeType.Changed }],
    });
    await expect
      .poll(async () => titles(await lensesOn(editor, uri)), { timeout: 20_000 })
      .toContainEqual([0, expect.stringMatching(/· outdated: judged scores$/)]);
    expect(stub.requests).toHaveLength(calls);
    await editor.execute('turnwise.evaluate', uri);
    expect(titles(await lensesOn(editor, uri)).join()).not.toContain('outdated');
    expect(stub.requests.length).toBeGreaterThan(calls);
  });

  it('reports progress under the token of the request', async () => {
    const editor = await editorOf({ 'a.json': GOOD });
    editor.follow('mine');
    const args = { command: 'turnwise.evaluate', arguments: [editor.uri('a.json')], workDoneToken: 'mine' };
    await editor.connection.sendRequest(ExecuteCommandRequest.type, args);
    const kinds = editor.progress.get('mine')?.map(({ kind }) => kind);
    expect([kinds?.at(0), kinds?.at(-1)]).toEqual(['begin', 'end']);
    expect(editor.asked).not.toContain(WorkDoneProgressCreateRequest.method);
  });

  it.each<[string, ClientCapabilities]>([
    ['cannot show progress', {}],
    ['will not show progress', { window: { workDoneProgress: true } }],
  ])('continues when the editor %s', async (_, capabilities) => {
    const editor = await editorOf({ 'a.json': GOOD }, { capabilities });
    editor.connection.onRequest(WorkDoneProgressCreateRequest.type, () => {
      throw new Error('No.');
    });
    expect(await editor.execute('turnwise.evaluate', editor.uri('a.json'))).toMatchObject({ complete: true });
    expect([...editor.progress.values()].flat()).toEqual([]);
  });

  it('continues when the editor answers nothing as specified', async () => {
    const editor = await editorOf({ 'a.json': GOOD });
    editor.connection.onRequest(CodeLensRefreshRequest.type, () => {
      throw new Error('Not now.');
    });
    expect(await editor.execute('turnwise.evaluate', editor.uri('a.json'))).toMatchObject({ complete: true });
    expect(await editor.execute('turnwise.evaluateAgain')).toMatchObject({ complete: true });
    expect(await editor.leave()).toBe(0);
  });
});

describe('an edited file', () => {
  it('keeps its results at the right locations, in UTF-16 code units, until it is saved and evaluated again', async () => {
    const editor = await editorOf({ 'a.json': WRONG_TOOL });
    const { connection } = editor;
    const uri = editor.uri('a.json');
    const textDocument = { uri, version: 1 };
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { ...textDocument, languageId: 'json', text: WRONG_TOOL },
    });
    await editor.execute('turnwise.evaluate', uri);
    const call = () => editor.shown.get(uri)?.find(({ code }) => code === 'unknown-tool')?.range.start;
    expect(call()).toEqual(CALL.start);

    const at = (line: number, from: number, to = from) => ({
      start: { line, character: from },
      end: { line, character: to },
    });
    const [before, after] = ['"One moment 🚀🚀…"', '"🙂🙂 One moment …"'];
    const contentChanges = [
      { range: at(4, 39), text: '🙂🙂 ' },
      { range: at(0, 1), text: '\r\n\r\n' },
      { range: at(6, 55, 59), text: '' },
    ];
    await connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
    await editor.until(() => call()?.line === 6);
    // Five units came before it on its line, and four went.
    expect(call()).toEqual({ line: 6, character: CALL.start.character + 5 - 4 });
    const lenses = titles(await lensesOn(editor, uri));
    expect(lenses.map(([line]) => line).sort()).toEqual([0, 0, 5]);
    expect(lenses).toContainEqual([0, 'Evaluate Again']);

    const edited = WRONG_TOOL.replace(before, after).replace('{', '{\r\n\r\n');
    expect(edited.split('\r\n')[6]?.indexOf('{ "id"')).toBe(call()?.character);
    await writeFile(join(editor.cwd, 'a.json'), edited.replace('fetch_order', 'get_order'));
    await connection.sendNotification(DidSaveTextDocumentNotification.type, { textDocument });
    await editor.until(() => call() === undefined);
    expect(titles(await lensesOn(editor, uri))).not.toContainEqual([0, 'Evaluate Again']);
  });

  it('keeps results on their lines when the whole text is sent as one change', async () => {
    const editor = await editorOf({ 'a.json': WRONG_TOOL });
    const { connection } = editor;
    const uri = editor.uri('a.json');
    const textDocument = { uri, version: 1 };
    await editor.execute('turnwise.evaluate', uri);
    const places = () => editor.shown.get(uri)?.map(({ range }) => range);
    const before = places();
    const lines = WRONG_TOOL.split('\r\n').length;
    const range = { start: { line: 0, character: 0 }, end: { line: lines, character: 0 } };
    const contentChanges = [{ range, text: `${WRONG_TOOL}\r\n\r\n` }];
    await connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
    expect(titles(await lensesOn(editor, uri))).toContainEqual([0, 'Evaluate Again']);
    expect(places()).toEqual(before);
    expect(editor.strange).toEqual([]);
  });

  it('is restored when the edits are discarded', async () => {
    const editor = await editorOf({ 'a.json': WRONG_TOOL });
    const { connection } = editor;
    const uri = editor.uri('a.json');
    const textDocument = { uri, version: 1 };
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { ...textDocument, languageId: 'json', text: WRONG_TOOL },
    });
    await editor.execute('turnwise.evaluate', uri);
    const diagnostics = editor.shown.get(uri);
    const range = { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } };
    const contentChanges = [{ range, text: '' }];
    await connection.sendNotification(DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
    await editor.until(() => editor.shown.get(uri)?.[0]?.range.start.line === 1);
    await connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
    await editor.until(() => editor.shown.get(uri)?.[0]?.range.start.line === 4);
    expect(editor.shown.get(uri)).toEqual(diagnostics);
  });
});

describe('code actions', () => {
  it('are sent as edits to an editor without Turnwise commands', async () => {
    const editor = await editorOf({ 'a.json': WRONG_TOOL });
    const uri = editor.uri('a.json');
    await editor.execute('turnwise.evaluate', uri);
    const actions = await editor.connection.sendRequest(CodeActionRequest.type, {
      textDocument: { uri },
      range: CALL,
      context: { diagnostics: [...(editor.shown.get(uri) ?? [])] },
    });
    const changes = { [editor.uri('a.turnwise.json')]: [{ newText: expect.stringContaining('unknown-tool') }] };
    expect(actions?.find(({ title }) => title.startsWith('Suppress unknown-tool in Turn 1'))).toMatchObject({
      kind: 'quickfix',
      diagnostics: [{ code: 'unknown-tool' }],
      edit: { changes },
    });
    expect(actions?.every((action) => !('command' in action))).toBe(true);
  });
});

describe('stopping an evaluation', () => {
  it('works through the progress', async () => {
    const editor = await editorOf({ 'a.json': LONG });
    const evaluated = editor.execute('turnwise.evaluate', editor.uri('a.json'));
    await editor.until(() => [...editor.progress.values()].flat().length > 0);
    const [token = ''] = editor.progress.keys();
    await editor.connection.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    expect(await evaluated).toMatchObject({ complete: false });
    expect(editor.progress.get(token)?.at(-1)).toEqual({ kind: 'end' });
  });

  it('works by cancelling the request', async () => {
    const editor = await editorOf({ 'a.json': LONG, 'b.json': GOOD });
    const stop = new CancellationTokenSource();
    const args = { command: 'turnwise.evaluate', arguments: [editor.uri('a.json')] };
    const evaluated = editor.connection.sendRequest(ExecuteCommandRequest.type, args, stop.token);
    await editor.until(() => [...editor.progress.values()].flat().length > 0);
    stop.cancel();
    expect(await evaluated).toMatchObject({ complete: false });
    expect(await editor.execute('turnwise.evaluate', editor.uri('b.json'))).toMatchObject({ complete: true });
  });
});

describe('commands', () => {
  it('clear the results, and evaluate again what was evaluated', async () => {
    const editor = await editorOf({ 'a.json': WRONG_TOOL, 'b.json': LOOPING });
    const [a, b] = [editor.uri('a.json'), editor.uri('b.json')];
    await editor.execute('turnwise.evaluate', a, b);
    expect(editor.shown.get(b)).not.toHaveLength(0);
    expect(await editor.execute('turnwise.evaluateAgain')).toMatchObject({ sessions: 2 });
    expect(await editor.execute('turnwise.clear')).toBeNull();
    expect([editor.shown.get(a), editor.shown.get(b)]).toEqual([[], []]);
    expect(await lensesOn(editor, a)).toEqual([]);
    await expect(editor.execute('turnwise.evaluateAgain')).rejects.toMatchObject({
      code: ErrorCodes.InvalidParams,
      message: 'Nothing to evaluate again. Evaluate a file first.',
    });
  });

  it('evaluate all open folders without arguments', async () => {
    const editor = await editorOf({ 'a.json': GOOD, 'package.json': '{"name":"x"}' });
    await expect(editor.execute('turnwise.evaluate')).rejects.toMatchObject({
      code: ErrorCodes.InvalidParams,
      message: expect.stringContaining('when no folder is open'),
    });
    editor.folders = [{ uri: editor.uri(''), name: 'all' }];
    expect(await editor.execute('turnwise.evaluate')).toEqual({ complete: true, sessions: 1, problems: [] });
  });

  it('accept the path of a file', async () => {
    const editor = await editorOf({ 'a b.json': GOOD });
    expect(await editor.execute('turnwise.evaluate', join(editor.cwd, 'a b.json'))).toMatchObject({ sessions: 1 });
  });

  it('name what they cannot read', async () => {
    const editor = await editorOf({});
    for (const args of ['untitled:Untitled-1', 'https://example.com/a.json', 'a.json', 7, null, { uri: 'file:///a' }]) {
      await expect(editor.execute('turnwise.evaluate', args)).rejects.toMatchObject({
        code: ErrorCodes.InvalidParams,
        message: expect.stringContaining(JSON.stringify(args)),
      });
    }
  });

  it('reject an unknown name', async () => {
    const editor = await editorOf({});
    for (const command of ['', 'turnwise.no', 'constructor', '__proto__']) {
      await expect(editor.execute(command)).rejects.toMatchObject({ code: ErrorCodes.InvalidParams });
    }
  });

  it('show an unreadable file once, and keep the rest in the log', async () => {
    const editor = await editorOf({ 'broken.json': '[\n{"role": }\n]', 'hello.json': '{}' });
    await editor.execute('turnwise.evaluate', editor.uri('broken.json'), editor.uri('hello.json'));
    expect(editor.messages).toEqual([expect.stringMatching(/broken\.json:2: .* \(and 1 more in the log\)$/)]);
    expect(editor.logged.filter((line) => line.includes('hello.json:'))).toHaveLength(1);
  });
});

describe('settings', () => {
  it('change while the server runs, in part or entirely, and stay where they are invalid', async () => {
    const editor = await editorOf({ 'a.trace.json': WRONG_TOOL }, { options: { inlayHints: false } });
    const { connection } = editor;
    const uri = editor.uri('a.trace.json');
    await editor.execute('turnwise.evaluate', uri);
    const tell = (settings: unknown) =>
      connection.sendNotification(DidChangeConfigurationNotification.type, { settings });
    const seen = async () => {
      const args = { textDocument: { uri }, range: everywhere };
      const hints = await connection.sendRequest(InlayHintRequest.type, args);
      return { lenses: (await lensesOn(editor, uri)).length, hints: hints?.length };
    };
    expect(await seen()).toEqual({ lenses: 2, hints: 0 });
    for (const nothing of [null, [], {}, { turnwise: null }, { turnwise: {} }, { other: { lenses: false } }]) {
      await tell(nothing);
      expect(await seen()).toEqual({ lenses: 2, hints: 0 });
    }
    await tell({ turnwise: { lenses: false } });
    expect(await seen()).toEqual({ lenses: 0, hints: 0 });
    await tell({ lenses: true, inlayHints: true });
    expect(await seen()).toEqual({ lenses: 2, hints: 1 });
    await tell({ turnwise: { lenses: 'no' } });
    expect(await seen()).toEqual({ lenses: 2, hints: 1 });
    expect(editor.logged).toContainEqual(expect.stringMatching(/Invalid settings were ignored\. lenses: /));
  });
});

describe('two editors in the same folder', () => {
  it('do not disturb each other', async () => {
    const cwd = await folder({ 'a.trace.json': WRONG_TOOL, 'b.trace.json': LOOPING });
    const editors = await Promise.all([editorIn(cwd), editorIn(cwd)]);
    const results = await Promise.all(
      editors.flatMap((editor) => [
        editor.execute('turnwise.evaluate', editor.uri('a.trace.json'), editor.uri('b.trace.json')),
        editor.execute('turnwise.evaluate', editor.uri('a.trace.json')),
      ]),
    );
    expect(results).toMatchObject([{ sessions: 2 }, { sessions: 1 }, { sessions: 2 }, { sessions: 1 }]);
    const [first, second] = editors;
    // In whichever order: files are evaluated side by side.
    expect(Object.fromEntries(first?.shown ?? [])).toEqual(Object.fromEntries(second?.shown ?? []));
    await first?.execute('turnwise.clear');
    expect(first?.shown.get(first.uri('a.trace.json'))).toEqual([]);
    expect(second?.shown.get(second.uri('a.trace.json'))).not.toHaveLength(0);
    expect(await Promise.all(editors.map((editor) => editor.leave()))).toEqual([0, 0]);
  });
});
