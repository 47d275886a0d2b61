import { afterEach, describe, expect, it, vi } from 'vitest';
import { MODEL_SERVERS } from '../../../src/core/model-servers.ts';
import type { EmbedderTest, JudgeTest, ModelList } from '../../../src/protocol/models.ts';
import { fakeServer } from './fake-server.ts';
import type { FakeChatModel, InputBoxOptions, QuickPickItem } from './fake-vscode.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { commands, lm, Uri, window, workspace } = await import('./fake-vscode.ts');
const { ApiKeys } = await import('../../../src/extension/api-keys.ts');
const { chooseEmbedder } = await import('../../../src/extension/choose-embedder.ts');
const { chooseJudge } = await import('../../../src/extension/choose-judge.ts');
const { testConnection } = await import('../../../src/extension/test-connection.ts');
const { showError } = await import('../../../src/extension/errors.ts');

const KEY = 'tw-secret-0123456789abcdef';
const TRACE = 'file:///workspace/refund.json';
const ANSWERED: JudgeTest = { status: 'answered', model: 'gpt-5-mini-2026', tokens: 52, isEstimated: false, ms: 812 };
const EMBEDDED: EmbedderTest = { status: 'answered', model: 'nomic-embed-text', dimensions: 768, ms: 120 };
const REFUSED = { status: 'failed', error: 'api.openai.com rejected the API key (401).' } as const;

/** A list, a field or a message, by its title or text, and what the user does: undefined is Escape. */
type Step = readonly [asked: string | RegExp, does: string | undefined];

const CHOOSE = 'Choose a judge model';
const CHOOSE_OPENAI: Step = [CHOOSE, 'OpenAI'];
const ENTER_KEY: Step = ['API Key for api.openai.com', KEY];
const PICK_MODEL: Step = ['Choose a model of OpenAI', 'gpt-5-mini'];
const SAVE_ANYWAY: Step = [REFUSED.error, 'Save Anyway'];
/** The whole way to a judge of OpenAI. */
const OPENAI_STEPS = [CHOOSE_OPENAI, ENTER_KEY, PICK_MODEL];

interface Situation {
  readonly models?: readonly ModelList[];
  readonly tests?: readonly JudgeTest[];
  readonly embedderTests?: readonly EmbedderTest[];
  /** What saving the configuration gives. */
  readonly saved?: object | Error;
  /** Stored keys by host. */
  readonly keys?: Readonly<Record<string, string>>;
  /** What servers on this machine answer, by host and port. */
  readonly running?: Readonly<Record<string, unknown>>;
  /** The editor's own language models. */
  readonly editorModels?: readonly FakeChatModel[];
  readonly isActiveReport?: boolean;
  /** The active editor. */
  readonly active?: string | null;
}

/** Runs a command for a user who goes these steps and then presses Escape. */
async function run(steps: readonly Step[], situation: Situation = {}, command: typeof chooseJudge = chooseJudge) {
  const {
    saved = { written: '/workspace/turnwise.config.json', asking: [] },
    running = {},
    active = TRACE,
  } = situation;
  const left = [...steps];
  const shown: { readonly kind: string; readonly text: string; readonly options: unknown }[] = [];
  const answerStep = (kind: string, text: string, options: unknown): string | undefined => {
    shown.push({ kind, text, options });
    const [step] = left;
    if (!step || !(typeof step[0] === 'string' ? text === step[0] : step[0].test(text))) return undefined;
    left.shift();
    return step[1];
  };
  const lists: (readonly QuickPickItem[])[] = [];
  const fields: InputBoxOptions[] = [];
  vi.spyOn(window, 'showQuickPick').mockImplementation(async (items, options) => {
    const list = await items;
    lists.push(list);
    const label = answerStep('list', options.title, options);
    if (label === undefined) return undefined;
    const item = list.find((candidate) => candidate.label === label);
    if (!item) throw new Error(`There is no "${label}" to choose.`);
    return item;
  });
  vi.spyOn(window, 'showInputBox').mockImplementation(async (options) => {
    fields.push(options);
    return answerStep('field', options.title, options);
  });
  vi.spyOn(window, 'showOpenDialog').mockImplementation(async (options) => {
    const path = answerStep('dialog', options.title, options);
    return path === undefined ? undefined : [Uri.file(path)];
  });
  for (const kind of ['showErrorMessage', 'showInformationMessage'] as const) {
    vi.spyOn(window, kind).mockImplementation(async (text, ...buttons) => answerStep(kind, String(text), buttons));
  }
  vi.spyOn(lm, 'selectChatModels').mockImplementation(async () => situation.editorModels ?? []);
  const contacted: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    const { host } = new URL(url);
    contacted.push(url);
    if (!Object.hasOwn(running, host)) throw new TypeError('fetch failed');
    return Response.json(running[host]);
  });
  const sent: { readonly method: string; readonly params: unknown }[] = [];
  const modelLists = [...(situation.models ?? [])];
  const tests = [...(situation.tests ?? [ANSWERED])];
  const embedderTests = [...(situation.embedderTests ?? [])];
  const { server } = fakeServer({
    'turnwise/listModels': (params) => {
      sent.push({ method: 'listModels', params });
      return modelLists.shift() ?? { models: ['gpt-5', 'gpt-5-mini'] };
    },
    'turnwise/testJudge': (params) => {
      sent.push({ method: 'testJudge', params });
      return tests.shift() ?? ANSWERED;
    },
    'turnwise/testEmbedder': (params) => {
      sent.push({ method: 'testEmbedder', params });
      return embedderTests.shift() ?? EMBEDDED;
    },
    'turnwise/chooseEmbedder': (params) => {
      sent.push({ method: 'saveJudge', params });
      if (saved instanceof Error) throw saved;
      return saved;
    },
    'turnwise/chooseJudge': (params) => {
      sent.push({ method: 'saveJudge', params });
      if (saved instanceof Error) throw saved;
      return saved;
    },
  });
  const secrets = new Map<string, string>();
  if (situation.keys) secrets.set('turnwise.keys', JSON.stringify(Object.entries(situation.keys)));
  const keys = new ApiKeys({
    get: async (name) => secrets.get(name),
    store: async (name, value) => void secrets.set(name, value),
    delete: async (name) => void secrets.delete(name),
  });
  const before = [...secrets];
  const logged: string[] = [];
  const record = (...parts: unknown[]) => void logged.push(parts.map(String).join(' '));
  const log = { error: record, warn: record, info: record, show: () => {} };
  const evaluated: unknown[] = [];
  window.activeTextEditor = active === null ? undefined : { document: { uri: Uri.parse(active), languageId: 'json' } };
  const context = {
    server,
    keys,
    log,
    reports: { active: situation.isActiveReport ? { session: `${TRACE}#1`, turn: null } : undefined },
    evaluation: {
      run: async (uris: readonly unknown[], where?: string) => {
        evaluated.push([String(uris), where]);
        return { complete: true, sessions: 1, problems: [] };
      },
    },
  };
  await command(context).catch((error: unknown) => showError(error, log));
  expect(left, 'steps that the user could not go').toEqual([]);
  return {
    shown,
    lists,
    fields,
    contacted,
    sent,
    evaluated,
    stored: Object.fromEntries(JSON.parse(secrets.get('turnwise.keys') ?? '[]')),
    isUnchanged:
      JSON.stringify([...secrets]) === JSON.stringify(before) && sent.every((item) => item.method !== 'saveJudge'),
    messages: shown.filter(({ kind }) => kind.startsWith('show')).map(({ text }) => text),
    /** Everything that is written or shown anywhere but in the requests that need the key. */
    visible: JSON.stringify([shown, logged, sent.filter(({ method }) => method === 'saveJudge')]),
  };
}

const paramsOf = (sent: readonly { method: string; params: unknown }[], method: string) =>
  sent.filter((request) => request.method === method).map(({ params }) => params);

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  workspace.isTrusted = true;
  workspace.workspaceFolders = [];
});

describe('the list of judges', () => {
  const ollama = { '127.0.0.1:11434': { models: [{ name: 'qwen3:8b' }] } };
  const lmStudio = { 'localhost:1234': { data: [{ id: 'a' }, { id: 'b' }, { id: 'text-embedding-c' }] } };

  it('has servers that run on this machine first, with their models, then rules only', async () => {
    const { lists } = await run([[CHOOSE, undefined]], { running: { ...lmStudio, ...ollama } });
    expect(lists[0]?.slice(0, 4).map(({ label, description }) => [label, description])).toEqual([
      ['Ollama', 'running, 1 model'],
      ['LM Studio', 'running, 2 models'],
      ['Rules only', 'no model is used and nothing is sent'],
      ['vLLM', 'not running at localhost:8000'],
    ]);
    expect(lists[0]?.slice(5).map(({ label, description }) => [label, description])).toEqual([
      ['OpenAI', 'api.openai.com'],
      ['Anthropic', 'api.anthropic.com'],
      ['Google Gemini', 'generativelanguage.googleapis.com'],
      ['OpenRouter', 'openrouter.ai'],
      ['Azure OpenAI', 'openai.azure.com'],
      ['Other Server…', 'any server with an OpenAI-compatible API'],
    ]);
  });

  it('contacts this machine only', async () => {
    const { contacted, sent } = await run([[CHOOSE, undefined]]);
    expect(contacted.map((url) => new URL(url).hostname)).toEqual(['127.0.0.1', 'localhost', 'localhost', 'localhost']);
    expect(sent).toEqual([]);
  });

  it('takes no other program on the port of a server for it', async () => {
    const { lists } = await run([[CHOOSE, undefined]], { running: { 'localhost:8080': { jobs: [] } } });
    expect(lists[0]?.find(({ label }) => label === 'llama.cpp')?.description).toBe('not running at localhost:8080');
  });
});

describe('the models of the editor', () => {
  const model = (vendor: string, family: string, id: string) => ({
    vendor,
    family,
    id,
    version: '1',
    name: `The ${id}`,
  });
  const editorModels = [model('copilot', 'gpt-4o', 'a'), model('byok', 'same', 'b'), model('byok', 'same', 'c')];

  it('stand first in the list of judges, with their vendors', async () => {
    const { lists } = await run([[CHOOSE, undefined]], { editorModels });
    expect(lists[0]?.[0]).toMatchObject({ label: 'Models of the Editor', description: '3 models of copilot, byok' });
  });

  it.each([
    ['The a', 'copilot/gpt-4o'],
    ['The b', 'byok/same'],
    ['The c', 'byok/c'],
  ])('“%s” is tested and saved as %s, without a key', async (label, name) => {
    const steps: readonly Step[] = [
      [CHOOSE, 'Models of the Editor'],
      ['Choose a model of the editor', label],
    ];
    const { sent, stored } = await run(steps, { editorModels });
    const judge = { provider: 'editor', model: name };
    expect(sent).toEqual([
      { method: 'testJudge', params: { uri: TRACE, judge } },
      { method: 'saveJudge', params: { uri: TRACE, judge } },
    ]);
    expect(stored).toEqual({});
  });

  it('are not listed where a configuration cannot name them', async () => {
    const { lists } = await run([[CHOOSE, undefined]], { editorModels: [model('two words', 'a', 'b')] });
    expect(lists[0]?.map(({ label }) => label)).not.toContain('Models of the Editor');
  });
});

describe('the model of a judge', () => {
  it('is picked from the models of a running server, which needs no key', async () => {
    const running = { '127.0.0.1:11434': { models: [{ name: 'qwen3:8b' }] } };
    const steps: readonly Step[] = [
      [CHOOSE, 'Ollama'],
      ['Choose a model of Ollama', 'qwen3:8b'],
    ];
    const { sent, isUnchanged } = await run(steps, { running });
    const judge = { provider: 'ollama', model: 'qwen3:8b', baseUrl: 'http://127.0.0.1:11434' };
    expect(sent).toEqual([
      { method: 'testJudge', params: { uri: TRACE, judge } },
      { method: 'saveJudge', params: { uri: TRACE, judge } },
    ]);
    expect(isUnchanged).toBe(false);
  });

  it('is asked for with the reason where a server lists none', async () => {
    const error = 'api.openai.com/v1/models failed (500).';
    const steps: readonly Step[] = [CHOOSE_OPENAI, ENTER_KEY, ['Model', ' own-name ']];
    const { fields, sent } = await run(steps, { models: [{ error, cause: 'other' }] });
    expect(fields[1]).toMatchObject({ prompt: `${error} Enter the name of the model on the server.` });
    expect(paramsOf(sent, 'saveJudge')).toMatchObject([{ judge: { model: 'own-name' } }]);
  });

  it('can have a name that is not listed', async () => {
    const enter: Step = ['Choose a model of OpenAI', 'Enter a Name…'];
    const { sent } = await run([CHOOSE_OPENAI, ENTER_KEY, enter, ['Model', 'own']]);
    expect(paramsOf(sent, 'saveJudge')).toMatchObject([{ judge: { model: 'own' } }]);
  });

  it('is a deployment of the resource that the user names, for Azure', async () => {
    for (const entered of ['mine', ' https://mine.openai.azure.com/ ']) {
      const steps: readonly Step[] = [
        [CHOOSE, 'Azure OpenAI'],
        ['Resource of Azure OpenAI', entered],
        ['API Key for mine.openai.azure.com', KEY],
        ['Model', 'my-deployment'],
      ];
      const { sent, stored } = await run(steps);
      expect(paramsOf(sent, 'listModels')).toEqual([]);
      const judge = { provider: 'openai', model: 'my-deployment', baseUrl: 'https://mine.openai.azure.com/openai/v1' };
      expect(paramsOf(sent, 'saveJudge')).toEqual([{ uri: TRACE, judge }]);
      expect(stored).toEqual({ 'mine.openai.azure.com': KEY });
    }
  });

  it('is on a server of the entered base URL, without credentials in it', async () => {
    const steps: readonly Step[] = [
      [CHOOSE, 'Other Server…'],
      ['Server Base URL', 'http://localhost:9999/v1'],
      ['Choose a model of localhost:9999', 'gpt-5'],
    ];
    const { fields, sent } = await run(steps);
    const problemOf = (text: string) => fields[0]?.validateInput?.(text) ?? null;
    expect(problemOf('https://a.example/v1')).toBeNull();
    for (const text of ['https://user:word@a.example', 'ftp://a.example', 'a']) expect(problemOf(text)).toMatch(/URL/);
    expect(paramsOf(sent, 'saveJudge')).toMatchObject([{ judge: { baseUrl: 'http://localhost:9999/v1' } }]);
  });

  it.each([
    ['localhost:9999/v1', 'http://localhost:9999/v1', 'localhost:9999'],
    ['127.0.0.1:9999', 'http://127.0.0.1:9999', '127.0.0.1:9999'],
    ['models.example/v1', 'https://models.example/v1', 'models.example'],
  ])('is on a server whose base URL is entered without a scheme: %s', async (entered, baseUrl, host) => {
    const steps: readonly Step[] = [
      [CHOOSE, 'Other Server…'],
      ['Server Base URL', entered],
      ...(baseUrl.startsWith('https:') ? [[`API Key for ${host}`, KEY] as const] : []),
      [`Choose a model of ${host}`, 'gpt-5'],
    ];
    const { fields, sent } = await run(steps);
    const problemOf = (text: string) => fields[0]?.validateInput?.(text) ?? null;
    expect(problemOf(entered)).toBeNull();
    for (const text of ['', 'a', 'user:word@localhost:9999', 'mailto:a']) expect(problemOf(text)).toMatch(/URL/);
    expect(paramsOf(sent, 'saveJudge')).toMatchObject([{ judge: { baseUrl } }]);
  });

  it.each([
    [
      'does not run',
      'LM Studio',
      { models: [{ error: 'x', cause: 'unreachable' }] },
      /^LM Studio is not running at .*lms server start/,
    ],
    [
      'has no model',
      'Ollama',
      { running: { '127.0.0.1:11434': { models: [] } } },
      /^Ollama has no model .* `ollama pull/,
    ],
  ] as const)('is not asked for where a server on this machine %s', async (_, label, situation, words) => {
    const { messages, isUnchanged } = await run([[CHOOSE, label]], situation);
    expect(messages).toEqual([expect.stringMatching(words)]);
    expect(isUnchanged).toBe(true);
  });
});

describe('the key of a judge', () => {
  it('is asked for before the models, unless one is stored', async () => {
    const { fields } = await run(OPENAI_STEPS);
    expect(fields).toMatchObject([{ password: true, ignoreFocusOut: true }]);
    const stored = { 'api.openai.com': 'stored' };
    const known = await run([CHOOSE_OPENAI, PICK_MODEL], { keys: stored });
    expect(paramsOf(known.sent, 'testJudge')).toEqual([expect.not.objectContaining({ key: expect.anything() })]);
    expect(known.stored).toEqual(stored);
  });

  it('can be left to the environment', async () => {
    const { sent, stored } = await run([CHOOSE_OPENAI, ['API Key for api.openai.com', ' '], PICK_MODEL]);
    expect(paramsOf(sent, 'listModels')).toEqual([
      { provider: 'openai', use: 'judge', baseUrl: MODEL_SERVERS.openai.baseUrl },
    ]);
    expect(stored).toEqual({});
  });

  it('is asked for where a server on this machine needs one, and where the stored one is wrong', async () => {
    const models: ModelList[] = [{ error: 'It requires a key.', cause: 'key' }, { models: ['m'] }];
    const local = await run(
      [
        [CHOOSE, 'vLLM'],
        ['API Key for localhost:8000', KEY],
        ['Choose a model of vLLM', 'm'],
      ],
      { models },
    );
    expect(local.stored).toEqual({ 'localhost:8000': KEY });
    const wrong = await run(
      [
        [CHOOSE, 'OpenAI'],
        ['API Key for api.openai.com', KEY],
        ['Choose a model of OpenAI', 'm'],
      ],
      { models, keys: { 'api.openai.com': 'old' } },
    );
    expect(wrong.stored).toEqual({ 'api.openai.com': KEY });
  });

  it('is in no message, log or configuration, and in no list or field', async () => {
    const failing = [...OPENAI_STEPS, SAVE_ANYWAY];
    for (const [steps, situation] of [
      [OPENAI_STEPS, {}],
      [failing, { tests: [REFUSED] }],
      [OPENAI_STEPS, { saved: { error: 'Nothing was written: it cannot be written.' } }],
      [OPENAI_STEPS, { saved: new Error('The server has stopped.') }],
    ] as const) {
      const { sent, visible } = await run(steps, situation);
      expect(JSON.stringify(paramsOf(sent, 'testJudge'))).toContain(KEY);
      expect(visible).not.toContain(KEY);
    }
  });
});

describe('the test of a chosen judge', () => {
  it('is said in one message with what was saved, which opens the configuration', async () => {
    const said =
      'gpt-5-mini-2026 answered in 0.8 s (52 tokens). Saved to turnwise.config.json. Evaluating refund.json.';
    const opened = vi.spyOn(window, 'showTextDocument');
    const { messages, evaluated, stored } = await run([...OPENAI_STEPS, [said, 'Open']]);
    expect(messages).toEqual([said]);
    expect(String(opened.mock.calls[0]?.[0])).toBe('file:///workspace/turnwise.config.json');
    expect(evaluated).toEqual([[TRACE, 'view']]);
    expect(stored).toEqual({ 'api.openai.com': KEY });
  });

  it('can be repeated', async () => {
    const steps: readonly Step[] = [...OPENAI_STEPS, [REFUSED.error, 'Retry']];
    const { sent, isUnchanged } = await run(steps, { tests: [REFUSED, ANSWERED] });
    expect(paramsOf(sent, 'testJudge')).toHaveLength(2);
    expect(isUnchanged).toBe(false);
  });

  it('can lead back to the list, and asks for another key though one is stored', async () => {
    const steps: readonly Step[] = [
      [CHOOSE, 'OpenAI'],
      ['Choose a model of OpenAI', 'gpt-5'],
      [REFUSED.error, 'Change…'],
      ...OPENAI_STEPS,
    ];
    const { stored, sent } = await run(steps, { tests: [REFUSED, ANSWERED], keys: { 'api.openai.com': 'old' } });
    expect(stored).toEqual({ 'api.openai.com': KEY });
    expect(paramsOf(sent, 'saveJudge')).toMatchObject([{ judge: { model: 'gpt-5-mini' } }]);
  });

  it('does not keep the user from saving, but then nothing is evaluated', async () => {
    const steps = [...OPENAI_STEPS, SAVE_ANYWAY];
    const { messages, evaluated, stored } = await run(steps, { tests: [REFUSED] });
    expect(messages.at(-1)).toBe('Saved to turnwise.config.json. Applies to the next evaluation.');
    expect(evaluated).toEqual([]);
    expect(stored).toEqual({ 'api.openai.com': KEY });
  });

  it('that is cancelled asks what to do', async () => {
    const { messages, isUnchanged } = await run(OPENAI_STEPS, { tests: [{ status: 'cancelled' }] });
    expect(messages).toEqual(['The test was cancelled.']);
    expect(isUnchanged).toBe(true);
  });
});

describe('settings, files and keys', () => {
  const steps = [...OPENAI_STEPS, SAVE_ANYWAY];

  it.each(steps.map((_, index) => index))('stay as they were on Escape after %i steps', async (count) => {
    const { isUnchanged, evaluated } = await run(steps.slice(0, count), {
      tests: [REFUSED],
      keys: { 'a.example': 'a' },
    });
    expect(isUnchanged).toBe(true);
    expect(evaluated).toEqual([]);
  });

  it.each([
    ['is refused', { error: 'Nothing was written: turnwise.config.ts: Turnwise does not edit code.' }],
    ['fails', new Error('The language server stopped before it could answer.')],
  ])('stay as they were where saving the configuration %s', async (_, saved) => {
    const stores: readonly Readonly<Record<string, string>>[] = [{}, { 'api.openai.com': 'old' }];
    for (const keys of stores) {
      const models: ModelList[] = [{ error: 'Wrong key.', cause: 'key' }, { models: ['gpt-5-mini'] }];
      const { stored, messages, evaluated } = await run(OPENAI_STEPS, {
        saved,
        keys,
        ...('api.openai.com' in keys && { models }),
      });
      expect(stored).toEqual(keys);
      expect(messages).toEqual([saved instanceof Error ? saved.message : saved.error]);
      expect(evaluated).toEqual([]);
    }
  });

  it('are not asked about in an untrusted folder, or without a folder and a trace', async () => {
    const nowhere = await run([], { active: null });
    expect(nowhere.messages).toEqual(['Open a folder or a trace first. The model is saved to its configuration.']);
    workspace.isTrusted = false;
    const { messages, contacted } = await run([]);
    expect(messages).toEqual(['This folder is not trusted. Trust it to choose a model.']);
    expect(contacted).toEqual([]);
  });

  it.each([chooseJudge, chooseEmbedder])('offer to manage the trust of an untrusted folder (%o)', async (command) => {
    workspace.isTrusted = false;
    const executed = vi.spyOn(commands, 'executeCommand');
    await run([[/^This folder is not trusted/, 'Manage Trust']], {}, command);
    expect(executed.mock.calls).toEqual([['workbench.trust.manage']]);
  });
});

describe('the step of the walkthrough', () => {
  it('is complete once a judge is saved, and not before', async () => {
    const executed = vi.spyOn(commands, 'executeCommand');
    await run([CHOOSE_OPENAI]);
    expect(executed.mock.calls).toEqual([]);
    await run([CHOOSE_OPENAI, ENTER_KEY, PICK_MODEL]);
    expect(executed.mock.calls).toEqual([['setContext', 'turnwise.hasChosenJudge', true]]);
  });
});

describe('the open trace', () => {
  it('is the one of the active report, whose view stays', async () => {
    const { evaluated } = await run(OPENAI_STEPS, { isActiveReport: true, active: null });
    expect(evaluated).toEqual([[TRACE, 'here']]);
  });

  it('is no configuration and no other file', async () => {
    for (const active of [
      'file:///workspace/turnwise.config.json',
      'file:///workspace/a.turnwise.json',
      'untitled:a.json',
    ]) {
      workspace.workspaceFolders = [{ uri: Uri.parse('file:///workspace') }];
      const { evaluated, messages } = await run(OPENAI_STEPS, { active });
      expect(evaluated).toEqual([]);
      expect(messages.at(-1)).toMatch(/Applies to the next evaluation\.$/);
    }
  });

  it('is not evaluated again with rules only, which needs no test', async () => {
    const saved = { written: '/workspace/turnwise.config.json', asking: ['helpfulness'] };
    const { sent, messages, evaluated } = await run([[CHOOSE, 'Rules only']], { saved });
    expect(sent).toEqual([{ method: 'saveJudge', params: { uri: TRACE, judge: { provider: 'rules' } } }]);
    expect(messages).toEqual([
      'Saved to turnwise.config.json. Applies to the next evaluation. These metrics still use their own model: helpfulness.',
    ]);
    expect(evaluated).toEqual([]);
  });
});

describe('Test Connection', () => {
  it('says how the judge of the configuration answered', async () => {
    const { messages, sent } = await run([], { tests: [{ ...ANSWERED, isEstimated: true, ms: 3 }] }, testConnection);
    expect(messages).toEqual(['gpt-5-mini-2026 answered in 0.1 s (about 52 tokens).']);
    expect(sent).toEqual([{ method: 'testJudge', params: { uri: TRACE } }]);
  });

  it('shows the words of the server, and says nothing where the user did not want the test', async () => {
    const { shown } = await run([], { tests: [REFUSED] }, testConnection);
    expect(shown).toEqual([{ kind: 'showErrorMessage', text: REFUSED.error, options: ['Choose Judge…'] }]);
    expect((await run([], { tests: [{ status: 'cancelled' }] }, testConnection)).shown).toEqual([]);
  });
});

describe('an embedder', () => {
  const CHOOSE_EMBEDDER = 'Choose an embedder';
  const ollama = {
    '127.0.0.1:11434': {
      models: [{ name: 'qwen3:8b' }, { name: 'nomic-embed-text', details: { families: ['bert'] } }],
    },
  };

  it('is chosen from those that embed, of servers that have some', async () => {
    const { lists } = await run([[CHOOSE_EMBEDDER, undefined]], { running: ollama }, chooseEmbedder);
    const labels = lists[0]?.map(({ label }) => label);
    expect(labels?.slice(0, 3)).toEqual(['Ollama', 'Words Only', 'Model in a Folder…']);
    expect(labels).not.toContain('Anthropic');
    expect(lists[0]?.[0]?.description).toBe('running, 1 model');
  });

  it('embeds a test, is saved, and the open trace is evaluated', async () => {
    const steps: readonly Step[] = [
      [CHOOSE_EMBEDDER, 'Ollama'],
      ['Choose a model of Ollama', 'nomic-embed-text'],
    ];
    const { sent, messages, evaluated } = await run(steps, { running: ollama }, chooseEmbedder);
    const embedder = { provider: 'ollama', model: 'nomic-embed-text', baseUrl: MODEL_SERVERS.ollama.baseUrl };
    expect(paramsOf(sent, 'testEmbedder')).toEqual([{ uri: TRACE, embedder }]);
    expect(paramsOf(sent, 'saveJudge')).toEqual([{ uri: TRACE, embedder }]);
    expect(messages).toEqual([
      'nomic-embed-text answered in 0.1 s (768 dimensions). Saved to turnwise.config.json. Evaluating refund.json.',
    ]);
    expect(evaluated).toEqual([[TRACE, 'view']]);
  });

  it('is a folder, which can be changed where its test fails', async () => {
    const failed: EmbedderTest = { status: 'failed', error: '/models/a/config.json is missing or is no file.' };
    const folder = (path: string): readonly Step[] => [
      [CHOOSE_EMBEDDER, 'Model in a Folder…'],
      ['Folder of the Model', path],
    ];
    const steps: readonly Step[] = [...folder('/models/a'), [failed.error, 'Change…'], ...folder('/models/b')];
    const { sent, contacted } = await run(steps, { embedderTests: [failed] }, chooseEmbedder);
    expect(paramsOf(sent, 'saveJudge')).toEqual([{ uri: TRACE, embedder: { provider: 'static', model: '/models/b' } }]);
    expect(contacted.every((url) => /127\.0\.0\.1|localhost/.test(url))).toBe(true);
  });

  it('is by words without a test', async () => {
    const { sent, evaluated } = await run([[CHOOSE_EMBEDDER, 'Words Only']], {}, chooseEmbedder);
    expect(sent).toEqual([{ method: 'saveJudge', params: { uri: TRACE, embedder: { provider: 'lexical' } } }]);
    expect(evaluated).toEqual([]);
  });

  it('stays as it was with its key after Escape at any step', async () => {
    const steps: readonly Step[] = [
      [CHOOSE_EMBEDDER, 'OpenAI'],
      ENTER_KEY,
      ['Choose a model of OpenAI', 'text-embedding-3-small'],
      ['It is full.', 'Save Anyway'],
    ];
    const models: readonly ModelList[] = [{ models: ['text-embedding-3-small'] }];
    for (const gone of steps.keys()) {
      const { isUnchanged } = await run(
        steps.slice(0, gone),
        { models, embedderTests: [{ status: 'failed', error: 'It is full.' }] },
        chooseEmbedder,
      );
      expect(isUnchanged).toBe(true);
    }
    const { isUnchanged, stored, visible } = await run(
      steps,
      { models, embedderTests: [{ status: 'failed', error: 'It is full.' }] },
      chooseEmbedder,
    );
    expect(isUnchanged).toBe(false);
    expect(stored).toEqual({ 'api.openai.com': KEY });
    expect(visible).not.toContain(KEY);
  });
});
