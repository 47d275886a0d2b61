import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { customAgent } from '../../../src/scenarios/agents/custom.ts';
import {
  type FinishedAttempt,
  type RunScenariosOptions,
  runScenarios,
  type ScenarioFile,
} from '../../../src/scenarios/run-scenarios.ts';
import type { Scenario } from '../../../src/scenarios/scenario.ts';
import { type AgentChatMessage, AttemptInterrupted } from '../../../src/scenarios/scenario-process.ts';
import { scriptedUser } from '../../../src/scenarios/user.ts';
import { FakeScenarioProcess, type ScenarioCode } from '../../support/scenario-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SCRIPT = [{ userMessage: 'Cancel order A-1.' }, { userMessage: 'Thanks.' }];

function text(content: string): AgentChatMessage {
  return { role: 'assistant', content };
}

function fileOf(process: FakeScenarioProcess, attempts = 1, timeoutMs = 1000): ScenarioFile {
  const planned = (scenario: Scenario) =>
    Array.from({ length: attempts }, (_, index) => ({
      id: `${scenario.name} #${index + 1}`,
      scenario,
      trial: index + 1,
      agent: 'support',
      openAgent: (code: Parameters<typeof customAgent>[0]['code']) => customAgent({ name: 'support', code, timeoutMs }),
      openUser: () => scriptedUser(scenario.turns ?? []),
    }));
  return {
    file: 'orders.sim.ts',
    open: async () => process,
    plan: async ({ scenarios }) => scenarios.flatMap(planned),
  };
}

async function run(
  code: ScenarioCode | FakeScenarioProcess,
  options: Partial<RunScenariosOptions> & { readonly attempts?: number; readonly timeoutMs?: number } = {},
) {
  await using folder = await temporaryFolder({});
  const process = code instanceof FakeScenarioProcess ? code : new FakeScenarioProcess(code);
  const { attempts, timeoutMs, ...rest } = options;
  const finished = await runScenarios([fileOf(process, attempts, timeoutMs)], {
    folder: folder.path,
    concurrency: 20,
    retries: 0,
    unmockedTools: 'error',
    signal: new AbortController().signal,
    ...rest,
  });
  const sessions = await Promise.all(finished.map(readSession));
  return { finished, sessions, process };
}

async function readSession({ sessionFile }: FinishedAttempt) {
  return JSON.parse(await readFile(sessionFile ?? '', 'utf8')).sessions[0];
}

const CANCEL: ScenarioCode = {
  scenarios: [{ name: 'cancel an order', goal: 'order A-1 is cancelled', turns: SCRIPT }],
  tools: { cancel_order: ({ id }) => ({ id, cancelled: true }) },
  async handler(messages, { resolveTool, turnIndex }) {
    if (turnIndex === 1) return text('You are welcome.');
    const result = await resolveTool('cancel_order', { id: 'A-1' });
    return text(`${messages.at(-1)?.content} Done: ${JSON.stringify(result)}`);
  },
};

describe('attempts at a scenario', () => {
  it('are written as session files, with their calls, their expectations and how they ended', async () => {
    const assertions = { toolCalls: { expected: [{ name: 'cancel_order' }] } };
    const turns = [{ userMessage: 'Cancel order A-1.', assertions }, { userMessage: 'Thanks.' }];
    const scenarios = [{ name: 'cancel an order', goal: 'order A-1 is cancelled', turns, assertions }];
    const { sessions, finished, process } = await run({ ...CANCEL, scenarios }, { attempts: 2 });
    expect(finished.map(({ failure, turns: count, trial }) => [failure, count, trial])).toEqual([
      [null, 2, 1],
      [null, 2, 2],
    ]);
    expect(sessions[1]).toMatchObject({
      id: 'cancel an order #2',
      goal: 'order A-1 is cancelled',
      task: { id: 'cancel an order', trial: '2', agent: 'support', declared: true },
      reference: { expectations: assertions },
      ending: { cause: 'regular', reason: 'end of the script' },
    });
    expect(sessions[0].turns).toMatchObject([
      {
        input: 'Cancel order A-1.',
        output: 'Cancel order A-1. Done: {"id":"A-1","cancelled":true}',
        reference: { expectations: assertions },
        steps: [
          { type: 'tool', name: 'cancel_order', arguments: { id: 'A-1' }, result: { id: 'A-1', cancelled: true } },
          { type: 'model' },
        ],
      },
      { input: 'Thanks.', output: 'You are welcome.' },
    ]);
    expect(process.isDisposed).toBe(true);
  });

  it('keep the turn that failed, with the calls before it failed', async () => {
    const { sessions, finished } = await run({
      ...CANCEL,
      async handler(_, { resolveTool, turnIndex }) {
        await resolveTool('cancel_order', { id: `A-${turnIndex}` });
        if (turnIndex === 1) throw new Error('no more');
        return text('Done.');
      },
    });
    expect(finished[0]?.failure).toEqual({ cause: 'error', reason: 'The handler threw: Error: no more' });
    expect(sessions[0].ending).toEqual({ cause: 'error', reason: 'The handler threw: Error: no more' });
    expect(sessions[0].turns[1]).toMatchObject({
      input: 'Thanks.',
      output: null,
      steps: [
        { name: 'cancel_order', arguments: { id: 'A-1' } },
        { type: 'model', error: 'The handler threw: Error: no more' },
      ],
    });
  });

  it('answer the tool calls of a message, and record what throws and what is not mocked as errors', async () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    });
    const seen: unknown[] = [];
    const { sessions } = await run({
      scenarios: [{ name: 'calls', turns: [{ userMessage: 'Go.' }] }],
      tools: {
        fails() {
          throw new Error('no stock');
        },
      },
      handler(messages) {
        seen.push(messages.slice(1).map(({ role, content, tool_call_id }) => [role, content, tool_call_id]));
        if (messages.length > 1) return text('Sorry.');
        const calls = [call('1', 'fails', '{}'), call('2', 'unknown', '{"a":1}'), call('3', 'fails', 'no JSON')];
        return { role: 'assistant', content: null, tool_calls: calls };
      },
    });
    const unmocked = 'The scenario has no tool "unknown": add it to mocks.tools.';
    expect(seen[1]).toEqual([
      ['assistant', null, undefined],
      ['tool', '{"error":"Error: no stock"}', '1'],
      ['tool', JSON.stringify({ error: unmocked }), '2'],
      ['tool', '{"error":"The arguments of fails are not a JSON object."}', '3'],
    ]);
    expect(sessions[0].turns[0].steps).toMatchObject([
      { type: 'model' },
      { id: '1', name: 'fails', error: 'Error: no stock' },
      { id: '2', name: 'unknown', arguments: { a: 1 }, error: unmocked },
      { id: '3', arguments: 'no JSON' },
      { type: 'model', text: 'Sorry.' },
    ]);
  });

  it('end with an error of the agent when it calls tools without end', async () => {
    const { finished, sessions } = await run({
      scenarios: [{ name: 'loop', turns: [{ userMessage: 'Go.' }] }],
      handler: () => ({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'again', arguments: '{}' } }],
      }),
    });
    expect(finished[0]?.failure).toEqual({
      cause: 'agent-error',
      reason: 'The agent "support" called tools in 50 messages of one turn without an answer.',
    });
    expect(sessions[0].turns[0].steps).toHaveLength(100);
  });

  it('are made again only after an error', async () => {
    let tries = 0;
    const flaky: ScenarioCode = {
      ...CANCEL,
      handler() {
        tries += 1;
        if (tries <= 2) throw new Error('down');
        return text('Done.');
      },
    };
    const { finished } = await run(flaky, { retries: 2 });
    expect(finished[0]).toMatchObject({ failure: null, retries: 2 });
    tries = 0;
    expect((await run(flaky, { retries: 1 })).finished[0]).toMatchObject({ retries: 1, failure: { cause: 'error' } });
  });

  it('see no conversation but their own, 50 at once', async () => {
    let running = 0;
    let most = 0;
    const { sessions } = await run(
      {
        scenarios: [{ name: 'many', turns: SCRIPT }],
        tools: { who: (_, { conversationId }) => conversationId },
        async handler(messages, { conversationId, resolveTool }) {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          const who = await resolveTool('who', {});
          running -= 1;
          return text(`${conversationId} ${who} ${messages.length}`);
        },
      },
      { attempts: 50, concurrency: 50 },
    );
    expect(most).toBe(50);
    expect(sessions).toHaveLength(50);
    for (const { id, turns } of sessions) {
      expect(turns.map(({ output }: { output: string }) => output)).toEqual([`${id} ${id} 1`, `${id} ${id} 3`]);
    }
  });

  it('are made again once, in the same conversation, when another attempt ended their process', async () => {
    const asked: string[] = [];
    const { finished } = await run({
      ...CANCEL,
      interrupt(conversationId) {
        asked.push(conversationId);
        if (asked.length === 1) throw new AttemptInterrupted('The process ended.');
      },
    });
    expect(asked).toEqual(['cancel an order #1', 'cancel an order #1', 'cancel an order #1']);
    expect(finished[0]).toMatchObject({ failure: null, retries: 0, turns: 2 });
  });

  it('fail with what ended their process when it ends again', async () => {
    const { finished } = await run({
      ...CANCEL,
      interrupt(conversationId) {
        if (conversationId.endsWith('#1')) throw new AttemptInterrupted('The process ended.');
      },
    });
    expect(finished[0]?.failure?.reason).toBe('The process ended.');
  });

  it('fail when the handler does not answer in time', async () => {
    const { finished } = await run({ ...CANCEL, handler: () => new Promise(() => {}) }, { timeoutMs: 5 });
    expect(finished[0]?.failure?.reason).toBe(
      'The handler of the agent "support" did not answer within 0.005 s (requestTimeoutMs).',
    );
  });

  it('that are finished are kept when the run is cancelled, and all processes are ended', async () => {
    const cancel = new AbortController();
    const code: ScenarioCode = {
      ...CANCEL,
      handler: (_, { conversationId }) =>
        conversationId.endsWith('#1') ? text('Done.') : new Promise((resolve) => setTimeout(resolve, 60_000).unref()),
    };
    const { finished, process } = await run(code, {
      attempts: 5,
      timeoutMs: 60_000,
      signal: cancel.signal,
      onEvent: ({ type }) => type === 'attempt' && cancel.abort(),
    });
    expect(finished.map(({ id }) => id)).toEqual(['cancel an order #1']);
    expect(process.isDisposed).toBe(true);
  });

  /** Files of one scenario each that take a while to open. */
  function slowFiles(count: number) {
    const events: string[] = [];
    const files = Array.from({ length: count }, (_, index) => {
      const process = new FakeScenarioProcess({
        scenarios: [{ name: `scenario ${index}`, turns: [{ userMessage: 'Go.' }] }],
        handler: () => text('Done.'),
      });
      const open = async () => {
        events.push(`open ${index}`);
        // Later files open sooner.
        await new Promise((resolve) => setTimeout(resolve, 5 * (count - index)));
        return process;
      };
      const plan: ScenarioFile['plan'] = (loaded) => {
        events.push(`plan ${index}`);
        return fileOf(process).plan(loaded);
      };
      return { process, file: { file: `${index}.sim.ts`, open, plan } };
    });
    return { events, processes: files.map(({ process }) => process), files: files.map(({ file }) => file) };
  }

  const OPTIONS = { concurrency: 20, retries: 0, unmockedTools: 'error' } as const;

  it('run while a few of the next files are opened, which are asked for attempts in their order', async () => {
    await using folder = await temporaryFolder({});
    const { events, files, processes } = slowFiles(6);
    const { signal } = new AbortController();
    const finished = await runScenarios(files, { ...OPTIONS, folder: folder.path, signal });
    expect(finished.map(({ file }) => file)).toEqual(files.map(({ file }) => file));
    expect(events.slice(0, 5)).toEqual(['open 0', 'open 1', 'open 2', 'open 3', 'plan 0']);
    expect(events.filter((event) => event.startsWith('plan'))).toEqual(files.map((_, index) => `plan ${index}`));
    expect(processes.every(({ isDisposed }) => isDisposed)).toBe(true);
  });

  it('one at a time open no file ahead', async () => {
    await using folder = await temporaryFolder({});
    const { events, files } = slowFiles(2);
    const { signal } = new AbortController();
    await runScenarios(files, { ...OPTIONS, concurrency: 1, folder: folder.path, signal });
    expect(events).toEqual(['open 0', 'plan 0', 'open 1', 'plan 1']);
  });

  it('that are cancelled end the processes of files that were opened ahead', async () => {
    await using folder = await temporaryFolder({});
    const cancel = new AbortController();
    const { events, files, processes } = slowFiles(6);
    await runScenarios(files, {
      ...OPTIONS,
      folder: folder.path,
      signal: cancel.signal,
      onEvent: () => cancel.abort(),
    });
    const opened = events.filter((event) => event.startsWith('open')).length;
    expect(opened).toBeLessThan(6);
    expect(processes.map(({ isDisposed }) => isDisposed)).toEqual(processes.map((_, index) => index < opened));
  });
});
