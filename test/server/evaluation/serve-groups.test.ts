import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  DidChangeWatchedFilesNotification,
  FileChangeType,
  ShowMessageRequest,
  WorkspaceFoldersRequest,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { documentEdited, evaluate, sessions } from '../../../src/protocol/messages.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import { startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { ConnectedEditor } from '../connected-editor.ts';
import { elsewhere } from '../consent/model-editor.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', '..', 'samples');

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

/** An editor with the server as it is shipped, and a folder on disk. */
async function workspace(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git/HEAD': '', ...files });
  const env = { TURNWISE_HOME: join(folder.path, '.home') };
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    folders: [folder.path],
    evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles, env) },
  });
  open.push(folder, editor);
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  editor.connection.onRequest(WorkspaceFoldersRequest.type, () => [{ uri: uri(''), name: 'it' }]);
  return {
    editor,
    folder: folder.path,
    uri,
    write: (name: string, text: string) => writeFile(join(folder.path, name), text),
    evaluate: (...names: string[]) => sendRequest(editor.connection, evaluate, { uris: names.map(uri) }),
    /** The verdict of each session. */
    verdicts: async () => {
      const { rows } = await sendRequest(editor.connection, sessions, { offset: 0, limit: 100 });
      return Object.fromEntries(rows.map(({ id, verdict }) => [id, verdict]));
    },
  };
}

/** Two calls are too few. */
const STRICT = JSON.stringify({ gates: { thresholds: { tool_call_count: 1 }, failOn: 'never' } });
const LENIENT = JSON.stringify({ gates: { failOn: 'never' } });

const MONOREPO = {
  'root.json': GOOD,
  'a/turnwise.config.json': STRICT,
  'a/a.json': GOOD,
  'a/deep/deep.json': GOOD,
  'a/deep/b/turnwise.config.json': LENIENT,
  'a/deep/b/b.json': GOOD,
};
const VERDICTS = { root: 'passed', a: 'failed', deep: 'failed', b: 'passed' };

describe('files with several configurations', () => {
  it.each([
    ['in one folder', ['']],
    ['one by one', ['a/deep/b/b.json', 'root.json', 'a/deep/deep.json', 'a/a.json']],
    ['by folders within folders', ['a/deep/b/b.json', 'a', 'root.json']],
  ])('are each evaluated under the nearest one, %s', async (_, names) => {
    const { editor, evaluate, verdicts } = await workspace(MONOREPO);
    expect(await evaluate(...names)).toEqual({ complete: true, sessions: 4, problems: [] });
    expect(await verdicts()).toEqual(VERDICTS);
    expect(Object.values(await editor.states()).every((state) => state === 'fresh')).toBe(true);
    // Once more: what one group has found does not go while another is evaluated.
    await evaluate(...names);
    expect(await verdicts()).toEqual(VERDICTS);
  });

  it('become stale with their own configuration only', async () => {
    const { editor, uri, write, evaluate } = await workspace({
      'turnwise.config.json': LENIENT,
      'one.json': GOOD,
      'a/turnwise.config.json': STRICT,
      'a/two.json': GOOD,
    });
    await evaluate('');
    await write('a/turnwise.config.json', LENIENT);
    await editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: uri('a/turnwise.config.json'), type: FileChangeType.Changed }],
    });
    await editor.untilStates({ 'one.json': 'fresh', 'two.json': 'stale' });
    await evaluate('');
    await editor.untilStates({ 'one.json': 'fresh', 'two.json': 'fresh' });
  });

  it('do not use a configuration outside of their repository', async () => {
    const { evaluate, verdicts } = await workspace({
      'turnwise.config.json': STRICT,
      'own.json': GOOD,
      'other/.git/HEAD': '',
      'other/other.json': GOOD,
    });
    await evaluate('');
    expect(await verdicts()).toEqual({ own: 'failed', other: 'passed' });
  });
});

describe('an evaluation that waits for the user', () => {
  async function waiting() {
    const stub = await startStubModels();
    const judge = { provider: 'openai', model: 'm', baseUrl: `${elsewhere(stub)}/v1` };
    const asking = JSON.stringify({ judge, metrics: ['helpfulness'] });
    const there = await workspace({
      'a/turnwise.config.json': asking,
      'a/first.json': GOOD,
      'a/second.json': GOOD,
      'b/free.json': GOOD,
    });
    open.push({ [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() });
    const question = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<string>();
    const questions: string[] = [];
    there.editor.connection.onRequest(ShowMessageRequest.type, async ({ message }) => {
      questions.push(message);
      question.resolve();
      return { title: await reply.promise };
    });
    const first = there.evaluate('a/first.json');
    await question.promise;
    return { ...there, stub, first, say: reply.resolve, questions };
  }

  it('does not block another that needs no consent', async () => {
    const { evaluate, verdicts, first, say, stub } = await waiting();
    expect(await evaluate('b/free.json')).toMatchObject({ complete: true, sessions: 1 });
    expect(Object.keys(await verdicts()).sort()).toEqual(['first', 'free']);
    expect(stub.requests).toEqual([]);
    say('Allow');
    expect(await first).toMatchObject({ complete: true, sessions: 1, problems: [] });
    expect(stub.requests.length).toBeGreaterThan(0);
    expect(Object.keys(await verdicts()).sort()).toEqual(['first', 'free']);
  });

  it('waits together with others that need the same consent, which is asked for once', async () => {
    const { editor, evaluate, first, say, questions, stub } = await waiting();
    const second = evaluate('a/second.json');
    await evaluate('b/free.json');
    // The rules have run on all of them.
    expect(await editor.states()).toEqual({ 'first.json': 'fresh', 'free.json': 'fresh', 'second.json': 'fresh' });
    expect(stub.requests).toEqual([]);
    say('Allow');
    expect(await Promise.all([first, second])).toMatchObject([{ sessions: 1 }, { sessions: 1 }]);
    expect(questions).toHaveLength(1);
    expect(stub.requests.length).toBeGreaterThan(1);
  });

  it('applies edits that were typed meanwhile', async () => {
    const { editor, uri, evaluate, first, say } = await waiting();
    await evaluate('b/free.json');
    const start = { line: 0, character: 0 };
    await editor.connection.sendNotification(documentEdited.method, {
      uri: uri('a/first.json'),
      edits: [{ range: { start, end: start }, lines: 3, lastLength: 0 }],
      isDirty: true,
    });
    say('Not Now');
    await first;
    const { rows } = await sendRequest(editor.connection, sessions, { uri: uri('a/first.json'), offset: 0, limit: 9 });
    expect(rows).toMatchObject([{ state: 'stale', location: { range: { start: { line: 3 } } } }]);
  });
});

describe('a session of several files', () => {
  const part = (n: number) => readFile(join(SAMPLES, `invoice-errors-recovered.turn${n}.json`), 'utf8');
  const names = ['invoice.turn1.json', 'invoice.turn2.json'] as const;

  it('is complete whichever of its files is evaluated again', async () => {
    const { editor, evaluate } = await workspace({ [names[0]]: await part(1), [names[1]]: await part(2) });
    const turns = async () => {
      const { rows } = await sendRequest(editor.connection, sessions, { offset: 0, limit: 100 });
      return rows.map((row) => row.turns);
    };
    await evaluate(...names);
    expect(await turns()).toEqual([2]);
    for (const name of names) {
      await evaluate(name);
      expect(await turns()).toEqual([2]);
    }
  });

  it('keeps its remaining turns when one of its files is gone', async () => {
    const { editor, evaluate, uri, folder } = await workspace({ [names[0]]: await part(1), [names[1]]: await part(2) });
    await evaluate(...names);
    await rm(join(folder, names[1]));
    const { problems } = await evaluate(names[0]);
    expect(problems).toEqual([]);
    const { rows } = await sendRequest(editor.connection, sessions, { uri: uri(names[0]), offset: 0, limit: 100 });
    expect(rows.map((row) => row.turns)).toEqual([1]);
  });
});
