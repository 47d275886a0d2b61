import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentToolCost } from '../../../src/protocol/agent-tools.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fakeServer } from './fake-server.ts';

vi.mock('vscode', () => import('./fake-vscode.ts'));
const { lm, Uri, workspace, setConfiguration } = await import('./fake-vscode.ts');
const { ServerTool, AgentTools } = await import('../../../src/extension/agent-tools.ts');
const { McpServers } = await import('../../../src/extension/mcp-servers.ts');

const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const COST: AgentToolCost = {
  path: 'a.json',
  model: 'openai:m',
  sessions: 3,
  calls: 7,
  cachedCalls: 2,
  tokens: 12_345,
  maxCalls: 7,
};

/** A tool of a server that answers like this. */
function tool(
  name: 'evaluate_trace' | 'compare_runs',
  cost: AgentToolCost | null | (() => AgentToolCost | null) = null,
  isError = false,
) {
  const calls: unknown[] = [];
  const { server, requests } = fakeServer({
    'turnwise/agentTools/cost': () => ({ cost: typeof cost === 'function' ? cost() : cost }),
    'turnwise/agentTools/call': (params) => {
      calls.push(params);
      return { text: 'The answer.', isError };
    },
  });
  const made = new ServerTool(server, name);
  return {
    calls,
    requests,
    prepare: (input: object) => made.prepareInvocation({ input: { ...input } }, NEVER),
    invoke: (input: object) => made.invoke({ input: { ...input }, toolInvocationToken: undefined }, NEVER),
  };
}

afterEach(() => {
  setConfiguration({});
  workspace.workspaceFolders = [];
  workspace.isTrusted = true;
});

describe('a tool for coding agents', () => {
  it('says what it does, and asks nothing where it sends nothing', async () => {
    const { prepare, requests } = tool('evaluate_trace');
    expect(await prepare({ path: 'a.json' })).toEqual({ invocationMessage: 'Evaluating a.json by rules' });
    expect(await tool('compare_runs').prepare({ before: 'x](command:y)' })).toEqual({
      invocationMessage: 'Comparing run last with run x] (command:y)',
    });
    expect(requests).toEqual([]);
  });

  it('asks before a judge is asked, with its calls and tokens', async () => {
    const { prepare } = tool('evaluate_trace', COST);
    expect(await prepare({ path: 'a.json', judge: true })).toEqual({
      invocationMessage: 'Evaluating a.json with the judge',
      confirmationMessages: {
        title: 'Ask the Judge?',
        message:
          'This sends text of a.json to openai:m: sessions: 3, calls: about 5 (at most 7), tokens: about 12,345. Nothing is recorded.',
      },
    });
  });

  it('makes no call for an agreement that the user declined before', async () => {
    const costs = [COST, null];
    const { prepare, invoke, calls } = tool('evaluate_trace', () => costs.shift() ?? null);
    const input = { path: 'a.json', judge: true };
    await prepare(input);
    expect(await prepare(input)).not.toHaveProperty('confirmationMessages');
    await invoke(input);
    expect(calls).toMatchObject([{ agreedCalls: null }]);
  });

  it('makes no more calls than the user has agreed to, once', async () => {
    const { prepare, invoke, calls } = tool('evaluate_trace', COST);
    const input = { path: 'a.json', judge: true };
    await prepare(input);
    await invoke({ ...input, maxCalls: 100 });
    await invoke(input);
    await invoke(input);
    expect(calls).toMatchObject([{ agreedCalls: null }, { input, agreedCalls: 7 }, { agreedCalls: null }]);
  });

  it('gives the text of the server, and its sentence as an error', async () => {
    expect(await tool('compare_runs').invoke({})).toMatchObject({ content: [{ value: 'The answer.' }] });
    await expect(tool('compare_runs', null, true).invoke({})).rejects.toThrow('The answer.');
  });
});

describe('the setting of the tools', () => {
  it('decides whether the editor has them or turnwise mcp, and never both', async () => {
    await using folder = await temporaryFolder({});
    workspace.workspaceFolders = [{ uri: Uri.file(folder.path), name: 'shop' }];
    const { server } = fakeServer({});
    const tools = new AgentTools(server);
    const servers = new McpServers();
    const offered = async () => (await servers.provideMcpServerDefinitions()).length;
    let changes = 0;
    servers.onDidChangeMcpServerDefinitions(() => {
      changes += 1;
    });
    expect(lm.registered.size).toBe(6);
    setConfiguration({ agentTools: 'mcp' });
    expect(lm.registered.size).toBe(0);
    expect(changes).toBe(1);
    expect(await offered()).toBe(0);
    const home = join(folder.path, 'node_modules', 'turnwise');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), '{"version": "1.2.3", "bin": {"turnwise": "./dist/cli.js"}}');
    expect(await servers.provideMcpServerDefinitions()).toMatchObject([
      {
        label: 'Turnwise',
        command: process.execPath,
        args: [join(home, 'dist', 'cli.js'), 'mcp'],
        env: { ELECTRON_RUN_AS_NODE: '1' },
        version: '1.2.3',
      },
    ]);
    workspace.isTrusted = false;
    expect(await offered()).toBe(0);
    workspace.isTrusted = true;
    for (const mode of ['off', 'editor']) {
      setConfiguration({ agentTools: mode });
      expect(await offered()).toBe(0);
      expect(lm.registered.size).toBe(mode === 'off' ? 0 : 6);
    }
    tools.dispose();
    servers.dispose();
    expect(lm.registered.size).toBe(0);
  });
});
