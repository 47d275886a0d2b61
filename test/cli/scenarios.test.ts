import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { startSampleAgent } from '../support/sample-agent.ts';
import { answer, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'samples', 'agent', 'refund.sim.ts');

function configuration(endpoint: string, body: object = {}, rest: object = {}): string {
  const agents = { shop: { endpoint, body }, other: { endpoint } };
  return JSON.stringify({ simulation: { agent: 'shop', agents, requestTimeoutMs: 1000, ...rest } });
}

/** A project with the example scenarios, and the files that are given. */
async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ 'refund.sim.ts': await readFile(SAMPLE, 'utf8'), ...files });
  const run = async (...args: string[]) => {
    const result = await turnwise(['scenarios', ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home') },
    });
    return { ...result, stderr: result.stderr.replaceAll(/127\.0\.0\.1:\d{2,}/g, 'HOST') };
  };
  return { path: folder.path, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

interface SarifResult {
  readonly locations: readonly [{ readonly physicalLocation: SarifPlace }];
}

interface SarifPlace {
  readonly artifactLocation: { readonly uri: string };
  readonly region: { readonly startLine: number };
}

async function sessionFiles(path: string) {
  const runs = join(path, '.turnwise', 'runs');
  const [run = ''] = await readdir(runs);
  const names = (await readdir(join(runs, run))).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(runs, run, name), 'utf8')).sessions[0]));
}

describe('turnwise scenarios --run', () => {
  it('runs scenarios against the example agent, and passes where it does what is expected', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({ 'turnwise.config.json': configuration(agent.endpoint) });
    const { code, stdout, stderr } = await shop.run('refund.sim.ts', '--run', '--attempts', '2', '--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    expect(report.sessions.map(({ id, task }) => [id, task?.id, task?.trial])).toEqual([
      ['refund a delivered order #1', 'refund a delivered order', '1'],
      ['refund a delivered order #2', 'refund a delivered order', '2'],
      ['refuse to refund an order that is on its way #1', 'refuse to refund an order that is on its way', '1'],
      ['refuse to refund an order that is on its way #2', 'refuse to refund an order that is on its way', '2'],
    ]);
    expect(report.verdict).toBe('passed');
    expect(code).toBe(0);
    expect(stderr).toContain(`Sessions of the attempts: .turnwise/runs/${report.run.id}\n`);
    expect(await readFile(join(shop.path, '.turnwise', '.gitignore'), 'utf8')).toBe('*\n');
    const [first] = await sessionFiles(shop.path);
    expect(first.turns[1]).toMatchObject({
      output: 'Your refund of $42.5 was issued.',
      steps: [
        { type: 'model', model: 'shop-agent' },
        { name: 'refund_order', arguments: { order_id: 'A-1001', amount: 42.5 }, result: { refunded: 42.5 } },
        { type: 'model' },
      ],
    });
    expect(first.finalState).toMatchObject({ 'A-1001': { status: 'refunded' } });
    const history = await turnwise(['history', '--format', 'json'], {
      cwd: shop.path,
      env: { TURNWISE_HOME: join(shop.path, 'home') },
    });
    expect(history.stdout).toContain(report.run.id);
  });

  it('names the scenario of each attempt in the reports, and no session file, which git ignores', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint, { fault: 'skip-confirmation' }),
    });
    const others = ['--report', 'json=report.json', '--report', 'markdown=report.md'];
    const { stdout } = await shop.run('refund.sim.ts', '--run', '--attempts', '2', '--report', 'sarif', ...others);
    const report = reportSchema.parse(JSON.parse(await readFile(join(shop.path, 'report.json'), 'utf8')));
    expect(report.sessions.map(({ scenario }) => scenario)).toEqual([
      { file: 'refund.sim.ts', line: 32 },
      { file: 'refund.sim.ts', line: 32 },
      { file: 'refund.sim.ts', line: 59 },
      { file: 'refund.sim.ts', line: 59 },
    ]);
    const [{ results }] = JSON.parse(stdout).runs;
    const places = results.map(({ locations: [{ physicalLocation }] }: SarifResult) => [
      physicalLocation.artifactLocation.uri,
      physicalLocation.region.startLine,
    ]);
    expect(places.length).toBeGreaterThan(1);
    expect(new Set(places.map(String))).toEqual(new Set(['refund.sim.ts,32']));
    expect(results[0].relatedLocations[0].physicalLocation.artifactLocation.uri).toMatch(/^\.turnwise\/runs\//);
    const markdown = await readFile(join(shop.path, 'report.md'), 'utf8');
    expect(markdown).toContain('[refund.sim.ts:32](refund.sim.ts#L32)');
    expect(markdown).not.toContain('](.turnwise/');
  });

  it('says once why several attempts did not finish', async () => {
    await using shop = await project({ 'turnwise.config.json': configuration('http://127.0.0.1:9/v1') });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--attempts', '3', '--filter', 'delivered');
    const sentences = stderr.split('\n').filter((line) => line.includes('did not finish'));
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain('3 attempts at "refund a delivered order" did not finish: ');
    expect(code).toBe(3);
  });

  it('says with --coverage which tools, arguments and errors the attempts exercised, and what is not measured', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint, {}, { toolFiles: ['src/*.py'] }),
      'src/tools.py': 'import db\n\ndef get_order(order_id):\n    return db.find(order_id)\n',
    });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--coverage');
    expect(code).toBe(0);
    expect(stderr.slice(stderr.indexOf('Tool coverage'))).toBe(
      [
        'Tool coverage: 2 of 3 tools called, 3 of 6 arguments, values and error results seen',
        '  get_order (src/tools.py:3): 2 calls · order_id 2 · never an error as the result',
        '  refund_order (refund.sim.ts:17): 1 call · order_id 1 · amount 1 · never an error as the result',
        '  cancel_order (refund.sim.ts:23): never called',
        '  Arguments that no call had are not measured for get_order, refund_order, cancel_order: no trace lists the arguments.',
        '  Clauses of the policy are not measured: a call does not say which clause it follows.',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['skip-confirmation', 'refund_order'],
    ['wrong-amount', '425'],
  ])('fails where the agent makes the mistake %s', async (fault, text) => {
    await using agent = await startSampleAgent();
    await using shop = await project({ 'turnwise.config.json': configuration(agent.endpoint, { fault }) });
    const { code, stdout } = await shop.run('refund.sim.ts', '--run', '--filter', 'delivered');
    expect(stdout).toContain(text);
    expect(code).toBe(1);
  });

  it('checks what a scenario expects, whichever metrics are chosen', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint, { fault: 'wrong-amount' }),
    });
    const args = ['refund.sim.ts', '--run', '--filter', 'delivered', '--metrics', 'loop_detection', '--format', 'json'];
    const { code, stdout } = await shop.run(...args);
    const [session] = reportSchema.parse(JSON.parse(stdout)).sessions;
    expect(Object.keys(session?.metrics ?? {}).sort()).toEqual([
      'loop_detection',
      'session_expectations',
      'turn_expectations',
    ]);
    expect(session?.outcome).toMatchObject({ status: 'failed', source: 'expected' });
    expect(code).toBe(1);
  });

  it.each([
    ['slow', 'HOST did not answer within 1 s. Raise `requestTimeoutMs` to wait longer.'],
    ['garbage', 'HOST/v1/chat/completions answered with something that is not JSON instead of JSON.'],
    ['broken-stream', 'HOST/v1/chat/completions sent a stream whose chunk 2 is not a JSON object.'],
  ])('leaves an attempt undecided when the agent is %s, and keeps the turn', async (fault, sentence) => {
    await using agent = await startSampleAgent();
    await using shop = await project({ 'turnwise.config.json': configuration(agent.endpoint, { fault }) });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--filter', 'delivered');
    expect(stderr).toContain(`Attempt 1 of "refund a delivered order" did not finish: ${sentence}`);
    expect(code).toBe(3);
    const [session] = await sessionFiles(shop.path);
    expect(session.turns).toMatchObject([{ input: 'Please refund order A-1001.', output: null }]);
    expect(session.ending).toMatchObject({ cause: 'error' });
  });

  it('leaves an attempt undecided when the agent is not running, and says how to start it', async () => {
    await using shop = await project({ 'turnwise.config.json': configuration('http://127.0.0.1:9/v1') });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--filter', 'delivered', '--retries', '1');
    expect(stderr).toContain(
      '127.0.0.1:9 does not answer (connection refused). Start the agent "shop", or correct its "endpoint".',
    );
    expect(code).toBe(3);
  });

  it('fails an agent that calls unknown tools without end', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint, { fault: 'unknown-tool' }),
    });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--filter', 'delivered');
    expect(stderr).toContain('The agent "shop" called tools in 50 messages of one turn without an answer.');
    expect(code).toBe(1);
    const [session] = await sessionFiles(shop.path);
    expect(session.turns[0].steps).toHaveLength(100);
    expect(session.turns[0].steps[1]).toMatchObject({
      name: 'open_ticket',
      error: 'The scenario has no tool "open_ticket": add it to mocks.tools.',
    });
  });

  it('talks to the agent as a model that plays the user, until that user stops', async () => {
    await using agent = await startSampleAgent();
    let said = 0;
    await using stub = await startStubModels(() => {
      said += 1;
      return answer(
        said === 1
          ? { message: 'Where is order A-2002?', shouldStop: false }
          : { message: 'Thanks. [[STOP]]', shouldStop: false },
      );
    });
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint),
      'where.sim.ts': `
        import { scenario } from 'turnwise';
        scenario('ask where an order is', {
          profile: 'a customer in a hurry',
          goal: 'know where order A-2002 is',
          knowledge: [{ content: 'the order is A-2002' }],
          mocks: { tools: { get_order: ({ order_id }) => ({ order_id, status: 'in transit' }) } },
        });`,
    });
    const judge = ['--judge', 'openai:m', '--judge-url', stub.openai, '--metrics', 'loop_detection'];
    const { code, stderr } = await shop.run('where.sim.ts', '--run', '--attempts', '1', ...judge);
    expect(stderr).not.toContain('did not finish');
    const [session] = await sessionFiles(shop.path);
    expect(session).toMatchObject({
      goal: 'know where order A-2002 is',
      profile: 'a customer in a hurry',
      ending: { cause: 'regular', reason: 'the user ended it' },
    });
    expect(session.turns.map(({ input, output }: { input: string; output: string }) => [input, output])).toEqual([
      ['Where is order A-2002?', 'Order A-2002 is in transit.'],
    ]);
    const [first, second] = stub.requests;
    expect(first?.prompt).toContain('a customer in a hurry');
    expect(second?.prompt).toContain('{"assistant":"Order A-2002 is in transit."}');
    expect(code).toBe(0);
  });

  it('refuses a second scenario of the same name, whose session files would replace those of the first', async () => {
    await using agent = await startSampleAgent();
    const scenario = (order: string) => `
      import { scenario } from 'turnwise';
      scenario('ask', { turns: [{ userMessage: 'Where is order ${order}?' }] });`;
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint),
      '.turnwise/.gitignore': 'runs/\n',
      'one.sim.ts': scenario('A-1001'),
      'two.sim.ts': scenario('A-2002'),
    });
    const { code, stderr } = await shop.run('one.sim.ts', 'two.sim.ts', '--run');
    expect(stderr).toContain(
      'two.sim.ts:3: "ask" is also the name of a scenario in one.sim.ts. Give each its own name.',
    );
    expect(code).toBe(2);
    const sessions = await sessionFiles(shop.path);
    expect(sessions.map(({ turns }) => turns[0].input)).toEqual(['Where is order A-1001?']);
    // What the user wrote there stays.
    expect(await readFile(join(shop.path, '.turnwise', '.gitignore'), 'utf8')).toBe('runs/\n');
  });

  it('says how to set up a model where a user is to be simulated without one', async () => {
    await using shop = await project({
      'turnwise.config.json': configuration('http://127.0.0.1:9/v1'),
      'where.sim.ts': `
        import { scenario } from 'turnwise';
        scenario('ask', { profile: 'a customer', goal: 'know' });`,
    });
    const { code, stdout, stderr } = await shop.run('where.sim.ts', '--run', '--attempts', '1');
    expect(stdout).toContain('? Undecided: the run ended in an error');
    expect(stderr).toContain('needs_judge: its user is simulated by a model, and none is configured.');
    expect(code).toBe(3);
  });

  it('replays recorded answers without the agent, against the mocks and expectations of the scenario', async () => {
    await using agent = await startSampleAgent();
    await using first = await project({ 'turnwise.config.json': configuration(agent.endpoint) });
    await first.run('refund.sim.ts', '--run', '--filter', 'delivered');
    await agent[Symbol.asyncDispose]();
    const sessions = await sessionFiles(first.path);
    const agents = { recorded: { type: 'replay', file: 'recording.json' } };
    await using replayed = await project({
      'turnwise.config.json': JSON.stringify({ simulation: { agents } }),
      'recording.json': JSON.stringify({ turnwise: 1, sessions }),
      'changed.sim.ts': (await readFile(SAMPLE, 'utf8')).replace('amount: 42.5', 'amount: 40'),
      'said.sim.ts': (await readFile(SAMPLE, 'utf8')).replace('Yes, please.', 'Yes.'),
    });
    expect((await replayed.run('refund.sim.ts', '--run', '--filter', 'delivered')).code).toBe(0);
    expect((await replayed.run('changed.sim.ts', '--run', '--filter', 'delivered')).code).toBe(1);
    const said = await replayed.run('said.sim.ts', '--run', '--filter', 'delivered');
    expect(said.stderr).toContain(
      'The recording in recording.json answers another message in turn 2: the user says something else in the scenario. Record it again.',
    );
    expect(said.code).toBe(3);
  });

  it('writes the results as Agentest does, with the calls that were not expected', async () => {
    await using agent = await startSampleAgent();
    await using shop = await project({
      'turnwise.config.json': configuration(agent.endpoint, { fault: 'wrong-amount' }),
      'agentest.sim.ts': `
        import { scenario } from '@agentesting/agentest';
        scenario('refund', {
          goal: 'order A-1001 is refunded',
          turns: [{ userMessage: 'Please refund order A-1001.' }, { userMessage: 'Yes.' }],
          mocks: {
            tools: {
              get_order: ({ order_id }) => ({ order_id, status: 'delivered', total: 42.5 }),
              refund_order: ({ amount }) => ({ refunded: amount }),
            },
          },
          assertions: {
            toolCalls: { matchMode: 'strict', expected: [{ name: 'refund_order', args: { amount: 42.5 } }] },
          },
        });`,
    });
    const { code, stdout } = await shop.run('agentest.sim.ts', '--run', '--format', 'agentest');
    const call = (name: string, args: object, result: object, turnIndex: number) => ({ name, args, result, turnIndex });
    const order = { order_id: 'A-1001', status: 'delivered', total: 42.5 };
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { passed: false, totalScenarios: 1, passedScenarios: 0, failedScenarios: 1 },
      scenarios: [
        {
          name: 'refund',
          passed: false,
          conversations: [
            {
              conversationId: 'refund #1',
              error: null,
              turns: [
                {
                  turnIndex: 0,
                  userMessage: 'Please refund order A-1001.',
                  agentMessage: 'Order A-1001 costs $42.5. Shall I refund it?',
                  toolCalls: [call('get_order', { order_id: 'A-1001' }, order, 0)],
                },
                {
                  turnIndex: 1,
                  userMessage: 'Yes.',
                  toolCalls: [call('refund_order', { order_id: 'A-1001', amount: 425 }, { refunded: 425 }, 1)],
                },
              ],
              evaluation: {
                turnEvaluations: [
                  { turnIndex: 0, metrics: {} },
                  { turnIndex: 1, metrics: {} },
                ],
                goalCompletion: null,
              },
              trajectory: {
                matched: false,
                failureLabel: 'strict match failed',
                missingCalls: ['refund_order'],
                extraCalls: ['get_order'],
                orderingIssues: [],
                forbiddenCalls: [],
              },
              perTurnTrajectory: null,
            },
          ],
        },
      ],
    });
    expect(code).toBe(1);
  });

  it('is stopped by a signal within a second, and keeps the attempts that were finished', async () => {
    await using agent = await startSampleAgent();
    const agents = { shop: { endpoint: agent.endpoint }, slow: { endpoint: agent.endpoint, body: { fault: 'slow' } } };
    await using shop = await project({
      'turnwise.config.json': JSON.stringify({ simulation: { agents, agent: 'slow', requestTimeoutMs: 60_000 } }),
      'two.sim.ts': `
        import { scenario } from 'turnwise';
        scenario('fast', { agent: 'shop', turns: [{ userMessage: 'Thanks.' }] });
        scenario('slow', { agent: 'slow', turns: [{ userMessage: 'Thanks.' }] });`,
    });
    let stoppedAt = 0;
    const { code, stderr } = await turnwise(['scenarios', 'two.sim.ts', '--run'], {
      cwd: shop.path,
      whileRunning: (child) => {
        const look = setInterval(async () => {
          const found = await sessionFiles(shop.path).catch(() => []);
          if (found.length === 0 || stoppedAt > 0) return;
          clearInterval(look);
          stoppedAt = Date.now();
          child.kill('SIGINT');
        }, 50);
        child.once('exit', () => clearInterval(look));
      },
    });
    expect(Date.now() - stoppedAt).toBeLessThan(3000);
    expect(stderr).toMatch(/1 attempt is finished\. To evaluate: turnwise eval \.turnwise\/runs\//);
    expect(code).toBe(130);
    expect((await sessionFiles(shop.path)).map(({ id }) => id)).toEqual(['fast #1']);
  });

  it('is stopped by a signal while it lists a file that does not end loading', async () => {
    const code = "console.log('loading'); await new Promise(() => setInterval(() => {}, 1000));";
    await using shop = await project({ 'endless.sim.ts': code });
    let stoppedAt = 0;
    const ended = await turnwise(['scenarios', 'endless.sim.ts'], {
      cwd: shop.path,
      whileRunning: (child) => {
        child.stderr?.on('data', (printed) => {
          if (stoppedAt > 0 || !String(printed).includes('loading')) return;
          stoppedAt = Date.now();
          child.kill('SIGINT');
        });
      },
    });
    expect(ended.code).toBe(130);
    expect(Date.now() - stoppedAt).toBeLessThan(10_000);
  });

  it('makes no attempts at an agent with a variable in its headers that is not set, and those at others', async () => {
    await using agent = await startSampleAgent();
    const { endpoint } = agent;
    const settings = {
      simulation: {
        agents: { shop: { endpoint }, locked: { endpoint, headers: { authorization: 'Bearer $' + '{SHOP_KEY}' } } },
      },
    };
    await using shop = await project({
      'turnwise.config.json': JSON.stringify(settings, null, 2),
      'two.scenario.yaml': `scenarios:
  - { name: free, agent: shop, turns: [{ userMessage: hello }] }
  - { name: secret, agent: locked, turns: [{ userMessage: hello }] }
  - { name: hidden, agent: locked, turns: [{ userMessage: hello }] }`,
    });
    const { code, stdout, stderr } = await shop.run('two.scenario.yaml', '--run', '--format', 'json');
    expect(stderr).toContain(
      'turnwise.config.json:10:11: simulation.agents.locked.headers.authorization names the environment variable SHOP_KEY, which is not set. Set it, or remove it from the header.\n',
    );
    expect(stderr.split('SHOP_KEY')).toHaveLength(2);
    expect(JSON.parse(stdout).sessions.map(({ id }: { readonly id: string }) => id)).toEqual(['free #1']);
    expect(code).toBe(2);
  });

  it('takes names literally in gates, and gates scenarios by their tags', async () => {
    await using agent = await startSampleAgent();
    const gates = { failOn: 'never', for: [{ tag: 'slow', thresholds: { tool_call_count: 5 } }] };
    const settings = { ...JSON.parse(configuration(agent.endpoint)), gates };
    await using shop = await project({
      'turnwise.config.json': JSON.stringify(settings),
      'names.scenario.yaml': `scenarios:
  - { name: 'say *', turns: [{ userMessage: hello }], thresholds: { loop_detection: 0.5 } }
  - { name: 'say [a{b}', turns: [{ userMessage: hello }], thresholds: { loop_detection: 0.6 } }
  - { name: say it, turns: [{ userMessage: hello }], tags: [slow] }`,
    });
    const { stdout } = await shop.run('names.scenario.yaml', '--run', '--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    const thresholds = report.gates.filter(({ threshold }) => typeof threshold === 'number');
    expect(thresholds.map(({ subject, metric, threshold }) => [subject, metric, threshold])).toEqual([
      [expect.stringContaining('say *'), 'loop_detection', 0.5],
      [expect.stringContaining('say [a{b}'), 'loop_detection', 0.6],
      [expect.stringContaining('say it'), 'tool_call_count', 5],
    ]);
    expect(report.sessions.map(({ tags }) => tags)).toEqual([undefined, undefined, ['slow']]);
  });

  it('says which agents there are where a scenario names another', async () => {
    await using shop = await project({ 'turnwise.config.json': configuration('http://127.0.0.1:9/v1') });
    const { code, stderr } = await shop.run('refund.sim.ts', '--run', '--agent', 'shopp');
    expect(stderr).toContain(
      '"refund a delivered order" tries the agent "shopp", which the configuration does not have. Did you mean "shop"? Agents: shop, other.',
    );
    expect(code).toBe(2);
  });

  it.each([
    ['recorded', 'failed', 0.5],
    ['recorded', 'passed', 0.1],
    ['live', 'failed', 0.5],
  ])('compares answers with those that a case of ADK expects, %s: %s', async (agent, verdict, threshold) => {
    await using server = await startSampleAgent();
    const part = (text: string) => ({ parts: [{ text }] });
    const calls = { tool_uses: [{ name: 'get_order', args: { order_id: 'A-1001' } }] };
    const invocation = {
      invocation_id: 'i1',
      user_content: part('Where is order A-1001?'),
      final_response: part('Your parcel A-1001 is still packed, sorry'),
      intermediate_data: calls,
    };
    const steps = [{ type: 'tool', name: 'get_order', arguments: { order_id: 'A-1001' }, result: {} }];
    const turn = { input: 'Where is order A-1001?', output: 'Order A-1001 is delivered.', steps };
    await using shop = await project({
      'shop.evalset.json': JSON.stringify({
        eval_set_id: 'shop',
        eval_cases: [{ eval_id: 'where', conversation: [invocation] }],
      }),
      'shop.session.json': JSON.stringify({ turnwise: 1, sessions: [{ id: 'where', turns: [turn] }] }),
      'turnwise.config.json': JSON.stringify({
        simulation: {
          agents: { recorded: { type: 'replay', file: 'shop.session.json' }, live: { endpoint: server.endpoint } },
        },
        gates: { thresholds: { response_match_score: threshold } },
      }),
    });
    const { stdout } = await shop.run('shop.evalset.json', '--run', '--agent', agent, '--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    const [first] = report.sessions[0]?.turns ?? [];
    expect(first?.metrics.turn_expectations).toMatchObject({ status: 'scored', score: 1 });
    expect(first?.metrics.response_match_score).toMatchObject({ status: 'scored' });
    expect(report.gates).toContainEqual(
      expect.objectContaining({ metric: 'response_match_score', threshold, met: verdict === 'passed' }),
    );
    expect(report.verdict).toBe(verdict);
  });
});
