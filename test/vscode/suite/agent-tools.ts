import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { AGENT_TOOL_NAMES } from '../../../src/protocol/agent-tools.ts';
import { suite } from '../../support/vscode/suite.ts';
import { setSetting, until, write } from '../editor-features.ts';
import { extension, file, servers } from '../extension.ts';

const TOOLS = AGENT_TOOL_NAMES.map((name) => `turnwise_${name}`);
const REFUND = 'refund.json';

/** What a coding agent in the editor gets. */
async function call(tool: string, input: object = {}): Promise<string> {
  const { content } = await vscode.lm.invokeTool(`turnwise_${tool}`, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

/** The coding agent is a caller of the tools that extensions provide. */
export const run = suite({
  async 'starts no server before a tool is called'() {
    await extension().activate();
    // A process that is started appears a moment later.
    await setTimeout(1000);
    assert.deepEqual(servers(), []);
    const names = vscode.lm.tools.map(({ name }) => name);
    assert.deepEqual(
      TOOLS.filter((name) => !names.includes(name)),
      [],
    );
  },

  async 'says what to do where nothing is recorded'() {
    assert.match(await call('list_runs'), /^0 runs of this project.*\nNo run of this project is recorded yet\./);
    assert.equal(servers().length, 1);
  },

  async 'leads from a run to the line that proves a problem'() {
    await vscode.commands.executeCommand('turnwise.evaluate', file(REFUND));
    await vscode.commands.executeCommand('turnwise.evaluate', file(REFUND));
    assert.match(
      await call('list_runs'),
      /^2 runs of this project.*\n.*\nrun \w+, .* 1 passed of 1 session \(2 turns\); problems: /,
    );
    const failures = await call('find_failures');
    const [, line = '', turn = ''] = /^session 1: refund\.json:(\d+) turn (\d+) /m.exec(failures) ?? [];
    assert.ok(Number(line) > 0, failures);
    assert.match(failures, /Here: \d+ problems? in 1 of 1 session\./);
    assert.match(await call('get_turn', { turn: Number(turn) }), /^user at refund\.json:\d+: «/m);
    assert.match(
      await call('explain_score', { metric: 'session_risk' }),
      /^session_risk: \d.*\(scored, source: rules/m,
    );
    assert.match(await call('compare_runs'), /^run \w+ against run \w+: .*no session changed its verdict/);
  },

  async 'evaluates a trace by rules without a question, and records nothing'() {
    const text = await call('evaluate_trace', { path: file(REFUND).fsPath });
    assert.match(text, /^Evaluated refund\.json\. Rules only: no model was asked, at no cost; not recorded/);
    assert.match(text, /^session 1: refund\.json:\d+ turn /m);
    assert.match(await call('get_turn', { run: 'unrecorded-1', turn: 1 }), /^run unrecorded-1, session 1 /);
    assert.match(await call('list_runs'), /^2 runs /);
  },

  async 'says what an agent can do differently'() {
    const fails = (tool: string, input: object, why: RegExp) => assert.rejects(call(tool, input), why);
    await fails('evaluate_trace', { path: '/etc/passwd' }, /is outside of this project/);
    await fails('evaluate_trace', { path: REFUND, judge: true }, /No judge is configured/);
    await fails('get_turn', { turn: 99 }, /and no turn 99\./);
    await fails('list_runs', { project: 'elsewhere' }, /No such folder is open\. Say which is meant, as "project"/);
  },

  async 'is replaced by turnwise mcp, or off, as the setting says, and comes back'() {
    await write('node_modules/turnwise/package.json', '{"version": "1.0.0", "bin": {"turnwise": "dist/cli.js"}}');
    for (const mode of ['mcp', 'off']) {
      await setSetting('agentTools', mode);
      await assert.rejects(call('list_runs'), /does not have an implementation|not contributed|Unknown tool/);
    }
    await setSetting('agentTools', undefined);
    await until(
      'the tools',
      () => call('list_runs').catch(() => ''),
      (text) => text.startsWith('2 runs'),
    );
  },
});
