import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type EmbedderChoice,
  type JudgeTestParams,
  listModels,
  testEmbedder,
  testJudge,
} from '../../../src/protocol/models.ts';
import { type CancellationToken, sendRequest } from '../../../src/protocol/rpc.ts';
import {
  answer,
  error,
  hang,
  refusal,
  response,
  type StubModels,
  startStubModels,
  unsupported,
  wrongKey,
} from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { type EditorOptions, elsewhere, keysIn, modelEditor } from './model-editor.ts';

const KEY = 'tw-secret-0123456789abcdef';

/** A folder with a trace and perhaps a configuration, and an editor that asks about it. */
async function openFolder(configuration?: object, options: Partial<EditorOptions> = {}) {
  const folder = await temporaryFolder({
    '.git': '',
    'chat.json': GOOD,
    ...(configuration && { 'turnwise.config.json': JSON.stringify(configuration) }),
  });
  const editor = modelEditor({ home: join(folder.path, 'home'), folders: [folder.path], ...options });
  const uri = pathToFileURL(join(folder.path, 'chat.json')).href;
  return {
    editor,
    test: (params: Omit<JudgeTestParams, 'uri'> = {}, token?: CancellationToken) =>
      sendRequest(editor.connection, testJudge, { uri, ...params }, token),
    testEmbedder: (embedder: EmbedderChoice, key?: string) =>
      sendRequest(editor.connection, testEmbedder, { uri, embedder, ...(key && { key }) }),
    [Symbol.asyncDispose]: async () => {
      editor[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const judgeAt = (stub: StubModels, baseUrl = stub.openai) => ({ provider: 'openai', model: 'm', baseUrl }) as const;

describe('the test of a judge that the user chose', () => {
  it('sends one question with a schema, the entered key and no text of the trace', async () => {
    await using stub = await startStubModels();
    await using folder = await openFolder(undefined, { keys: { [elsewhere(stub)]: 'stored' } });
    const tested = await folder.test({ judge: judgeAt(stub, `${elsewhere(stub)}/v1`), key: KEY });
    expect(tested).toMatchObject({ status: 'answered', model: 'm', isEstimated: false });
    const [request, ...others] = stub.requests;
    expect(others).toEqual([]);
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.schema).toMatchObject({ required: ['colour'] });
    expect(request?.prompt).toBe(
      'You answer questions in JSON.\n\nWhich of these words is a colour: river, green, table?',
    );
    expect(folder.editor.questions).toEqual([]);
  });

  it('uses the stored key, else the one in the environment, as an evaluation does', async () => {
    await using stub = await startStubModels();
    const judge = judgeAt(stub, `${elsewhere(stub)}/v1`);
    const env = { TURNWISE_API_KEY: 'of-environment' };
    await using stored = await openFolder(undefined, { env, keys: { [elsewhere(stub)]: 'stored' } });
    await stored.test({ judge });
    await using none = await openFolder(undefined, { env });
    await none.test({ judge });
    expect([...keysIn(stub.requests)]).toEqual(['Bearer stored', 'Bearer of-environment']);
  });

  it('gives the model that answered, the tokens and the time, and says which tokens are estimated', async () => {
    await using stub = await startStubModels(() =>
      answer({ colour: 'green' }, { usage: { prompt: 40, completion: 12 } }),
    );
    await using folder = await openFolder();
    const tested = await folder.test({ judge: judgeAt(stub) });
    expect(tested).toEqual({ status: 'answered', model: 'm', tokens: 52, isEstimated: false, ms: expect.any(Number) });
    stub.play(() => answer({ colour: 'green' }, { usage: null }));
    expect(await folder.test({ judge: judgeAt(stub) })).toMatchObject({ status: 'answered', isEstimated: true });
  });

  it('falls back from the schema as a judge does', async () => {
    await using stub = await startStubModels(({ number }) =>
      number === 0 ? unsupported('response_format') : answer({ colour: 'green' }),
    );
    await using folder = await openFolder();
    expect(await folder.test({ judge: judgeAt(stub) })).toMatchObject({ status: 'answered' });
    expect(stub.requests.map(({ schema }) => schema !== null)).toEqual([true, false]);
  });

  it.each([
    ['an error', error(500, 'Out of memory.'), /failed \(500: Out of memory\.\)/],
    ['a wrong key', wrongKey(KEY), /rejected the API key \(401: Incorrect API key provided: \[key\]\.\)/],
    [
      'an answer of another shape',
      answer('It is green.'),
      /^m did not answer in the structure of the schema: It is green\.$/,
    ],
    ['a truncated answer', answer('{"col', { finish: 'length' }), /^m reached its output limit: \{"col$/],
    ['a refusal', refusal('I may not.'), /^m refused to answer the test question: I may not\.$/],
  ])('fails with the words of the server after one request, for %s', async (_, reply, words) => {
    await using stub = await startStubModels(() => reply);
    await using folder = await openFolder();
    const tested = await folder.test({ judge: judgeAt(stub), key: KEY });
    expect(tested).toEqual({ status: 'failed', error: expect.stringMatching(words) });
    expect(JSON.stringify(tested)).not.toContain(KEY);
    expect(stub.requests).toHaveLength(1);
  });

  it('fails at once where no server runs', async () => {
    await using stub = await startStubModels();
    await stub.stop();
    await using folder = await openFolder();
    const tested = await folder.test({ judge: judgeAt(stub) });
    expect(tested).toEqual({
      status: 'failed',
      error: expect.stringMatching(/does not answer \(connection refused\)/),
    });
  });

  it('can be cancelled, which ends its request', async () => {
    await using stub = await startStubModels(() => hang);
    await using folder = await openFolder();
    let cancel = () => {};
    const token: CancellationToken = {
      isCancellationRequested: false,
      onCancellationRequested: (listener) => {
        cancel = () => listener(undefined);
        return { dispose: () => {} };
      },
    };
    const testing = folder.test({ judge: judgeAt(stub) }, token);
    await stub.arrived(1);
    cancel();
    expect(await testing).toEqual({ status: 'cancelled' });
    expect(await stub.requests[0]?.over).toBe('hung up');
  });

  it('keeps the settings of the configuration only for the same server', async () => {
    await using stub = await startStubModels();
    await using other = await startStubModels();
    const headers = { 'x-gateway': 'mine' };
    await using folder = await openFolder({ judge: { ...judgeAt(stub), headers, temperature: 0.5 } });
    await folder.test({ judge: { ...judgeAt(stub), model: 'new' } });
    await folder.test({ judge: judgeAt(other) });
    expect(stub.requests).toMatchObject([{ model: 'new', headers, body: { temperature: 0.5 } }]);
    expect(other.requests[0]?.headers).not.toHaveProperty('x-gateway');
  });
});

describe('the test of the judge of a configuration', () => {
  it('names another host and the tokens before anything is sent there', async () => {
    await using stub = await startStubModels();
    const judge = judgeAt(stub, `${elsewhere(stub)}/v1`);
    let says: string | null = null;
    await using folder = await openFolder({ judge }, { says: () => says, env: { TURNWISE_API_KEY: 'shared' } });
    expect(await folder.test()).toEqual({ status: 'cancelled' });
    expect(stub.requests).toEqual([]);
    expect(folder.editor.keysAsked).toEqual([]);
    const host = elsewhere(stub);
    expect(folder.editor.questions).toEqual([
      {
        message: expect.stringMatching(
          `^Send one question of about \\d+ tokens to ${host}, with its API key\\? It contains no text of a trace\\.$`,
        ),
        answers: ['Send'],
      },
    ]);
    says = 'Send';
    expect(await folder.test()).toMatchObject({ status: 'answered', model: 'm' });
    expect([...keysIn(stub.requests)]).toEqual(['Bearer shared']);
  });

  it('asks nothing for a server on this machine', async () => {
    await using stub = await startStubModels();
    await using folder = await openFolder({ judge: judgeAt(stub) });
    expect(await folder.test()).toMatchObject({ status: 'answered' });
    expect(folder.editor.questions).toEqual([]);
  });

  it('says what to do without a judge, with a wrong configuration and in an untrusted folder', async () => {
    await using none = await openFolder();
    expect(await none.test()).toEqual({
      status: 'failed',
      error: 'The configuration names no judge on a server. Choose a judge first.',
    });
    await using wrong = await openFolder({ judge: { provider: 'openai' } });
    expect(await wrong.test()).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^turnwise\.config\.json: .*model/),
    });
    await using stub = await startStubModels();
    await using untrusted = await openFolder({ judge: judgeAt(stub) }, { trusted: false });
    expect(await untrusted.test()).toMatchObject({ status: 'failed', error: expect.stringMatching(/not trusted/) });
    expect(stub.requests).toEqual([]);
  });
});

describe('the test of an embedder that the user chose', () => {
  const WORDS = join(import.meta.dirname, '..', '..', 'fixtures', 'static-models', 'words');

  it('embeds two sentences with the entered key, and no text of the trace', async () => {
    await using stub = await startStubModels();
    await using folder = await openFolder(undefined, { keys: { [elsewhere(stub)]: 'stored' } });
    const embedder = judgeAt(stub, `${elsewhere(stub)}/v1`);
    const tested = await folder.testEmbedder(embedder, KEY);
    expect(tested).toMatchObject({ status: 'answered', model: 'm', dimensions: expect.any(Number) });
    const [request, ...others] = stub.requests;
    expect(others).toEqual([]);
    expect(request?.api).toBe('openai embeddings');
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.body).toMatchObject({ input: ['The parcel arrived on Monday.', 'A refund takes five days.'] });
    expect(folder.editor.questions).toEqual([]);
  });

  it('fails with the words of the server after one request', async () => {
    await using stub = await startStubModels(() => error(500, 'No such luck.'));
    await using folder = await openFolder();
    const tested = await folder.testEmbedder(judgeAt(stub), KEY);
    expect(tested).toEqual({ status: 'failed', error: expect.stringMatching(/No such luck/) });
    expect(stub.requests).toHaveLength(1);
  });

  it('reads a model in a folder, and names the file that is missing', async () => {
    await using folder = await openFolder();
    expect(await folder.testEmbedder({ provider: 'static', model: WORDS })).toMatchObject({
      status: 'answered',
      model: 'words',
    });
    const missing = join(WORDS, '..');
    expect(await folder.testEmbedder({ provider: 'static', model: missing })).toEqual({
      status: 'failed',
      error: expect.stringContaining(`${join(missing, 'model.safetensors')} is missing or is no file.`),
    });
  });

  it('reads and sends nothing in an untrusted folder', async () => {
    await using stub = await startStubModels();
    await using folder = await openFolder(undefined, { trusted: false });
    const embedders: readonly EmbedderChoice[] = [judgeAt(stub), { provider: 'static', model: WORDS }];
    for (const embedder of embedders) {
      expect(await folder.testEmbedder(embedder)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/not trusted/),
      });
    }
    expect(stub.requests).toEqual([]);
  });
});

describe('the models of a server that the user chose', () => {
  const models = response(200, JSON.stringify({ data: [{ id: 'a' }, { id: 'b' }] }));

  it('are listed with the entered key, else the stored one or that of the environment', async () => {
    await using stub = await startStubModels(() => models);
    const baseUrl = `${elsewhere(stub)}/v1`;
    const env = { TURNWISE_API_KEY: 'of-environment' };
    await using folder = await openFolder(undefined, { env, keys: { [elsewhere(stub)]: 'stored' } });
    await using without = await openFolder(undefined, { env });
    const list = ({ editor }: typeof folder, key?: string) =>
      sendRequest(editor.connection, listModels, { provider: 'openai', baseUrl, key, use: 'judge' });
    expect(await list(folder, KEY)).toEqual({ models: ['a', 'b'] });
    await list(folder);
    await list(without);
    expect([...keysIn(stub.requests)]).toEqual([`Bearer ${KEY}`, 'Bearer stored', 'Bearer of-environment']);
  });

  it('are missing with the reason: the key, a server that does not run, or another answer', async () => {
    await using stub = await startStubModels(() => wrongKey(KEY));
    await using folder = await openFolder();
    const request = { provider: 'openai', baseUrl: stub.openai, key: KEY, use: 'judge' } as const;
    const list = () => sendRequest(folder.editor.connection, listModels, request);
    const refused = await list();
    expect(refused).toMatchObject({ cause: 'key', error: expect.stringMatching(/rejected the API key/) });
    expect(JSON.stringify(refused)).not.toContain(KEY);
    stub.play(() => error(404, 'Not here.'));
    expect(await list()).toMatchObject({ cause: 'other', error: expect.stringMatching(/was not found/) });
    await stub.stop();
    expect(await list()).toMatchObject({ cause: 'unreachable' });
  });

  it('are not requested in an untrusted folder', async () => {
    await using stub = await startStubModels(() => models);
    await using folder = await openFolder(undefined, { trusted: false });
    const request = { provider: 'openai', baseUrl: stub.openai, use: 'judge' } as const;
    expect(await sendRequest(folder.editor.connection, listModels, request)).toMatchObject({ cause: 'other' });
    expect(stub.requests).toEqual([]);
  });
});
