import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ModuleFunction } from '../../../src/sandbox/module-function.ts';
import { type OpenScenarioOptions, openScenarioProcess } from '../../../src/scenarios/open-scenario-process.ts';
import { AttemptFailed, AttemptInterrupted } from '../../../src/scenarios/scenario-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SHOP = `
import { scenario, sequence } from 'turnwise';

scenario('refund', {
  turns: [{ userMessage: 'Refund order 7', assertions: { toolCalls: { expected: [{ name: 'get_order', args: { id: 7 } }] } } }],
  mocks: () => {
    const refunded: number[] = [];
    return {
      tools: {
        get_order: ({ id }: { id: number }, { callIndex, conversationId, turnIndex }) => ({ id, callIndex, conversationId, turnIndex }),
        status: sequence(['open', 'closed']),
        refund: async ({ id }: { id: number }) => { refunded.push(id); return refunded.length; },
        broken: () => { throw new Error('no such order'); },
        circular: () => { const all: Record<string, unknown> = {}; all.all = all; return all; },
        loop: () => { for (;;); },
        exit: () => process.exit(3),
        never: () => new Promise(() => {}),
        stray: () => { void Promise.reject(new Error('forgotten')); return new Promise(() => {}); },
        print: ({ text }: { text: string }) => { console.log(text); return null; },
        environment: () => process.env,
      },
      state: () => ({ refunded }),
    };
  },
});
`;

const CONFIGURATION = `
export default { agents: { shop: {
  type: 'custom',
  name: 'shop',
  async handler(messages, { resolveTool, ...context }) {
    const { content } = messages.at(-1);
    if (content === 'crash') setTimeout(() => { throw new Error('boom'); }, 0), await new Promise(() => {});
    if (content === 'loop') { await resolveTool('status', {}); for (;;); }
    if (content === 'number') return 5;
    if (content === 'throw') throw new Error('agent is down');
    const status = await resolveTool('status', {});
    return { role: 'assistant', content: JSON.stringify({ status, context }) };
  },
} } };
`;

async function openShop(
  overrides: Partial<OpenScenarioOptions> = {},
  files: { readonly scenario?: string; readonly configuration?: string } = {},
) {
  const folder = await temporaryFolder({
    'shop.sim.ts': files.scenario ?? SHOP,
    'turnwise.config.ts': files.configuration ?? CONFIGURATION,
  });
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const file = join(folder.path, 'shop.sim.ts');
  const configuration = join(folder.path, 'turnwise.config.ts');
  const logged: string[] = [];
  const opened = await openScenarioProcess({
    file,
    scenarios: null,
    handlers: {
      shop: new ModuleFunction({
        file: configuration,
        path: ['agents', 'shop', 'handler'],
        ownerName: 'shop',
        displayName: 'turnwise.config.ts',
        digest: '',
      }),
    },
    unmockedTools: 'error',
    env: process.env,
    envNames: [],
    timeoutMs: 10_000,
    memoryLimitMb: 256,
    log: (text) => logged.push(text),
    ...overrides,
  });
  return { opened, logged };
}

async function startShop(...args: Parameters<typeof openShop>) {
  const { opened, logged } = await openShop(...args);
  if (opened.type === 'failed') throw new Error(opened.issue.message);
  onTestFinished(() => opened.process[Symbol.asyncDispose]());
  return { ...opened, logged };
}

const user = (content: string) => [{ role: 'user', content } as const];
const FIRST = { turnIndex: 0 };

describe('a scenario file', () => {
  test('is loaded as data, with the names of its mocks', async () => {
    const { process: shop, issues } = await startShop();
    expect(issues).toEqual([]);
    expect(shop.scenarios).toMatchObject([
      { name: 'refund', turns: [{ userMessage: 'Refund order 7' }], hasState: true },
    ]);
    expect(shop.scenarios[0]?.mockedTools).toContain('get_order');
  });

  test('is found again by a second load', async () => {
    const names = [];
    for (const _ of [1, 2]) names.push((await startShop()).process.scenarios.map(({ name }) => name));
    expect(names).toEqual([['refund'], ['refund']]);
  });

  test('imports the same from every name of the module', async () => {
    for (const name of ['turnwise', 'agentest', '@agentesting/agentest']) {
      const scenario = SHOP.replace("'turnwise'", `'${name}'`);
      expect((await startShop({}, { scenario })).process.scenarios).toHaveLength(1);
    }
  });

  test('with a syntax error says its line', async () => {
    const { opened } = await openShop({}, { scenario: "import { scenario } from 'turnwise';\nscenario('a' {});\n" });
    expect(opened).toMatchObject({ type: 'failed', issue: { line: 2 } });
  });

  test('that never finishes loading, or ends its process, is an error', async () => {
    const { opened } = await openShop({}, { scenario: 'process.exit(2);' });
    expect(opened).toMatchObject({ issue: { message: expect.stringContaining('ended by itself (exit code 2)') } });
  });

  test('that is being loaded ends at once when the run is stopped', async () => {
    const stop = new AbortController();
    const opening = openShop(
      { signal: stop.signal },
      { scenario: 'await new Promise(() => setTimeout(() => {}, 60_000));' },
    );
    setTimeout(() => stop.abort(), 200);
    const { opened } = await opening;
    expect(opened).toMatchObject({ type: 'failed', issue: { message: expect.stringContaining('was stopped') } });
  }, 10_000);

  test('with wrong options says which, and what is allowed', async () => {
    const scenario = `
import { scenario } from 'turnwise';
scenario('simulated', { profile: 'A student' });
scenario('blank', { turns: [{ userMessage: ' ' }] });
scenario('empty', { turns: [] });
scenario('twice', { turns: [{ userMessage: 'a' }] });
scenario('twice', { turns: [{ userMessage: 'b' }], maxTurn: 3 });
`;
    const { process: shop, issues } = await startShop({}, { scenario });
    expect(shop.scenarios.map(({ name }) => name)).toEqual(['twice']);
    expect(issues.map(({ scenario, message }) => `${scenario}: ${message}`)).toEqual([
      expect.stringMatching(/^simulated: "goal" is missing: a simulated user needs/),
      expect.stringMatching(/^blank: turns\[0\].userMessage is blank/),
      expect.stringMatching(/^empty: turns is a list; it must be/),
      'twice: Unknown key "maxTurn" ignored. Did you mean "maxTurns"?',
      'twice: Two scenarios of this file are named "twice". Give each its own name.',
    ]);
  });
});

describe('an attempt', () => {
  test('gets the answers of its mocks, and their errors', async () => {
    const { process: shop } = await startShop();
    using attempt = shop.openAttempt('refund', 'c1');
    const answer = (name: string, args = {}) => attempt.resolveTool(name, args, { turnIndex: 2 });
    const context = { conversationId: 'c1', turnIndex: 2 };
    expect(await answer('get_order', { id: 7 })).toEqual({
      type: 'result',
      value: { id: 7, callIndex: 0, ...context },
    });
    expect(await answer('get_order', { id: 8 })).toEqual({
      type: 'result',
      value: { id: 8, callIndex: 1, ...context },
    });
    const statuses = [await answer('status'), await answer('status'), await answer('status')];
    expect(statuses).toEqual(['open', 'closed', 'closed'].map((value) => ({ type: 'result', value })));
    expect(await answer('broken')).toEqual({ type: 'error', message: 'no such order' });
    expect(await answer('circular')).toEqual({ type: 'error', message: expect.stringContaining('not plain data') });
    expect(await answer('unknown')).toEqual({ type: 'unmocked' });
    await answer('refund', { id: 7 });
    expect(await attempt.finalState()).toEqual({ refunded: [7] });
  });

  test('asks the handler of an agent, and records its calls', async () => {
    const { process: shop } = await startShop();
    using attempt = shop.openAttempt('refund', 'c1');
    const { calls, reply } = await attempt.callHandler('shop', user('hello'), { turnIndex: 1 });
    expect(calls).toMatchObject([{ name: 'status', args: {}, answer: { type: 'result', value: 'open' } }]);
    expect(reply.type === 'message' && JSON.parse(reply.message.content ?? '')).toEqual({
      status: 'open',
      context: { turnIndex: 1, conversationId: 'c1', scenarioName: 'refund' },
    });
  });

  test('is told what is wrong with a handler', async () => {
    const { process: shop } = await startShop();
    using attempt = shop.openAttempt('refund', 'c1');
    const reason = async (text: string, agent = 'shop') => {
      const { reply } = await attempt.callHandler(agent, user(text), FIRST);
      return reply.type === 'failed' ? reply.reason : reply;
    };
    expect(await reason('throw')).toBe(
      'The handler of the agent "shop" threw an error (turnwise.config.ts:10): agent is down',
    );
    expect(await reason('number')).toMatch(/returned no message: it must return/);
    expect(await reason('hello', 'other')).toMatch(/is not in the configuration/);
    expect(await reason('crash')).toBe('Its code failed outside a call: boom');
  });

  test('has what its code printed, and the log has it too', async () => {
    const { process: shop, logged } = await startShop();
    using first = shop.openAttempt('refund', 'c1');
    using second = shop.openAttempt('refund', 'c2');
    await Promise.all([
      first.resolveTool('print', { text: 'one' }, FIRST),
      second.resolveTool('print', { text: 'two' }, FIRST),
    ]);
    expect([first.output(), second.output()]).toEqual(['one\n', 'two\n']);
    await expect.poll(() => logged.join('')).toMatch(/one\ntwo\n/);
  });

  test('gets no variables but those that are usual and those that are named', async () => {
    const env = { ...process.env, SHOP_KEY: 'secret-1', SHOP_URL: 'http://localhost' };
    const { process: shop } = await startShop({ env, envNames: ['SHOP_URL'] });
    using attempt = shop.openAttempt('refund', 'c1');
    const answer = await attempt.resolveTool('environment', {}, FIRST);
    expect(answer).toMatchObject({ value: { PATH: process.env.PATH, SHOP_URL: 'http://localhost' } });
    expect(JSON.stringify(answer)).not.toContain('secret-1');
  });
});

describe('code that goes wrong', () => {
  test('fails its own attempt when it exits, forgets a rejection or never answers', async () => {
    const { process: shop } = await startShop({ timeoutMs: 300 });
    const failures: [string, RegExp][] = [
      ['exit', /called process.exit\(3\)/],
      ['stray', /failed outside a call: forgotten/],
      ['never', /did not answer within 0.3 seconds/],
    ];
    using other = shop.openAttempt('refund', 'other');
    for (const [tool, message] of failures) {
      using attempt = shop.openAttempt('refund', tool);
      const failure = await attempt.resolveTool(tool, {}, FIRST).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AttemptFailed);
      expect(String(failure)).toMatch(message);
      expect(await other.resolveTool('print', { text: 'x' }, FIRST)).toEqual({ type: 'result', value: null });
    }
  });

  test('in an endless loop fails its attempt, and the calls of its handler are kept', async () => {
    const { process: shop } = await startShop({ timeoutMs: 500 });
    using idle = shop.openAttempt('refund', 'idle');
    await idle.resolveTool('refund', { id: 1 }, FIRST);
    using attempt = shop.openAttempt('refund', 'loop');
    const { calls, reply } = await attempt.callHandler('shop', user('loop'), FIRST);
    expect(calls).toMatchObject([{ name: 'status' }]);
    expect(reply).toMatchObject({ type: 'failed', reason: expect.stringContaining('endless loop') });
    // Its state was lost with the process.
    await expect(idle.finalState()).rejects.toBeInstanceOf(AttemptInterrupted);
    using again = shop.openAttempt('refund', 'idle');
    expect(await again.finalState()).toEqual({ refunded: [] });
  });

  test('is found by trying the attempts one by one, where several ran when the process was stopped', async () => {
    const { process: shop } = await startShop({ timeoutMs: 500 });
    const run = async (conversationId: string, tool: string) => {
      using attempt = shop.openAttempt('refund', conversationId);
      return await attempt.resolveTool(tool, {}, FIRST).catch((error: unknown) => error);
    };
    const first = await Promise.all([run('a', 'never'), run('b', 'loop')]);
    expect(first.every((result) => result instanceof AttemptInterrupted)).toBe(true);
    const second = await Promise.all([run('a', 'status'), run('b', 'loop')]);
    expect(second[0]).toEqual({ type: 'result', value: 'open' });
    expect(second[1]).toBeInstanceOf(AttemptFailed);
  });

  test('does not touch 50 attempts that run at once: each has its own mocks, sequences and output', async () => {
    const { process: shop } = await startShop();
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        using attempt = shop.openAttempt('refund', `c${index}`);
        const refunds = index % 5;
        for (let id = 0; id < refunds; id += 1) await attempt.resolveTool('refund', { id }, FIRST);
        await attempt.resolveTool('print', { text: `${index}` }, FIRST);
        const { reply } = await attempt.callHandler('shop', user('hello'), { turnIndex: index });
        const said: unknown = reply.type === 'message' ? JSON.parse(reply.message.content ?? '') : reply;
        const second = await attempt.resolveTool('status', {}, FIRST);
        return { said, second, state: await attempt.finalState(), output: attempt.output() };
      }),
    );
    results.forEach((result, index) => {
      expect(result).toEqual({
        said: { status: 'open', context: { turnIndex: index, conversationId: `c${index}`, scenarioName: 'refund' } },
        second: { type: 'result', value: 'closed' },
        state: { refunded: Array.from({ length: index % 5 }, (_, id) => id) },
        output: `${index}\n`,
      });
    });
  });
});
