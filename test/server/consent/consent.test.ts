import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clearConsent, modelHosts, saveJudge } from '../../../src/protocol/models.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { ConsentFile } from '../../../src/store/consent-file.ts';
import { type StubModels, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { type EditorOptions, elsewhere, modelEditor } from './model-editor.ts';

const JUDGED = { helpfulness: {} };

function configuration(stub: StubModels, more: object = {}): string {
  return JSON.stringify({ judge: { provider: 'openai', model: 'm', baseUrl: `${elsewhere(stub)}/v1` }, ...more });
}

/** Two workspace folders with the same trace and a configuration that asks a host that is not loopback. */
async function workspace(more: object = {}) {
  const stub = await startStubModels();
  const text = configuration(stub, { metrics: JUDGED, ...more });
  const files = { '.git': '', 'chat.json': GOOD, 'turnwise.config.json': text };
  const named = (folder: string) =>
    Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
  const folder = await temporaryFolder({ ...named('a'), ...named('b') });
  const host = elsewhere(stub);
  const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')];
  return {
    stub,
    host,
    a,
    b,
    home: join(folder.path, 'home'),
    traces: [join(a, 'chat.json'), join(b, 'chat.json')] as const,
    editor: (options: Partial<EditorOptions>) =>
      modelEditor({ home: join(folder.path, 'home'), folders: [a], ...options }),
    async [Symbol.asyncDispose]() {
      await stub[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a judge on another machine', () => {
  it('is used once the user allows it, and the user is asked once', async () => {
    await using there = await workspace();
    using editor = there.editor({ says: () => 'Allow' });
    const [trace] = there.traces;
    const report = await editor.evaluate([trace]);
    expect(editor.questions).toEqual([
      {
        message: `Evaluating sends trace text to ${there.host} (openai:m). Allow it for this folder?`,
        answers: ['Allow', 'Not Now', 'Never'],
      },
    ]);
    expect(there.stub.requests.length).toBeGreaterThan(0);
    expect(report.run.judge).toEqual({ provider: 'openai', model: 'm' });
    expect(report.problems).toEqual([]);
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'scored' });
    await editor.evaluate([trace]);
    expect(editor.questions).toHaveLength(1);
    expect(editor.waits).toEqual([`Waiting for consent to send traces to ${there.host}`]);
    // Another window, and the next day.
    using other = there.editor({});
    expect((await other.evaluate([trace])).run.judge).not.toBeNull();
    expect(other.questions).toEqual([]);
  });

  it.each([
    ['Never', /traces of .*a is set to Never\. .*"Turnwise: Reset Trace-Sharing Consent"/],
    ['Not Now', /no consent to send traces of .*a\./],
    [null, /no consent to send traces of .*a\./],
  ] as const)('is sent nothing after “%s”: only the rules run, and a message says so', async (message, sentence) => {
    await using there = await workspace();
    using editor = there.editor({ says: () => message });
    const [trace] = there.traces;
    for (const _ of ['first', 'again']) {
      const report = await editor.evaluate([trace]);
      expect(report.run.judge).toBeNull();
      expect(report.sessions[0]?.turns[0]?.metrics.helpfulness).toMatchObject({ status: 'needs_judge' });
      expect(report.problems).toMatchObject([
        { severity: 'warning', file: join(there.a, 'turnwise.config.json'), message: expect.stringMatching(sentence) },
      ]);
    }
    expect(editor.questions).toHaveLength(1);
    expect(there.stub.requests).toEqual([]);
    using later = there.editor({ says: () => 'Allow' });
    await later.evaluate([trace]);
    // Never is never; what was put off is asked by the next server.
    expect(later.questions).toHaveLength(message === 'Never' ? 0 : 1);
    expect(there.stub.requests.length > 0).toBe(message !== 'Never');
  });

  it('is not asked about once `turnwise trust` allows it, and asked about again once it is revoked', async () => {
    await using there = await workspace();
    const consents = new ConsentFile(there.home);
    await consents.append({ folder: null, host: there.host, answer: 'allow' });
    using editor = there.editor({ says: () => 'Not Now' });
    await editor.evaluate([there.traces[0]]);
    expect([editor.questions, there.stub.requests.length > 0]).toEqual([[], true]);
    const before = there.stub.requests.length;
    await consents.revoke(there.host);
    await editor.evaluate([there.traces[0]]);
    expect([editor.questions.length, there.stub.requests.length]).toEqual([1, before]);
  });

  it('needs consent for each folder and each host', async () => {
    await using there = await workspace();
    const [inA, inB] = there.traces;
    const folders = [there.a, there.b];
    using editor = there.editor({ folders, says: (question) => (question.includes('folder b') ? 'Never' : 'Allow') });
    expect((await editor.evaluate([inA])).run.judge).not.toBeNull();
    const input = there.stub.requests.length;
    expect((await editor.evaluate([inB])).run.judge).toBeNull();
    expect(editor.questions.map(({ message }) => message)).toEqual([
      expect.stringMatching(/Allow it for the folder a\?$/),
      expect.stringMatching(/Allow it for the folder b\?$/),
    ]);
    // Traces of both are traces of b.
    expect((await editor.evaluate([inA, inB])).run.judge).toBeNull();
    expect(there.stub.requests).toHaveLength(input);
    await using another = await startStubModels();
    await writeFile(join(there.a, 'turnwise.config.json'), configuration(another));
    await editor.evaluate([inA]);
    expect(editor.questions).toHaveLength(3);
    expect(editor.questions[2]?.message).toContain(elsewhere(another));
  });

  it('needs consent for the innermost open folder', async () => {
    await using there = await workspace();
    const folders = [join(there.a, '..'), there.a, there.b];
    using editor = there.editor({ folders, says: () => 'Never' });
    const { problems } = await editor.evaluate([there.traces[0]]);
    expect(editor.questions).toMatchObject([{ message: expect.stringMatching(/Allow it for the folder a\?$/) }]);
    expect(problems).toMatchObject([{ message: expect.stringContaining(`traces of ${there.a} is set to Never`) }]);
  });

  it('needs its own consent beside other hosts', async () => {
    await using embedding = await startStubModels();
    const baseUrl = elsewhere(embedding);
    await using there = await workspace({
      embedder: { provider: 'ollama', model: 'e', baseUrl },
      metrics: { ...JUDGED, loop_detection: {} },
    });
    using editor = there.editor({ says: (question) => (question.includes('ollama:e') ? 'Not Now' : 'Allow') });
    const { run, problems } = await editor.evaluate([there.traces[0]]);
    expect(run).toMatchObject({ judge: { model: 'm' }, embedder: { provider: 'lexical' } });
    expect(problems).toMatchObject([{ message: expect.stringContaining(`${baseUrl} was not used`) }]);
    expect(embedding.requests).toEqual([]);
    expect(there.stub.requests.length).toBeGreaterThan(0);
  });

  it('does not replace a judge without consent: a metric with its own judge is not judged by the default one', async () => {
    await using there = await workspace();
    await using local = await startStubModels();
    const text = configuration(there.stub, {
      judge: { provider: 'ollama', model: 'local', baseUrl: local.origin },
      metrics: { helpfulness: { judge: 'openai:far' } },
    });
    await writeFile(join(there.a, 'turnwise.config.json'), text);
    using editor = there.editor({ says: () => 'Not Now' });
    const report = await editor.evaluate([there.traces[0]]);
    expect(editor.questions).toMatchObject([{ message: expect.stringContaining('api.openai.com (openai:far)') }]);
    expect(report.run.judge).toBeNull();
    expect(local.requests).toEqual([]);
  });

  it('is not asked about when another judge has no consent', async () => {
    await using there = await workspace();
    const judge = { provider: 'ollama', model: 'm', baseUrl: there.host };
    const text = configuration(there.stub, { judge, metrics: { helpfulness: { judge: 'openai:far' } } });
    await writeFile(join(there.a, 'turnwise.config.json'), text);
    using editor = there.editor({ says: () => 'Not Now' });
    const { problems } = await editor.evaluate([there.traces[0]]);
    expect(editor.questions.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${there.host} (ollama:m)`),
    ]);
    expect(problems).toHaveLength(1);
  });

  it('is named in the question without links from its name', async () => {
    await using there = await workspace();
    const model = 'safe) all is well [yes](command:turnwise.setApiKey)';
    const judge = { provider: 'openai', model, baseUrl: `${there.host}/v1` };
    await writeFile(join(there.a, 'turnwise.config.json'), configuration(there.stub, { judge }));
    using editor = there.editor({});
    await editor.evaluate([there.traces[0]]);
    expect(editor.questions[0]?.message).toBe(
      `Evaluating sends trace text to ${there.host} (openai:safe) all is well [yes] (command:turnwise.setApiKey)). Allow it for this folder?`,
    );
  });

  it('needs no consent on this machine', async () => {
    await using there = await workspace();
    for (const name of ['127.0.0.1', 'localhost', '127.8.9.1']) {
      const baseUrl = `${there.stub.origin.replace('127.0.0.1', name)}/v1`;
      const judge = { provider: 'openai', model: name, baseUrl };
      await writeFile(join(there.a, 'turnwise.config.json'), configuration(there.stub, { judge }));
      using editor = there.editor({ says: () => 'Never' });
      const { run } = await editor.evaluate([there.traces[0]]);
      expect(editor.questions).toEqual([]);
      expect(run.judge).toEqual({ provider: 'openai', model: name });
    }
    expect(there.stub.requests.length).toBeGreaterThan(0);
  });

  it('is not asked about when there is nothing to judge', async () => {
    await using there = await workspace();
    await mkdir(join(there.a, 'empty'));
    using editor = there.editor({ says: () => 'Allow' });
    await editor.evaluate([join(there.a, 'empty')]);
    expect(editor.questions).toEqual([]);
  });

  it('needs consent again after a reset', async () => {
    await using there = await workspace();
    let message = 'Never';
    using editor = there.editor({ says: () => message });
    const [trace] = there.traces;
    await editor.evaluate([trace]);
    await sendRequest(editor.connection, clearConsent, {});
    message = 'Allow';
    expect((await editor.evaluate([trace])).run.judge).not.toBeNull();
    expect(editor.questions).toHaveLength(2);
  });

  it('cannot be allowed by a file in the folder', async () => {
    await using there = await workspace();
    const line = JSON.stringify({ folder: there.a, host: there.host, answer: 'allow' });
    for (const name of ['consent.jsonl', '.turnwise/consent.jsonl', '.vscode/settings.json']) {
      await mkdir(join(there.a, name, '..'), { recursive: true });
      await writeFile(join(there.a, name), `${line}\n`);
    }
    using editor = there.editor({});
    await editor.evaluate([there.traces[0]]);
    expect(editor.questions).toHaveLength(1);
    expect(there.stub.requests).toEqual([]);
  });

  it('keeps its question when an evaluation is stopped, and the answer applies to the next one', async () => {
    await using there = await workspace();
    const answered = Promise.withResolvers<string>();
    const question = Promise.withResolvers<void>();
    let isNext = false;
    using editor = there.editor({
      // The next evaluation is about to ask as well.
      onFolders: () => isNext && answered.resolve('Allow'),
      says: () => {
        question.resolve();
        return answered.promise;
      },
    });
    const stop = new AbortController();
    const stopped = editor.evaluate([there.traces[0]], { signal: stop.signal });
    await question.promise;
    stop.abort();
    expect((await stopped).run).toMatchObject({ complete: false, judge: null });
    isNext = true;
    expect((await editor.evaluate([there.traces[0]])).run.judge).toEqual({ provider: 'openai', model: 'm' });
    expect(editor.questions).toHaveLength(1);
  });

  it('needs consent in an editor without the Turnwise extension, which gets the path of stored answers', async () => {
    await using there = await workspace();
    using editor = there.editor({ client: 'other', says: () => 'Never' });
    const { problems } = await editor.evaluate([there.traces[0]]);
    expect(editor.questions).toHaveLength(1);
    expect(problems).toMatchObject([
      { message: expect.stringContaining(`delete ${join(there.home, 'consent.jsonl')}`) },
    ]);
  });

  it('is chosen and saved in a trusted folder', async () => {
    await using there = await workspace();
    using editor = there.editor({ trusted: false });
    const uri = pathToFileURL(there.traces[0]).href;
    const choice = { uri, judge: { provider: 'ollama', model: 'near' } } as const;
    expect(await sendRequest(editor.connection, saveJudge, choice)).toEqual({
      error: expect.stringContaining('not trusted'),
    });
    editor.set({ trusted: true });
    const written = join(there.a, 'turnwise.config.json');
    expect(await sendRequest(editor.connection, saveJudge, choice)).toEqual({ written, asking: [] });
    await expect(sendRequest(editor.connection, modelHosts, { uri })).resolves.toEqual({ hosts: ['127.0.0.1:11434'] });
  });

  it('is named by the extension before it is used', async () => {
    await using there = await workspace();
    using editor = there.editor({});
    const uri = pathToFileURL(there.traces[0]).href;
    await expect(sendRequest(editor.connection, modelHosts, { uri })).resolves.toEqual({ hosts: [there.host] });
    expect(editor.questions).toEqual([]);
  });

  it('is stored as allowed in a file that only its user can read', async () => {
    await using there = await workspace();
    using editor = there.editor({ says: () => 'Allow' });
    await editor.evaluate([there.traces[0]]);
    const file = join(there.home, 'consent.jsonl');
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect((await readFile(file, 'utf8')).trim()).toBe(
      JSON.stringify({ folder: there.a, host: there.host, answer: 'allow' }),
    );
  });
});
