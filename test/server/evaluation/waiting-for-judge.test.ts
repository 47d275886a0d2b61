import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CancellationTokenSource,
  CodeLensRequest,
  ShowMessageRequest,
  WorkspaceFoldersRequest,
} from 'vscode-languageserver/node';
import { evaluateFiles } from '../../../src/app/evaluate-files.ts';
import type { FileSystem } from '../../../src/input/file-system.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { answerQuestion, type OpenQuestion, openQuestions } from '../../../src/protocol/questions.ts';
import { resultsOutline } from '../../../src/protocol/results-outline.ts';
import { onNotification, sendRequest } from '../../../src/protocol/rpc.ts';
import { createEvaluateFiles } from '../../../src/server/features/model-requests.ts';
import { hang, startStubModels, wrongKey } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';
import { elsewhere } from '../consent/model-editor.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource[Symbol.asyncDispose]();
});

/** An editor with the server as it is shipped, and a judge whose answers the test decides. */
async function workspace(files: Readonly<Record<string, string>>, host: 'loopback' | 'remote' = 'loopback') {
  const stub = await startStubModels();
  const baseUrl = host === 'loopback' ? stub.openai : `${elsewhere(stub)}/v1`;
  const judge = { provider: 'openai', model: 'm', baseUrl, concurrency: 1 };
  const gates = { thresholds: { helpfulness: 3.5 } };
  const configuration = JSON.stringify({ judge, metrics: ['helpfulness', 'tool_call_count'], gates });
  const folder = await temporaryFolder({ '.git/HEAD': '', 'turnwise.config.json': configuration, ...files });
  const read: string[] = [];
  const disk: FileSystem = {
    ...nodeFileSystem,
    read: (path, signal) => {
      read.push(path);
      return nodeFileSystem.read(path, signal);
    },
  };
  const env = { TURNWISE_HOME: join(folder.path, '.home') };
  const editor = await ConnectedEditor.to({
    files: disk,
    folders: [folder.path],
    evaluateFiles: { create: (context) => createEvaluateFiles(context, evaluateFiles, env) },
  });
  open.push(stub, folder, editor);
  const uri = (name: string) => pathToFileURL(join(folder.path, name)).href;
  const question = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  editor.connection.onRequest(WorkspaceFoldersRequest.type, () => [{ uri: uri(''), name: 'it' }]);
  editor.connection.onRequest(ShowMessageRequest.type, async () => {
    question.resolve();
    return { title: await answer.promise };
  });
  const stop = new CancellationTokenSource();
  let listed: readonly OpenQuestion[] = [];
  onNotification(editor.connection, openQuestions, ({ questions }) => {
    listed = questions;
  });
  return {
    listed: () => listed,
    answerListed: (id: string, given: string) => sendRequest(editor.connection, answerQuestion, { id, answer: given }),
    stub,
    stop,
    question: question.promise,
    answer: answer.resolve,
    /** The traces that were read, each as often as it was. */
    reads: () => read.filter((path) => path.endsWith('.trace.json')),
    /** Empties the cache of answers. */
    forgetAnswers: () => rm(env.TURNWISE_HOME, { recursive: true }),
    write: (name: string, text: string) => writeFile(join(folder.path, name), text),
    evaluateAgain: (...names: string[]) => sendRequest(editor.connection, evaluate, { uris: names.map(uri) }),
    evaluate: (...names: string[]) => sendRequest(editor.connection, evaluate, { uris: names.map(uri) }, stop.token),
    rows: async () => {
      const { rows } = await sendRequest(editor.connection, sessions, { offset: 0, limit: 100 });
      const brief = rows.map(({ location, turns, turnsDone, problems, state, changed, headline }) => ({
        name: location.uri.slice(location.uri.lastIndexOf('/') + 1),
        turns,
        turnsDone,
        problems,
        state: changed ?? state,
        kind: headline.kind,
      }));
      return brief.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    /** The titles of lenses with results. */
    lenses: async (name: string) => {
      const all = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: uri(name) } });
      const titles = (all ?? []).map(({ command }) => command?.title ?? '');
      return titles.filter((title) => title.includes('evaluating') || /helpfulness|Undecided|Failed|found/.test(title));
    },
    judges: async () => (await sendRequest(editor.connection, resultsOutline, { offset: 0, limit: 100 })).judges,
  };
}

/** Resolves when the judge is asked about this text, which it then never answers. */
function hangsAt({ stub }: Pick<Awaited<ReturnType<typeof workspace>>, 'stub'>, text: string): Promise<void> {
  const asked = Promise.withResolvers<void>();
  stub.play(({ prompt }) => {
    if (!prompt.includes(text)) return undefined;
    asked.resolve();
    return hang;
  });
  return asked.promise;
}

describe('what needs no judge', () => {
  it('is shown before the user is asked about a judge, and stays when the evaluation is stopped', async () => {
    const there = await workspace(
      { 'a.trace.json': trace({ turns: 1 }), 'b.trace.json': trace({ turns: 3 }) },
      'remote',
    );
    const over = there.evaluate('a.trace.json', 'b.trace.json');
    await there.question;
    const rows = await there.rows();
    expect(rows).toMatchObject([
      { name: 'a.trace.json', turns: 1, turnsDone: 0, state: 'fresh' },
      { name: 'b.trace.json', turns: 3, turnsDone: 0, state: 'fresh' },
    ]);
    for (const { problems } of rows) expect(problems).toBeGreaterThan(0);
    expect(there.stub.requests).toEqual([]);
    there.stop.cancel();
    expect(await over).toMatchObject({ complete: false });
    expect(await there.rows()).toEqual(rows.map((row) => ({ ...row, turnsDone: null })));
    expect(await there.judges()).toEqual([]);
    there.answer('Not Now');
  });

  it.each(['Not Now', 'Never'])('stays after “%s”, and no file is read again', async (answer) => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 1 }) }, 'remote');
    const over = there.evaluate('a.trace.json');
    await there.question;
    const [rows, reads] = [await there.rows(), there.reads()];
    there.answer(answer);
    expect(await over).toMatchObject({ complete: true });
    expect(await there.rows()).toEqual(rows.map((row) => ({ ...row, turnsDone: null })));
    expect(there.stub.requests).toEqual([]);
    expect(there.reads()).toEqual(reads);
  });

  it('stays beside the answers of a judge that is stopped', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 4 }), 'b.trace.json': trace({ turns: 5 }) });
    const asked = hangsAt(there, 'Question 2?');
    const over = there.evaluate('a.trace.json', 'b.trace.json');
    await asked;
    expect(await there.rows()).toMatchObject([{ turns: 4 }, { turns: 5 }]);
    const before = await there.rows();
    there.stop.cancel();
    expect(await over).toMatchObject({ complete: false, sessions: 2 });
    const rows = await there.rows();
    expect(rows.map(({ problems, turnsDone }) => [problems, turnsDone])).toEqual(
      before.map(({ problems }) => [problems, null]),
    );
    for (const { problems, kind } of rows) {
      expect(problems).toBeGreaterThan(0);
      expect(kind).not.toBe('succeeded');
    }
    expect(await there.judges()).toEqual(['m']);
  });

  it.each([
    {
      name: 'a session without problems',
      text: chat(user('Is it open today?'), agent('Yes, until six.')),
      kind: 'undecided',
    },
    { name: 'a session with a severe problem', text: trace({ turns: 2 }), kind: 'failed' },
  ])('stays when the judge breaks down or the run is stopped: $name', async ({ text, kind }) => {
    const there = await workspace({ 'a.trace.json': text });
    const [asked, breakDown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    there.stub.play(() => {
      asked.resolve();
      return { kind: 'after', wait: breakDown.promise, reply: wrongKey() };
    });
    const over = there.evaluateAgain('a.trace.json');
    await asked.promise;
    const [before] = await there.rows();
    breakDown.resolve();
    expect(await over).toMatchObject({ complete: true, outage: expect.stringContaining('helpfulness') });
    expect(await there.rows()).toEqual([{ ...before, turnsDone: null, kind }]);
    const hanging = hangsAt(there, '');
    const stopped = there.evaluate('a.trace.json');
    await hanging;
    there.stop.cancel();
    expect(await stopped).toMatchObject({ complete: false });
    expect(await there.rows()).toEqual([{ ...before, turnsDone: null, kind }]);
  });

  it('does not replace an earlier answer of a judge that is still right', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 2 }) });
    await there.evaluate('a.trace.json');
    const before = await there.rows();
    expect(await there.judges()).toEqual(['m']);
    await there.forgetAnswers();
    const asked = hangsAt(there, 'Question');
    const over = there.evaluate('a.trace.json');
    await asked;
    expect(await there.judges()).toEqual(['m']);
    there.stop.cancel();
    await over;
    expect(await there.rows()).toEqual(before);
    expect(await there.judges()).toEqual(['m']);
  });

  it('replaces results of an earlier text, whose judged scores are outdated', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 2 }) });
    await there.evaluate('a.trace.json');
    await there.write('a.trace.json', trace({ turns: 3, says: 'All of it is done.' }));
    const asked = hangsAt(there, 'Question');
    const over = there.evaluate('a.trace.json');
    await asked;
    expect(await there.rows()).toMatchObject([{ turns: 3, turnsDone: 0 }]);
    there.stop.cancel();
    await over;
    expect(await there.rows()).toMatchObject([{ turns: 3, turnsDone: null, state: 'judge' }]);
  });
});

describe('a judge that is asked again', () => {
  it('leaves its earlier scores, and the lenses that show them, until it has answered', async () => {
    const turns = [user('First?'), agent('Yes.'), user('Second?'), agent('No.')];
    const there = await workspace({ 'a.trace.json': chat(...turns) });
    await there.evaluate('a.trace.json');
    const before = await there.lenses('a.trace.json');
    // Of the session and of each turn.
    expect(before.map((title) => /helpfulness/.test(title))).toEqual([true, true, true]);
    await there.write('a.trace.json', chat(...turns, user('Third?'), agent('I do not know.')));
    const asked = hangsAt(there, 'Third?');
    const over = there.evaluate('a.trace.json');
    await asked;
    const during = await there.lenses('a.trace.json');
    expect(during[0]).toMatch(/^evaluating: \d of 3 turns/);
    expect(during.slice(1)).toEqual(before.slice(1));
    there.stop.cancel();
    await over;
    expect((await there.rows())[0]).toMatchObject({ turns: 3, turnsDone: null, state: 'judge' });
  });
});

describe('a question that an evaluation waits for', () => {
  it('is listed and can be answered there, whatever became of the message that asked it first', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 1 }) }, 'remote');
    const over = there.evaluate('a.trace.json');
    await there.question;
    await there.rows();
    const [question, ...others] = there.listed();
    expect(others).toEqual([]);
    expect(question).toMatchObject({
      title: expect.stringMatching(/^Waiting: send trace text to .+\?$/),
      text: expect.stringMatching(/^Evaluating sends trace text to /),
      answers: [{ id: 'allow', label: 'Allow' }, { id: 'later' }, { id: 'never' }],
    });
    const { id } = question ?? expect.fail();
    await there.answerListed(id, 'no such answer');
    await there.answerListed('no such question', 'allow');
    expect(there.stub.requests).toEqual([]);
    await there.answerListed(id, 'allow');
    expect(await over).toMatchObject({ complete: true });
    expect(there.stub.requests.length).toBeGreaterThan(0);
    expect(there.listed()).toEqual([]);
    // The message is answered at last, which changes nothing.
    there.answer('Never');
  });

  it('is not listed once the evaluation is stopped, and again when another waits for it', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 1 }) }, 'remote');
    const over = there.evaluate('a.trace.json');
    await there.question;
    there.stop.cancel();
    await over;
    expect(there.listed()).toEqual([]);
    const again = there.evaluateAgain('a.trace.json');
    while (there.listed().length === 0) await there.rows();
    await there.answerListed(there.listed()[0]?.id ?? '', 'later');
    expect(await again).toMatchObject({ complete: true });
    there.answer('Never');
  });

  it('is listed for a large run', async () => {
    const there = await workspace({ 'a.trace.json': trace({ turns: 60 }) });
    const over = there.evaluate('a.trace.json');
    await there.question;
    await there.rows();
    const [question] = there.listed();
    expect(question).toMatchObject({
      title: 'Waiting: make 60 model calls?',
      answers: [{ id: 'continue' }, { id: 'rulesOnly' }, { id: 'cancel' }],
    });
    const rows = await there.rows();
    await there.answerListed(question?.id ?? '', 'cancel');
    expect(await over).toMatchObject({ complete: false });
    expect(there.stub.requests).toEqual([]);
    expect(await there.rows()).toEqual(rows.map((row) => ({ ...row, turnsDone: null })));
    there.answer('Continue');
  });
});
