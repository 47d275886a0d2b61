import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ShowMessageRequest } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { type AgentToolName, agentToolCost, callAgentTool } from '../../../src/protocol/agent-tools.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { workInWorkers } from '../../../src/server/workers/work-in-workers.ts';
import { answer, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { GOOD, UNKNOWN_TOOL } from '../../support/traces.ts';
import { ConnectedEditor } from '../connected-editor.ts';
import { elsewhere } from '../consent/model-editor.ts';

const ENTRY = new URL('../workers/looping-worker.ts', import.meta.url);
const LIMITS = { evaluationMs: 3000, requestMs: 3000, memoryMb: 400 };

interface Options {
  readonly trusted?: boolean;
  /** The open folders, relative to the temporary one. */
  readonly folders?: readonly string[];
  /** What the user says. */
  readonly says?: string;
}

/** A window with open folders, and the server behind it. */
async function open(files: Readonly<Record<string, string>>, { trusted = true, folders = [''], says }: Options = {}) {
  const folder = await temporaryFolder(files);
  vi.stubEnv('TURNWISE_HOME', join(folder.path, 'home'));
  const editor = await ConnectedEditor.to({
    files: nodeFileSystem,
    evaluateFiles: { startFileWork: workInWorkers(ENTRY, LIMITS) },
    folders: folders.map((name) => join(folder.path, name)),
    options: { trusted },
  });
  const questions: string[] = [];
  editor.connection.onRequest(ShowMessageRequest.type, ({ message }) => {
    questions.push(message);
    return says === undefined ? null : { title: says };
  });
  const call = (tool: AgentToolName, input: object = {}, agreedCalls: number | null = null) =>
    sendRequest(editor.connection, callAgentTool, { tool, input: { ...input }, agreedCalls });
  return {
    path: folder.path,
    questions,
    call,
    async ask(tool: AgentToolName, input: object = {}, agreedCalls: number | null = null) {
      const { text, isError } = await call(tool, input, agreedCalls);
      expect(isError, text).toBe(false);
      return text;
    },
    async fail(tool: AgentToolName, input: object = {}, agreedCalls: number | null = null) {
      const { text, isError } = await call(tool, input, agreedCalls);
      expect(isError, text).toBe(true);
      return text;
    },
    cost: async (input: object) => (await sendRequest(editor.connection, agentToolCost, { input: { ...input } })).cost,
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the tools of coding agents in the editor', () => {
  it('evaluate a file by rules, and answer further questions about it', async () => {
    await using window = await open({ '.git/HEAD': '', 'traces/tool.json': UNKNOWN_TOOL });
    const text = await window.ask('evaluate_trace', { path: 'traces/tool.json' });
    expect(text).toMatch(/^session 1: traces\/tool\.json:\d+ turn 1 high unknown-tool: «/m);
    expect(await window.ask('get_turn', { run: 'unrecorded-1', turn: 1 })).toMatch(
      /^user at traces\/tool\.json:\d+: /m,
    );
    expect(await window.ask('list_runs')).toContain('No run of this project is recorded yet.');
    expect(window.questions).toEqual([]);
  });

  it('tell nothing of a folder that is not trusted', async () => {
    await using window = await open({ 'a.json': GOOD }, { trusted: false });
    for (const tool of ['list_runs', 'evaluate_trace'] as const) {
      expect(await window.fail(tool, { path: 'a.json' })).toMatch(
        /^This folder is not trusted, so agents get no answers/,
      );
    }
    expect(await window.cost({ path: 'a.json', judge: true })).toBeNull();
  });

  it('are about the folder that is named, or that has the path, where several are open', async () => {
    const files = { 'one/.git/HEAD': '', 'two/.git/HEAD': '', 'one/a.json': GOOD, 'two/sub/b.json': UNKNOWN_TOOL };
    await using window = await open(files, { folders: ['one', 'two/sub'] });
    const which = 'Several folders are open. Say which is meant, as "project": "one", "sub".';
    expect(await window.fail('list_runs')).toBe(which);
    expect(await window.fail('evaluate_trace', { path: 'none.json' })).toBe(which);
    expect(await window.fail('list_runs', { project: 'three' })).toContain('No such folder is open.');
    expect(await window.ask('list_runs', { project: 'one' })).toContain('No run of this project is recorded yet.');
    // The project is the repository around the folder.
    expect(await window.ask('evaluate_trace', { path: 'b.json' })).toContain('Evaluated sub/b.json.');
    expect(await window.ask('evaluate_trace', { path: join(window.path, 'one/a.json') })).toContain(
      'Evaluated a.json.',
    );
    expect(
      await window.fail('evaluate_trace', { path: join(window.path, 'two/sub/b.json'), project: 'one' }),
    ).toContain('is outside of this project');
  });

  it('say where no folder is open', async () => {
    await using window = await open({}, { folders: [] });
    expect(await window.fail('list_runs')).toContain('No folder is open.');
  });

  it('use no number of an evaluation twice, also after their thread was lost', async () => {
    await using window = await open({ '.git/HEAD': '', 'a.json': GOOD, 'stuck.json': GOOD });
    expect(await window.ask('evaluate_trace', { path: 'a.json' })).toContain('unrecorded-1');
    await writeFile(join(window.path, 'stuck.json.loop'), '');
    expect(await window.fail('evaluate_trace', { path: 'stuck.json' })).toBe(
      'Turnwise could not answer: it took more than 3 s without progress.',
    );
    expect(await window.fail('find_failures', { run: 'unrecorded-1' })).toContain('is not kept any more');
    expect(await window.ask('evaluate_trace', { path: 'a.json' })).toContain('unrecorded-2');
  });
});

describe('a judge that a coding agent wants to ask', () => {
  const stub = () => startStubModels(() => answer({ helpfulness: { evidence: [], reason: 'Good.', score: 4 } }));
  const files = (baseUrl: string) => ({
    '.git/HEAD': '',
    'a.json': GOOD,
    'turnwise.config.json': JSON.stringify({
      metrics: ['helpfulness'],
      judge: { provider: 'openai', model: 'm', baseUrl },
    }),
  });
  const call = { path: 'a.json', judge: true };

  it('is asked at most as often as the user has agreed', async () => {
    await using models = await stub();
    await using window = await open(files(models.openai));
    const cost = await window.cost(call);
    expect(cost).toMatchObject({
      path: 'a.json',
      model: 'openai:m',
      sessions: 1,
      calls: 2,
      cachedCalls: 0,
      maxCalls: 2,
    });
    expect(cost?.tokens).toBeGreaterThan(100);
    expect(await window.cost({ ...call, maxCalls: 1 })).toMatchObject({ calls: 2, maxCalls: 1 });
    expect(await window.cost({ path: 'a.json' })).toBeNull();
    expect(await window.fail('evaluate_trace', call)).toContain('The user was not asked about what this call takes.');
    expect(await window.fail('evaluate_trace', { ...call, maxCalls: 2 })).toContain('The user was not asked');
    expect(models.requests).toEqual([]);
    expect(await window.ask('evaluate_trace', call, 1)).toContain('It took 1 call of the judge');
    expect(models.requests).toHaveLength(1);
    expect(window.questions).toEqual([]);
  });

  it('gets nothing before the user allows its host', async () => {
    await using models = await stub();
    await using window = await open(files(`${elsewhere(models)}/v1`), { says: 'Not Now' });
    expect(await window.cost(call)).toMatchObject({ calls: 2 });
    expect(window.questions).toEqual([]);
    expect(await window.fail('evaluate_trace', call, 2)).toMatch(/was not used: there is no consent to send traces/);
    expect(window.questions).toEqual([expect.stringContaining('Evaluating sends trace text to http://0.0.0.0:')]);
    expect(models.requests).toEqual([]);
    await using allowing = await open(files(`${elsewhere(models)}/v1`), { says: 'Allow' });
    expect(await allowing.ask('evaluate_trace', call, 2)).toContain('It took 2 calls of the judge');
    expect(models.requests).toHaveLength(2);
  });
});
