import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { evaluate, sessions } from '../../../src/protocol/messages.ts';
import { prompt } from '../../../src/protocol/panel.ts';
import { reportChanges } from '../../../src/protocol/report.ts';
import { sendRequest } from '../../../src/protocol/rpc.ts';
import { turnwise } from '../../support/cli.ts';
import { type StubModels, startStubModels } from '../../support/stub-models.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { agent, chat, user } from '../../support/traces.ts';
import { ConnectedEditor, trace } from '../connected-editor.ts';

afterEach(() => vi.unstubAllEnvs());

const ORDER = chat(
  user('Where is order A-1001?'),
  agent('Order A-1001 left the warehouse on 3 March.'),
  user('And A-1002?'),
  agent('Order A-1002 left the warehouse on 4 March.'),
);

interface Call {
  readonly judge: string | null;
  readonly questions: readonly string[];
  readonly system: string;
  readonly parts: readonly string[];
  readonly schema: unknown;
  readonly times: number;
}

interface Opened extends AsyncDisposable {
  /** What the panel is shown. @param turn zero-based. */
  shown(metric: string, turn: number | null): Promise<{ calls: Call[]; sentences: readonly string[] }>;
  /** What `turnwise prompts` prints. @param turn as the command wants it. */
  printed(metric: string, turn: string): Promise<Call[]>;
  readonly server: ConnectedEditor;
  readonly session: string;
}

/** A file that was evaluated in the editor, beside whatever else is in its folder. */
async function editor(
  files: Readonly<Record<string, string>>,
  { trusted = true }: { readonly trusted?: boolean } = {},
): Promise<Opened> {
  const folder = await temporaryFolder({ '.git': '', ...files });
  const home = join(folder.path, 'home');
  vi.stubEnv('TURNWISE_HOME', home);
  const server = await ConnectedEditor.to({ files: nodeFileSystem, options: { trusted } });
  const uri = pathToFileURL(join(folder.path, 'a.json')).href;
  await sendRequest(server.connection, evaluate, { uris: [uri] });
  const session = (await sendRequest(server.connection, sessions, { uri, offset: 0, limit: 1 })).rows[0]?.key ?? '';
  return {
    server,
    session,
    async shown(metric, turn) {
      const { calls, sentences } = await sendRequest(server.connection, prompt, { session, turn, metric });
      return { calls: calls.map(({ tokens, ...call }) => ({ ...call, schema: JSON.parse(call.schema) })), sentences };
    },
    async printed(metric, turn) {
      const args = ['prompts', '--turn', `a.json#${turn}`, '--metric', metric, '--format', 'json'];
      const { stdout, stderr } = await turnwise(args, { cwd: folder.path, env: { TURNWISE_HOME: home } });
      if (stdout === '') throw new Error(stderr);
      const { calls }: { calls: Call[] } = JSON.parse(stdout);
      return calls.map(({ judge, questions, system, parts, schema, times }) => {
        return { judge, questions, system, parts, schema, times };
      });
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function configured(stub: StubModels, more: object = {}): string {
  return JSON.stringify({ judge: { provider: 'openai', model: 'judge-1', baseUrl: stub.openai }, ...more });
}

describe('the prompt of a score', () => {
  it.each([
    ['a turn', 'helpfulness', 1, '2'],
    ['a turn, of a metric that the configuration does not select', 'agent_behavior_failure', 0, '1'],
    ['a session', 'goal_completion', null, '1'],
    ['a rubric of one’s own', 'names_warehouse', 1, '2'],
    ['a rubric of one’s own about the session', 'friendly', null, '1'],
  ])('is the same as `turnwise prompts` prints, and nothing is sent: %s', async (_, metric, turn, named) => {
    await using stub = await startStubModels();
    const custom = [
      { name: 'names_warehouse', rubric: 'The answer names the warehouse.', samples: 3 },
      { name: 'friendly', rubric: 'It stays friendly.', scope: 'session' },
    ];
    await using open = await editor({
      'a.json': ORDER,
      'a.turnwise.json': '{ "goal": "Know where both orders are." }',
      'turnwise.config.json': configured(stub, { custom }),
    });
    const sent = stub.requests.length;
    const { calls, sentences } = await open.shown(metric, turn);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls).toEqual(await open.printed(metric, named));
    expect(calls[0]?.judge).toBe('openai/judge-1');
    expect(calls[0]?.parts[0]).toContain(metric);
    expect(sentences).toEqual([expect.stringContaining('asks several questions in one call')]);
    expect(stub.requests).toHaveLength(sent);
  });

  it('is shown without a judge, with secrets redacted and the trace as it is', async () => {
    const key = 'AKIAQ3EGRAA7ZBCDQRST';
    const hostile = `<script>alert(1)</script>\u202e ${key}`;
    await using open = await editor({ 'a.json': chat(user(hostile), agent('No.')) });
    const { calls, sentences } = await open.shown('helpfulness', 0);
    expect(calls).toEqual(await open.printed('helpfulness', '1'));
    const text = JSON.stringify(calls);
    expect(text).toContain('<script>alert(1)</script>');
    expect(text).toContain('(redacted: ');
    expect(text).not.toContain(key);
    expect(calls[0]?.judge).toBeNull();
    expect(sentences[0]).toBe('No judge is configured. This is what a judge would be sent.');
  });

  it('says where other answers are unknown, and where a question is sent separately', async () => {
    const judge = { questionsPerCall: 1 };
    await using open = await editor({ 'a.json': ORDER, 'turnwise.config.json': JSON.stringify({ judge }) });
    const { sentences } = await open.shown('task_completion', 1);
    expect(sentences.join('\n')).toContain('stands for answers to other questions');
    expect(sentences.join('\n')).not.toContain('travel together');
  });

  it('says that an evaluation asks about two turns in one call, where it is configured', async () => {
    const configuration = (turnsPerCall: number) => JSON.stringify({ judge: { turnsPerCall } });
    const sentence = 'asks about two turns in one call';
    for (const [turns, expected] of [
      [1, false],
      [2, true],
    ] as const) {
      await using open = await editor({ 'a.json': ORDER, 'turnwise.config.json': configuration(turns) });
      const { sentences } = await open.shown('helpfulness', 1);
      expect(sentences.some((text) => text.includes(sentence))).toBe(expected);
    }
  });

  it.each([
    ['turn_risk', 0, 'turn_risk does not use a model.'],
    ['no_such_metric', 0, 'The configuration of the file has no metric "no_such_metric".'],
    ['helpfulness', null, 'helpfulness has a prompt for each turn.'],
    ['goal_completion', null, 'No prompt for goal_completion: The session has no goal'],
  ])('is missing for %s about turn %s, with the reason', async (metric, turn, sentence) => {
    await using open = await editor({ 'a.json': ORDER });
    expect(await open.shown(metric, turn)).toEqual({ calls: [], sentences: [expect.stringContaining(sentence)] });
  });

  it('runs no code in an untrusted folder', async () => {
    const config = `throw new Error('It ran.'); export default {};`;
    await using open = await editor({ 'a.json': ORDER, 'turnwise.config.mjs': config }, { trusted: false });
    expect(await open.shown('helpfulness', 0)).toEqual({
      calls: [],
      sentences: [
        expect.stringMatching(/depend on the configuration.* code, which does not run in an untrusted folder/),
      ],
    });
  });

  it('can be cancelled, and the server continues', async () => {
    await using open = await editor({ 'a.json': trace({ turns: 1200 }) });
    const { connection } = open.server;
    const source = new CancellationTokenSource();
    const params = { session: open.session, turn: 1199, metric: 'task_completion' };
    const input = sendRequest(connection, prompt, params, source.token);
    // The server has begun with it when it answers what was asked after.
    await sendRequest(connection, reportChanges, { session: open.session, since: 0 });
    source.cancel();
    expect((await input).calls).toEqual([]);
    expect((await sendRequest(connection, prompt, params)).calls).toHaveLength(1);
  });
});
