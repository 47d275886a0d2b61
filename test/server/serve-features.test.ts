import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CodeActionRequest, CodeLensRequest, HoverRequest, InlayHintRequest } from 'vscode-languageserver/node';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { setSeverity, suppress } from '../../src/protocol/finding-edits.ts';
import { documentEdited, evaluate } from '../../src/protocol/messages.ts';
import { sendRequest } from '../../src/protocol/rpc.ts';
import type { EvaluateFiles } from '../../src/server/evaluation/evaluator.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { UNKNOWN_TOOL } from '../support/traces.ts';
import { ConnectedEditor } from './connected-editor.ts';

/** The library, under the nearest configuration. */
const configured: EvaluateFiles = async (paths, _configuration, options) => {
  const { configuration } = await loadConfiguration({ cwd: dirname(paths[0] ?? '.'), registry: REGISTRY });
  return evaluateFiles(paths, configuration ?? {}, options);
};

/** An editor on a folder with one trace, which is evaluated. */
async function connectEditor(options: Readonly<Record<string, unknown>> = { inlayHints: true }) {
  const folder = await temporaryFolder({ '.git': '', 'chat.json': UNKNOWN_TOOL });
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    folders: [folder.path],
    options,
    evaluateFiles: configured,
  });
  const uri = pathToFileURL(join(folder.path, 'chat.json')).href;
  await sendRequest(editor.connection, evaluate, { uris: [uri] });
  return {
    folder: folder.path,
    editor,
    uri,
    codes: () => editor.shown.get(uri)?.map(({ code }) => code) ?? [],
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const at = (line: number, character: number) => ({ line, character });
/** The call of the tool that there is not. */
const CALL = { start: at(22, 8), end: at(29, 9) };

describe('results of a file', () => {
  it('are shown in lenses, hints and hovers, with actions', async () => {
    await using it = await connectEditor();
    const { connection } = it.editor;
    const textDocument = { uri: it.uri };
    const lenses = await connection.sendRequest(CodeLensRequest.type, { textDocument });
    expect(lenses?.map(({ range, command }) => [range.start.line, command?.command])).toEqual([
      [0, 'turnwise.openReport'],
      [14, 'turnwise.openReport'],
    ]);
    const range = { start: at(0, 0), end: at(50, 0) };
    const hints = await connection.sendRequest(InlayHintRequest.type, { textDocument, range });
    expect(hints?.map(({ position }) => position)).toEqual([at(14, 5)]);
    const hover = await connection.sendRequest(HoverRequest.type, { textDocument, position: at(14, 4) });
    expect(hover?.contents).toMatchObject({ kind: 'markdown', value: expect.stringContaining('fetch\\_order') });
    const context = { diagnostics: [] };
    const actions = await connection.sendRequest(CodeActionRequest.type, { textDocument, range: CALL, context });
    expect(actions?.map(({ title }) => title)).toContain('Set Severity of unknown-tool…');
  });

  it('are shown in diagnostics that move while the text is edited', async () => {
    await using it = await connectEditor();
    const range = () => it.editor.shown.get(it.uri)?.find(({ code }) => code === 'unknown-tool')?.range;
    expect(range()).toEqual(CALL);
    const edits = [{ range: { start: at(2, 0), end: at(2, 0) }, lines: 3, lastLength: 0 }];
    await it.editor.connection.sendNotification(documentEdited.method, { uri: it.uri, edits, isDirty: true });
    await it.editor.until(() => range()?.start.line === 25);
    expect(range()).toEqual({ start: at(25, 8), end: at(32, 9) });
  });

  it("change with the user's decisions at the next evaluation", async () => {
    await using it = await connectEditor();
    const { connection } = it.editor;
    expect(it.codes()).toEqual(['unknown-tool']);
    const accepted = { uri: it.uri, turn: 0, rule: 'unknown-tool', reason: '  It is an alias. ' };
    const sidecar = join(it.folder, 'chat.turnwise.json');
    expect(await sendRequest(connection, suppress, accepted)).toEqual({ written: sidecar });
    expect(await readFile(sidecar, 'utf8')).toContain('"reason": "It is an alias."');
    await sendRequest(connection, evaluate, { uris: [it.uri] });
    expect(it.codes()).toEqual([]);
    // An observation becomes a problem.
    const level = { uri: it.uri, rule: 'unrecovered-error', level: 'high' } as const;
    const configuration = join(it.folder, 'turnwise.config.json');
    expect(await sendRequest(connection, setSeverity, level)).toEqual({ written: configuration });
    await sendRequest(connection, evaluate, { uris: [it.uri] });
    expect(it.codes()).toEqual(['unrecovered-error']);
  });

  it('take one decision after the other', async () => {
    await using it = await connectEditor();
    const rules = ['unknown-tool', 'unrecovered-error'];
    const accept = (rule: string) =>
      sendRequest(it.editor.connection, suppress, { uri: it.uri, turn: 0, rule, reason: 'x' });
    await Promise.all(rules.map(accept));
    await sendRequest(it.editor.connection, evaluate, { uris: [it.uri] });
    expect(it.codes()).toEqual([]);
  });

  it('cannot be edited in an untrusted folder or without a reason', async () => {
    await using it = await connectEditor({ trusted: false });
    const { connection } = it.editor;
    const finding = { uri: it.uri, turn: 0, rule: 'unknown-tool' };
    const refused = { error: expect.stringContaining('not trusted') };
    expect(await sendRequest(connection, suppress, { ...finding, reason: 'x' })).toEqual(refused);
    expect(await sendRequest(connection, setSeverity, { ...finding, level: 'off' })).toEqual(refused);
    await expect(sendRequest(connection, suppress, { ...finding, reason: '  ' })).rejects.toThrow('agreed shape');
    expect((await nodeFileSystem.list(it.folder)).map(({ name }) => name)).toEqual(['.git', 'chat.json']);
  });
});
