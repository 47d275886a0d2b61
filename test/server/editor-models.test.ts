import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CancellationTokenSource,
  DidSaveTextDocumentNotification,
  ShowMessageRequest,
  WorkspaceFoldersRequest,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../src/app/evaluate-files.ts';
import type { EditorModel, EditorModelRequest } from '../../src/core/editor-models.ts';
import { nodeFileSystem } from '../../src/input/node-file-system.ts';
import { askEditorModel, listEditorModels } from '../../src/protocol/editor-models.ts';
import { evaluate, sessions } from '../../src/protocol/messages.ts';
import { modelHosts, saveJudge, testJudge } from '../../src/protocol/models.ts';
import { onRequest, sendRequest } from '../../src/protocol/rpc.ts';
import { createEvaluateFiles } from '../../src/server/features/model-requests.ts';
import { ACME, type EditorFault, fakeEditor, SHAPES } from '../support/editor-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';
import { ConnectedEditor } from './connected-editor.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

const order = (name: string) => chat(user(`Where is order ${name}?`), agent(`Order ${name} is on its way.`));

interface Situation {
  readonly models?: readonly EditorModel[];
  readonly options?: Readonly<Record<string, unknown>>;
  /** What the user answers when consent is asked for. */
  readonly consent?: string;
  readonly fault?: (request: EditorModelRequest) => EditorFault | null;
}

/** A workspace whose judge is a model of the editor. */
async function workspace({ models = [ACME], options = {}, consent = 'Allow', fault = () => null }: Situation = {}) {
  const judge = { provider: 'editor', model: 'acme/large', concurrency: 1 };
  const folder = await temporaryFolder({
    '.git/HEAD': '',
    'turnwise.config.json': JSON.stringify({ judge, metrics: ['helpfulness'] }),
    'a.trace.json': order('A-1'),
  });
  const env = { TURNWISE_HOME: join(folder.path, '.home') };
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    folders: [folder.path],
    options,
    evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles, env) },
  });
  open.push(folder, editor);
  const { connection } = editor;
  const asked: string[] = [];
  const cancelled: string[] = [];
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  const model = fakeEditor(SHAPES['calls the tool'] ?? (() => []), { models, fault });
  connection.onRequest(WorkspaceFoldersRequest.type, () => [{ uri: uri(''), name: 'it' }]);
  connection.onRequest(ShowMessageRequest.type, ({ message }) => {
    asked.push(message);
    return { title: consent };
  });
  onRequest(connection, listEditorModels, () => ({ models: [...models] }));
  onRequest(connection, askEditorModel, async (request, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => {
      cancelled.push(request.model.id);
      stop.abort();
    });
    return model.ask(request, stop.signal);
  });
  const stop = new CancellationTokenSource();
  return {
    uri,
    connection,
    editor,
    asked,
    cancelled,
    model,
    stop,
    evaluate: () => sendRequest(connection, evaluate, { uris: [uri('a.trace.json')] }, stop.token),
    save: async (text: string) => {
      await writeFile(join(folder.path, 'a.trace.json'), text);
      await connection.sendNotification(DidSaveTextDocumentNotification.type, {
        textDocument: { uri: uri('a.trace.json') },
      });
    },
    row: async () => (await sendRequest(connection, sessions, { offset: 0, limit: 10 })).rows[0],
  };
}

describe('a judge that is one of the editor’s models', () => {
  it('is asked after the user has allowed its vendor to get traces, and no key is asked for', async () => {
    const there = await workspace();
    expect(await there.evaluate()).toMatchObject({ complete: true, problems: [] });
    expect(there.asked).toEqual([
      "Evaluating sends trace text to acme, the provider of the editor's model editor:acme/large. Allow it for this folder?",
    ]);
    const [request, ...others] = there.model.requests;
    expect(others).toEqual([]);
    expect(request?.messages).toHaveLength(2);
    expect(request?.messages.join('')).toContain('Where is order A-1?');
    expect(request?.schema).toMatchObject({ properties: { helpfulness: {} } });
    expect(await sendRequest(there.connection, modelHosts, { uri: there.uri('a.trace.json') })).toEqual({ hosts: [] });
  });

  it.each(['Not Now', 'Never'])('is not asked after “%s”', async (consent) => {
    const there = await workspace({ consent });
    const { problems } = await there.evaluate();
    expect(there.model.requests).toEqual([]);
    expect(problems.map(({ message }) => message).join()).toMatch(/^editor:acme was not used/);
  });

  it('is not asked in a folder that is not trusted', async () => {
    const there = await workspace({ options: { trusted: false } });
    await there.evaluate();
    expect([there.asked, there.model.requests]).toEqual([[], []]);
  });

  it('is not asked for another editor, which is told why', async () => {
    const there = await workspace({ options: { client: 'other' } });
    const { problems } = await there.evaluate();
    expect([there.asked, there.model.requests]).toEqual([[], []]);
    expect(problems.map(({ message }) => message).join()).toMatch(/answer only in VS Code/);
  });

  it('that the editor does not have makes the question an error, and is not asked again', async () => {
    const there = await workspace({ models: [{ ...ACME, family: 'small', id: 's1' }] });
    const { outage } = await there.evaluate();
    expect(outage).toMatch(/The editor has no model acme\/large/);
    expect(there.model.requests).toEqual([]);
  });

  it('is stopped with the evaluation', async () => {
    const asked = Promise.withResolvers<void>();
    const there = await workspace({
      fault: () => {
        asked.resolve();
        return { parts: () => [], ends: 'never' };
      },
    });
    const over = there.evaluate();
    await asked.promise;
    there.stop.cancel();
    expect(await over).toMatchObject({ complete: false });
    await expect.poll(() => there.cancelled).toEqual(['l1']);
  });
});

describe('an evaluation on save', () => {
  it('asks no model of the editor: rules run, and the scores of the judge are outdated', async () => {
    const there = await workspace();
    await there.evaluate();
    const before = there.model.requests.length;
    await there.save(order('B-2'));
    await expect.poll(async () => (await there.row())?.changed).toBe('judge');
    expect(there.model.requests).toHaveLength(before);
  });

  it('asks it where the user has allowed that for the workspace', async () => {
    const there = await workspace({ options: { editorModelsOnSave: true } });
    await there.evaluate();
    await there.save(order('B-2'));
    await expect.poll(() => there.model.requests.length).toBe(2);
    await expect.poll(async () => (await there.row())?.state).toBe('fresh');
  });
});

describe('the set-up of a model of the editor as judge', () => {
  const judge = { provider: 'editor', model: 'acme/large' } as const;

  it('tests it with one question that has no text of the trace', async () => {
    const there = await workspace();
    const tested = await sendRequest(there.connection, testJudge, { uri: there.uri('a.trace.json'), judge });
    expect(tested).toMatchObject({ status: 'answered', model: 'acme/large 2026-01', isEstimated: false });
    expect(there.asked).toEqual([]);
    expect(there.model.requests.flatMap(({ messages }) => messages).join()).not.toContain('A-1');
  });

  it('says in its own words why the model did not answer', async () => {
    const fault = () => ({ throws: () => Object.assign(new Error('Ask your admin.'), { code: 'NoPermissions' }) });
    const there = await workspace({ fault });
    const tested = await sendRequest(there.connection, testJudge, { uri: there.uri('a.trace.json'), judge });
    expect(tested).toMatchObject({ status: 'failed', error: expect.stringMatching(/may not be used.*Ask your admin/) });
  });

  it('writes the model, and no server, to the configuration', async () => {
    const there = await workspace();
    const other = { provider: 'editor', model: 'acme/small' } as const;
    const saved = await sendRequest(there.connection, saveJudge, { uri: there.uri('a.trace.json'), judge: other });
    expect(saved).toMatchObject({ asking: [] });
    const text = await nodeFileSystem.read('written' in saved ? saved.written : '', new AbortController().signal);
    expect(JSON.parse(Buffer.from(text).toString())).toMatchObject({
      judge: { provider: 'editor', model: 'acme/small' },
    });
  });
});
