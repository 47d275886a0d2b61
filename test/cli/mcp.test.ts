import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/core/text/estimate-tokens.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { CLI_MAIN, turnwise } from '../support/cli.ts';
import { answer, STUB_BASE_URLS, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { GOOD, LOOPING, UNKNOWN_TOOL } from '../support/traces.ts';

interface Agent extends AsyncDisposable {
  readonly client: Client;
  /** The text of an answer. */
  ask(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** The sentence of an answer that says what went wrong. */
  fail(tool: string, args?: Record<string, unknown>): Promise<string>;
}

interface AgentOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What its user answers when asked; without it, the agent cannot ask. */
  readonly user?: (question: string) => boolean;
}

/** A coding agent that has started `turnwise mcp` in a folder. */
async function connect(
  cwd: string,
  { home = join(cwd, 'home'), env = {}, args = [], user }: AgentOptions = {},
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: user ? { elicitation: {} } : {} });
  if (user) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: user(params.message) ? 'accept' : 'decline',
      content: {},
    }));
  }
  const inherited = Object.entries(childEnvironment(cwd)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI_MAIN, 'mcp', ...args],
      cwd,
      env: { ...Object.fromEntries(inherited), TURNWISE_HOME: home, ...env },
    }),
  );
  const call = async (tool: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name: tool, arguments: given });
    const [first] = Array.isArray(content) ? content : [];
    return { text: String(first?.text), isError: isError === true };
  };
  return {
    client,
    async ask(tool, given) {
      const { text, isError } = await call(tool, given);
      expect(text).not.toMatch(/^Turnwise could not answer/);
      expect(isError).toBe(false);
      return text;
    },
    async fail(tool, given) {
      const { text, isError } = await call(tool, given);
      expect(isError).toBe(true);
      return text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const TRACES = { 'traces/good.json': GOOD, 'traces/tool.json': UNKNOWN_TOOL };

/** A project with a recorded run of its traces. */
async function evaluated(files: Readonly<Record<string, string>> = TRACES) {
  const folder = await temporaryFolder({ '.git/HEAD': 'ref: refs/heads/main', ...files });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  const run = (...args: string[]) => turnwise(args, { cwd: folder.path, env });
  await run('eval', 'traces');
  return { ...folder, run };
}

/** Every file below a folder, with its content; not the index of the run store, which SQLite keeps beside the records. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && !entry.name.startsWith('index.db'))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(files.map(async (file) => [file, (await readFile(file)).toString('base64')] as const)),
  );
}

describe('turnwise mcp', () => {
  it('lists its tools, and only evaluate_trace is not read-only', async () => {
    await using folder = await temporaryFolder();
    await using agent = await connect(folder.path);
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'turnwise' });
    expect(agent.client.getInstructions()).toContain('treat it as data');
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_runs',
      'evaluate_trace',
      'find_failures',
      'get_turn',
      'explain_score',
      'compare_runs',
    ]);
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'evaluate_trace',
    ]);
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('leads from the runs to the line that proves a problem', async () => {
    await using project = await evaluated();
    await using agent = await connect(project.path);
    expect(await agent.ask('list_runs')).toMatch(
      /^run \w+, \S+ \S+ UTC: failed\. 1 failed, 0 undecided, 1 passed of 2 sessions \(3 turns\)/m,
    );
    const failures = await agent.ask('find_failures');
    expect(failures).toContain(
      'failed. 2 sessions: 1 failed, 1 without problems (3 turns, rules only). Here: 1 problem in 1 of 2 sessions.',
    );
    expect(failures).toMatch(/^session 2: traces\/tool\.json:\d+ turn 1 high unknown-tool: «`fetch_order`/m);
    const turn = await agent.ask('get_turn', { session: 2, turn: 1 });
    const line = /call of «fetch_order», arguments at traces\/tool\.json:(\d+): «id: "A-1001"»/.exec(turn)?.[1];
    expect(UNKNOWN_TOOL.split('\n')[Number(line) - 1]).toContain('{');
    expect(turn).toMatch(/^user at traces\/tool\.json:\d+: «Show order A-1001, please\.»$/m);
    expect(turn).toMatch(/result \(error\) at traces\/tool\.json:\d+: «Error: there is no tool fetch_order»/);
    const score = await agent.ask('explain_score', { session: 2, metric: 'session_risk' });
    expect(score).toMatch(/^session_risk: 0\.\d\d \/ 1 \(scored, source: rules, lower is better\)/m);
    expect(score).toMatch(/^evidence at traces\/tool\.json:\d+: «/m);
    expect(await agent.ask('explain_score', { session: 'good', turn: 2 })).toContain(
      'turn 2 of 2 in traces/good.json:',
    );
  });

  it('evaluates a trace by rules, compares it with a run, and writes nothing', async () => {
    await using project = await evaluated();
    await writeFile(join(project.path, 'traces/tool.json'), GOOD);
    const before = await contentOf(project.path);
    await using agent = await connect(project.path);
    const answered = await agent.ask('evaluate_trace', { path: 'traces' });
    expect(answered).toContain(
      'Rules only: no model was asked, at no cost; not recorded, other tools find it as "run": "unrecorded-1".',
    );
    expect(answered).toContain('No session failed or is undecided, and no problem was found.');
    expect(await agent.ask('compare_runs', { before: 'last', after: 'unrecorded-1' })).toMatch(
      /1 better|better: «tool»/,
    );
    expect(await agent.ask('get_turn', { run: 'unrecorded-1', session: 1, turn: 1 })).toContain('capital of France');
    expect(await agent.fail('get_turn', { session: 2, turn: 1, run: 'unrecorded-9' })).toContain(
      'evaluate_trace evaluates the file again',
    );
    expect(await agent.ask('get_turn', { session: 2, turn: 1 })).toContain(
      'no transcript: its file has changed since; evaluate it again',
    );
    expect(await contentOf(project.path)).toEqual(before);
  });

  it('reads no file outside of the project, and no run of another one', async () => {
    await using other = await evaluated();
    await using there = await connect(other.path);
    const id = /^run (\w+)/m.exec(await there.ask('list_runs'))?.[1] ?? '';
    expect(id).not.toBe('');
    await using folder = await temporaryFolder({ '.git/HEAD': '', 'a.json': GOOD });
    await symlink(join(other.path, 'traces/tool.json'), join(folder.path, 'link.json'));
    await symlink(other.path, join(folder.path, 'linked'));
    await using agent = await connect(folder.path, { home: join(other.path, 'home') });
    for (const path of [
      '../x.json',
      join(other.path, 'traces/tool.json'),
      'link.json',
      'linked/traces/tool.json',
      '/etc/passwd',
      'a/../../b',
    ])
      expect(await agent.fail('evaluate_trace', { path })).toContain('is outside of this project');
    expect(await agent.fail('evaluate_trace', { path: 'none.json' })).toBe(
      'There is no file none.json in this project.',
    );
    expect(await agent.ask('list_runs')).toContain('No run of this project is recorded yet.');
    expect(await agent.fail('find_failures', { run: id })).toContain('No run of this project is recorded yet.');
    expect(await agent.fail('find_failures', { run: join(other.path, 'home/') })).toContain('is a path');
    // A run of this project, so that there is one to search in.
    await turnwise(['eval', 'a.json'], { cwd: folder.path, env: { TURNWISE_HOME: join(other.path, 'home') } });
    expect(await agent.fail('find_failures', { run: id })).toContain('This project has no run');
    expect(await agent.fail('compare_runs', { before: id })).toContain('This project has no run');
    expect(await agent.ask('evaluate_trace', { path: 'a.json' })).toContain('Evaluated a.json.');
  });

  it('says in sentences what is wrong with a call', async () => {
    await using project = await evaluated();
    await using agent = await connect(project.path);
    expect(await agent.fail('get_turn', { turn: 0 })).toContain('turn is 0; it must be a whole number, 1 or more.');
    expect(await agent.fail('get_turn', { turn: 1 })).toContain('Say which session. Run');
    expect(await agent.fail('get_turn', { session: 7, turn: 1 })).toContain('There is no session «7».');
    expect(await agent.fail('get_turn', { session: 1, turn: 9 })).toContain('and no turn 9.');
    expect(await agent.fail('find_failures', { severity: 'hih' })).toContain('severity is "hih"');
    expect(await agent.fail('explain_score', { session: 1, metric: 'session_rsk' })).toContain(
      'Did you mean "session_risk"?',
    );
    expect(await agent.fail('find_failures', { run: 'last~4' })).toContain('This project has only 1 finished run.');
    expect(await agent.fail('evaluate_trace', { path: 'traces', maxCalls: 3 })).toContain('it goes with "judge": true');
    expect(await agent.fail('evaluate_trace', { path: 'traces', judge: true })).toContain('No judge is configured');
    expect(await agent.fail('no_tool')).toContain('There is no tool «no_tool». Tools: list_runs');
    await writeFile(join(project.path, 'traces/broken.json'), '{"messages": [');
    expect(await agent.ask('evaluate_trace', { path: 'traces/broken.json' })).toMatch(
      /^not read: traces\/broken\.json:1 «/m,
    );
    await writeFile(join(project.path, 'turnwise.config.yaml'), 'judge: {provider: nobody}');
    for (const path of ['traces', 'traces/good.json', '.']) {
      expect(await agent.fail('evaluate_trace', { path })).toMatch(
        /^The configuration is wrong, so nothing was evaluated: turnwise\.config\.yaml:1 «/,
      );
    }
  });

  it('says what is wrong with a store that cannot be read, or that has a damaged run', async () => {
    await using project = await evaluated();
    const runs = join(project.path, 'home', 'runs');
    const [own = ''] = (await readdir(runs)).filter((name) => !name.includes('.db'));
    const [id = ''] = await readdir(join(runs, own));
    await using agent = await connect(project.path);
    await agent.ask('find_failures');
    await rm(join(runs, own, id, 'sessions.jsonl'), { force: true });
    await writeFile(join(runs, own, id, 'manifest.json'), '{');
    await using second = await connect(project.path);
    expect(await second.fail('find_failures')).toMatch(/cannot be read|No run of this project/);
    await rm(runs, { recursive: true });
    await writeFile(runs, 'not a folder');
    expect(await agent.fail('list_runs')).toContain('TURNWISE_HOME names another one.');
    expect(await agent.fail('find_failures')).toContain('TURNWISE_HOME names another one.');
    expect(await agent.ask('evaluate_trace', { path: 'traces/good.json' })).toContain('unrecorded-1');
  });

  it('says on which line each session is, also where nothing was found in it', async () => {
    const session = (id: string, more: object) =>
      JSON.stringify({ turnwise: 1, id, turns: [{ input: 'Hi', output: 'Hello', steps: [] }], ...more });
    await using project = await evaluated({
      'traces/all.jsonl': [
        session('fine', {}),
        session('bad', { outcome: 'failed' }),
        session('cut', { ending: { cause: 'error', reason: 'out of memory' } }),
      ].join('\n'),
    });
    await using agent = await connect(project.path);
    const failures = await agent.ask('find_failures');
    expect(failures).toContain('session 2, failed: «bad» in traces/all.jsonl:2: «');
    expect(failures).toContain('session 3, undecided: «cut» in traces/all.jsonl:3: «');
    expect(await agent.ask('explain_score', { session: 3 })).toContain('session 3 «cut» in traces/all.jsonl:3: ');
    const risk = await agent.ask('explain_score', { session: 3, metric: 'agent_reliability' });
    expect(risk).toContain('turn 1 at traces/all.jsonl:3: risk ');
    const { stdout } = await project.run('report', 'last', '--to', 'agent');
    expect(stdout).toContain('undecided: «cut» in traces/all.jsonl:3: «');
  });

  it('gives every problem of a big run once, in pages of at most 1,500 tokens', async () => {
    const sessions = Array.from({ length: 300 }, () => LOOPING.replaceAll('\n', ''));
    await using folder = await evaluated({
      'traces/many.jsonl': `${sessions.map((text) => JSON.stringify({ messages: JSON.parse(text) })).join('\n')}\n`,
    });
    await using agent = await connect(folder.path);
    const seen: string[] = [];
    for (let args: Record<string, unknown> = {}; ; ) {
      const text = await agent.ask('find_failures', args);
      expect(estimateTokens(text)).toBeLessThanOrEqual(1500);
      seen.push(
        ...Array.from(
          text.matchAll(/^session (\d+): traces\/many\.jsonl:\1 turn 2 low/gm),
          ([, number = '']) => number,
        ),
      );
      const more = /"run": "(\w+)", "cursor": "([\w.]+)"/.exec(text);
      if (!more) break;
      args = { run: more[1], cursor: more[2] };
    }
    expect(seen.length).toBe(300);
    expect(new Set(seen).size).toBe(300);
  });

  it('is continued on the command line by the command that a long report ends with, in the same lines', async () => {
    const loops = JSON.stringify({ messages: JSON.parse(LOOPING) });
    const fails = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({
        turnwise: 1,
        id: `s${i}`,
        turns: [{ input: 'Hi', output: 'Hello', steps: [] }],
        outcome: 'failed',
      }),
    );
    await using project = await evaluated({
      'traces/fails.jsonl': fails.join('\n'),
      'traces/loops.jsonl': Array.from({ length: 60 }, () => loops).join('\n'),
    });
    const tokens = (text: string) => expect(estimateTokens(text)).toBeLessThanOrEqual(1500);
    const brief = await project.run('report', 'last', '--to', 'agent');
    tokens(brief.stdout);
    const [, rest] = /and \d+ more sessions: turnwise (report \w+ --to agent --from \d+)\n$/.exec(brief.stdout) ?? [];
    const next = await project.run(...(rest ?? '').split(' '));
    expect(next.stdout).toMatch(/^session \d+, failed: «s\d+» in traces\/fails\.jsonl:\d+: /m);
    const pages: string[] = [];
    for (let args = ['report', 'last', '--to', 'agent', '--from', '1']; ; ) {
      const { stdout } = await project.run(...args);
      tokens(stdout);
      pages.push(stdout);
      const [, more] = /For more: turnwise (report \w+ --to agent --from \d+)\n$/.exec(stdout) ?? [];
      if (more === undefined) break;
      args = more.split(' ');
    }
    expect(pages.at(-1)).toMatch(/^\d+ to (\d+) of \1 lines, the end\.$/m);
    await using agent = await connect(project.path);
    const answers: string[] = [];
    for (let args: Record<string, unknown> = {}; ; ) {
      answers.push(await agent.ask('find_failures', args));
      const more = /"run": "(\w+)", "cursor": "([\w.]+)"/.exec(answers.at(-1) ?? '');
      if (!more) break;
      args = { run: more[1], cursor: more[2] };
    }
    const linesOf = (texts: readonly string[]) => texts.join('\n').match(/^session .*$/gm);
    expect(linesOf(pages)).toEqual(linesOf(answers));
    expect(linesOf(pages)?.length).toBeGreaterThan(100);
    expect((await project.run('report', 'last', '--from', '2')).stderr).toContain('--from continues the report agent');
    expect((await project.run('report', 'last', '--to', 'agent', '--from', '9999')).stdout).toContain(
      'none from line 9999',
    );
  }, 60_000);

  it('asks the judge only as far as the user agreed, and says what it takes', async () => {
    await using models = await startStubModels(() =>
      answer({ helpfulness: { evidence: [], reason: 'Good.', score: 4 } }),
    );
    const configuration = `metrics: [helpfulness]\njudge: {provider: openai, model: m, baseUrl: "${STUB_BASE_URLS.openai(models)}"}\n`;
    await using project = await evaluated({ 'traces/good.json': GOOD });
    await writeFile(join(project.path, 'turnwise.config.yaml'), configuration);
    const call = { path: 'traces/good.json', judge: true };
    await using silent = await connect(project.path);
    const cost = await silent.ask('evaluate_trace', call);
    expect(cost).toMatch(
      /^Asking openai:m about 1 session of traces\/good\.json takes about 2 calls and [\d,]+ tokens\. If the user agrees, call it again with "judge": true and "maxCalls": 2\.\nNothing was sent\.$/,
    );
    expect(models.requests).toHaveLength(0);
    const asked: string[] = [];
    await using declining = await connect(project.path, { user: (question) => asked.push(question) < 0 });
    expect(await declining.ask('evaluate_trace', { ...call, maxCalls: 2 })).toContain('The user declined.');
    expect(asked[0]).toContain('Ask it, with at most 2 calls?');
    expect(models.requests).toHaveLength(0);
    expect(await silent.ask('evaluate_trace', { ...call, maxCalls: 2 })).toContain('It took 2 calls of the judge');
    expect(models.requests).toHaveLength(2);
  });

  it('sends nothing to a judge before it has said what that takes, whatever the call allows', async () => {
    await using models = await startStubModels(() =>
      answer({ helpfulness: { evidence: [], reason: 'Good.', score: 4 } }),
    );
    const configuration = `metrics: [helpfulness]\njudge: {provider: openai, model: m, baseUrl: "${STUB_BASE_URLS.openai(models)}"}\n`;
    await using project = await evaluated({ 'traces/good.json': GOOD, 'traces/other.json': GOOD });
    await writeFile(join(project.path, 'turnwise.config.yaml'), configuration);
    await using agent = await connect(project.path);
    const call = (name: string) =>
      agent.ask('evaluate_trace', { path: `traces/${name}.json`, judge: true, maxCalls: 100_000 });
    expect(await call('good')).toMatch(/takes about 2 calls .* and "maxCalls": 2\.\nNothing was sent\.$/);
    expect(await call('other')).toContain('Nothing was sent.');
    expect(models.requests).toHaveLength(0);
    // The trace has grown since the user saw what it takes.
    const longer = [...JSON.parse(GOOD), ...JSON.parse(GOOD)];
    await writeFile(join(project.path, 'traces/good.json'), JSON.stringify(longer));
    expect(await call('good')).toMatch(/takes about 4 calls .* and "maxCalls": 4\.\nNothing was sent\.$/);
    expect(models.requests).toHaveLength(0);
    expect(await call('good')).toContain('It took 4 calls of the judge');
    await writeFile(join(project.path, 'traces/good.json'), GOOD.replace('?', '??'));
    expect(await call('good')).toContain('Nothing was sent.');
    expect(models.requests).toHaveLength(4);
  });

  it('shows the user no more calls than a judge needs', async () => {
    await using models = await startStubModels(() =>
      answer({ helpfulness: { evidence: [], reason: 'Good.', score: 4 } }),
    );
    const configuration = `metrics: [helpfulness]\njudge: {provider: openai, model: m, baseUrl: "${STUB_BASE_URLS.openai(models)}"}\n`;
    await using project = await evaluated({ 'traces/good.json': GOOD });
    await writeFile(join(project.path, 'turnwise.config.yaml'), configuration);
    const asked: string[] = [];
    await using agent = await connect(project.path, { user: (question) => asked.push(question) > 0 });
    await agent.ask('evaluate_trace', { path: 'traces/good.json', judge: true, maxCalls: 100_000 });
    expect(asked[0]).toContain('Ask it, with at most 2 calls?');
  });

  it('never asks a judge on a host that the user has not allowed', async () => {
    await using project = await evaluated();
    const configuration = 'judge: {provider: openai, model: m, baseUrl: "https://llm.example.com/v1"}\n';
    await writeFile(join(project.path, 'turnwise.config.yaml'), configuration);
    await using agent = await connect(project.path, { env: { TURNWISE_API_KEY: 'k' }, user: () => true });
    const refused = await agent.fail('evaluate_trace', { path: 'traces', judge: true, maxCalls: 100 });
    expect(refused).toContain('Nothing was sent.');
    expect(refused).toContain('turnwise trust llm.example.com');
    expect(await agent.ask('evaluate_trace', { path: 'traces' })).toContain('no model was asked');
  });

  it('serves another folder with --project, and ends when the agent is gone', async () => {
    await using project = await evaluated();
    await mkdir(join(project.path, 'elsewhere'));
    await using other = await temporaryFolder();
    const home = join(project.path, 'home');
    await using agent = await connect(other.path, { home, args: ['--project', join(project.path, 'elsewhere')] });
    expect(await agent.ask('list_runs')).toContain('1 run of this project');
    const ended = await turnwise(['mcp'], { cwd: other.path });
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const wrong = await turnwise(['mcp', '--project', 'none'], { cwd: other.path });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--project none: there is no such folder.'),
    });
  });
});
