import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CodeLensRequest, DidChangeWatchedFilesNotification, FileChangeType } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, traceFilesFound } from '../../../src/protocol/messages.ts';
import { findTraces, lookalikes, resultsOutline } from '../../../src/protocol/results-outline.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

async function openFolder(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const editor = await ConnectedEditor.to({ files: nodeFileSystem, folders: [folder.path] });
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  return {
    editor,
    uri,
    write: (name: string, text: string) => writeFile(join(folder.path, name), text),
    /** Their names. */
    lookalikes: async () => {
      const { rows } = await sendRequest(editor.connection, lookalikes, { offset: 0, limit: 100 });
      return rows.map((row) => row.uri.slice(pathToFileURL(folder.path).href.length + 1));
    },
    lenses: async (name: string) => {
      const lenses = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: uri(name) } });
      return lenses?.map(({ command }) => command?.title);
    },
    [Symbol.asyncDispose]: async () => {
      await editor[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('files that look like traces', () => {
  const FILES = {
    'runs/a.json': trace(),
    'runs/deep/b.jsonl': JSON.stringify(JSON.parse(trace())),
    'named.trace.json': trace(),
    'package.json': '{"name": "x"}',
    'settings.json': '{"tabs": 2}',
    'node_modules/x/c.json': trace(),
    '.cache/d.json': trace(),
    'a.turnwise.json': '{"goal": "x"}',
  };

  it('are found by their content, and leave the list when they are evaluated', async () => {
    await using it = await openFolder(FILES);
    expect(await sendRequest(it.editor.connection, findTraces, {})).toEqual({ total: 2 });
    expect(await it.lookalikes()).toEqual(['runs/a.json', 'runs/deep/b.jsonl']);
    await sendRequest(it.editor.connection, evaluate, { uris: [it.uri('runs/a.json')] });
    expect(await it.lookalikes()).toEqual(['runs/deep/b.jsonl']);
    const counted = async (problemsOnly: boolean) =>
      (await sendRequest(it.editor.connection, resultsOutline, { offset: 0, limit: 10, problemsOnly })).lookalikes;
    expect([await counted(false), await counted(true)]).toEqual([1, 0]);
  });

  it('are searched by itself when the editor lists traces', async () => {
    await using it = await openFolder(FILES);
    await it.editor.connection.sendNotification(traceFilesFound.method, { uris: [it.uri('named.trace.json')] });
    await it.editor.until(() => it.editor.changes.some((uris) => uris?.includes(it.uri('runs/a.json'))));
    expect(await it.lookalikes()).toEqual(['runs/a.json', 'runs/deep/b.jsonl']);
    expect(await it.editor.states()).toEqual({ 'named.trace.json': 'new' });
  });
});

describe('traces of a configuration', () => {
  it('are listed and have a lens, also after the configuration has changed', async () => {
    await using it = await openFolder({
      'turnwise.config.yaml': 'traces: ["runs/*.log.json"]\n',
      'runs/a.log.json': trace(),
      'runs/b.json': trace(),
    });
    await it.editor.connection.sendNotification(traceFilesFound.method, { uris: [] });
    await it.editor.untilStates({ 'a.log.json': 'new' });
    expect(await it.lookalikes()).toEqual(['runs/b.json']);
    expect(await it.lenses('runs/a.log.json')).toEqual(['Evaluate with Turnwise']);
    expect(await it.lenses('runs/b.json')).toEqual([]);

    await it.write('turnwise.config.yaml', 'traces: [./runs]\n');
    await it.editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: it.uri('turnwise.config.yaml'), type: FileChangeType.Changed }],
    });
    await it.editor.untilStates({ 'a.log.json': 'new', 'b.json': 'new' });
    expect(await it.lookalikes()).toEqual([]);
    expect(await it.lenses('runs/b.json')).toEqual(['Evaluate with Turnwise']);
  });
});
