import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentWithKeys } from '../../../src/app/host-keys.ts';
import { rejectedKeys } from '../../../src/server/consent/rejected-key.ts';
import { startStubModels, wrongKey } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD } from '../../support/traces.ts';
import { type EditorOptions, elsewhere, keysIn, modelEditor } from './model-editor.ts';

/** A folder whose configuration asks what is given. */
async function folderAsking(configuration: object) {
  const folder = await temporaryFolder({
    '.git': '',
    'chat.json': GOOD,
    'turnwise.config.json': JSON.stringify(configuration),
  });
  return {
    trace: join(folder.path, 'chat.json'),
    editor: (options: Partial<EditorOptions>) =>
      modelEditor({ home: join(folder.path, 'home'), folders: [folder.path], says: () => 'Allow', ...options }),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const host = (origin: string) => new URL(origin).host;

describe('API keys', () => {
  it('are sent to their host and to no other', async () => {
    await using judging = await startStubModels();
    await using embedding = await startStubModels();
    await using own = await startStubModels();
    await using there = await folderAsking({
      judge: { provider: 'openai', model: 'j', baseUrl: `${elsewhere(judging)}/v1` },
      embedder: { provider: 'ollama', model: 'e', baseUrl: embedding.origin },
      metrics: { helpfulness: {}, coherence: {} },
    });
    using editor = there.editor({
      keys: { [elsewhere(judging)]: 'of-judge', [host(own.origin)]: 'of-another', 'api.openai.com': 'of-openai' },
    });
    const { run } = await editor.evaluate([there.trace]);
    expect(run).toMatchObject({ judge: { model: 'j' }, embedder: { model: 'e' } });
    expect(keysIn(judging.requests)).toEqual(new Set(['Bearer of-judge']));
    expect(keysIn(embedding.requests)).toEqual(new Set([undefined]));
    expect(new Set(editor.keysAsked)).toEqual(new Set([elsewhere(judging), host(embedding.origin)]));
  });

  it("that apply to several hosts are replaced by each host's own key", () => {
    const env = { OPENAI_API_KEY: 'a', TURNWISE_API_KEY: 'b', TURNWISE_HOME: '/home' };
    const baseUrls = ['http://localhost:1/v1', 'http://localhost:1'];
    const input = {
      host: 'localhost:1',
      baseUrls,
      isEditor: false,
      isLoopback: true,
      isJudge: true,
      isEmbedder: false,
      models: [],
    };
    const made = environmentWithKeys(
      [input],
      new Map([
        ['localhost:1', 'c'],
        ['elsewhere', 'd'],
      ]),
      env,
    );
    expect(made).toEqual({ TURNWISE_HOME: '/home', 'TURNWISE_API_KEY http://localhost:1': 'c' });
  });

  it('of two hosts stay separate, and come from the editor before the environment', async () => {
    await using judging = await startStubModels();
    await using embedding = await startStubModels();
    await using there = await folderAsking({
      judge: { provider: 'openai', model: 'j', baseUrl: `${judging.origin}/v1` },
      embedder: { provider: 'openai', model: 'e', baseUrl: `${embedding.origin}/v1` },
      metrics: { helpfulness: {}, coherence: {} },
    });
    const env = { TURNWISE_API_KEY: 'shared', OPENAI_API_KEY: 'of-openai' };
    using editor = there.editor({ env, keys: { [host(judging.origin)]: 'of-judge' } });
    await editor.evaluate([there.trace]);
    expect(keysIn(judging.requests)).toEqual(new Set(['Bearer of-judge']));
    expect(keysIn(embedding.requests)).toEqual(new Set(['Bearer shared']));
  });

  it('are requested from the Turnwise extension only, and for no host without consent', async () => {
    await using judging = await startStubModels();
    await using there = await folderAsking({
      judge: { provider: 'openai', model: 'j', baseUrl: `${elsewhere(judging)}/v1` },
    });
    using other = there.editor({ client: 'other', env: { TURNWISE_API_KEY: 'shared' } });
    await other.evaluate([there.trace]);
    expect(other.keysAsked).toEqual([]);
    expect(keysIn(judging.requests)).toEqual(new Set(['Bearer shared']));
    await using forbidden = await folderAsking({ judge: { provider: 'openai', model: 'j' } });
    using editor = forbidden.editor({ says: () => 'Never', keys: { 'api.openai.com': 'sk' } });
    await editor.evaluate([forbidden.trace]);
    expect(editor.keysAsked).toEqual([]);
  });

  it('that are missing are reported once, and the evaluation continues with rules', async () => {
    await using there = await folderAsking({ judge: { provider: 'openai', model: 'j' } });
    using editor = there.editor({});
    for (const _ of ['first', 'again']) {
      const { run, problems } = await editor.evaluate([there.trace]);
      expect(run.judge).toBeNull();
      expect(problems).toMatchObject([
        { severity: 'warning', message: expect.stringContaining('Run "Turnwise: Set API Key".') },
      ]);
    }
    const sentence = 'api.openai.com requires an API key and was not used.';
    expect(editor.told).toEqual([{ host: 'api.openai.com', sentence }]);
    using other = there.editor({ client: 'other' });
    await other.evaluate([there.trace]);
    expect(other.told).toEqual([{ host: null, sentence: expect.stringContaining('Set OPENAI_API_KEY') }]);
  });

  it('are reported missing when a judge says so, not when a trace does', () => {
    const input = {
      host: 'localhost:1',
      baseUrls: ['http://localhost:1/v1'],
      isEditor: false,
      isLoopback: true,
      isJudge: true,
    };
    const hosts = [{ ...input, isEmbedder: false, models: [] }];
    const message = 'No answer. localhost:1/v1/chat/completions requires an API key (401: no).';
    const missed = [{ host: 'localhost:1', sentence: 'localhost:1 requires an API key.' }];
    expect(rejectedKeys([{ code: 'judge-unanswered', message }], hosts)).toEqual(missed);
    expect(rejectedKeys([{ code: 'not-json', message }], hosts)).toEqual([]);
    expect(rejectedKeys([{ code: 'judge-unanswered', message: message.replace('localhost', 'x') }], hosts)).toEqual([]);
  });

  it('that a host rejects are reported once each', async () => {
    await using stub = await startStubModels(() => wrongKey());
    await using there = await folderAsking({
      judge: { provider: 'openai', model: 'j', baseUrl: `${stub.origin}/v1` },
      metrics: { helpfulness: {} },
    });
    const keys: Record<string, string> = {};
    using editor = there.editor({ keys });
    const name = host(stub.origin);
    await editor.evaluate([there.trace]);
    await editor.evaluate([there.trace]);
    expect(editor.told).toEqual([{ host: name, sentence: `${name} requires an API key.` }]);
    keys[name] = 'wrong-key-of-mine';
    const { problems } = await editor.evaluate([there.trace]);
    expect(editor.told[1]).toEqual({ host: name, sentence: `${name} rejected the API key.` });
    expect(JSON.stringify([problems, editor.told])).not.toContain('wrong-key-of-mine');
  });
});
