import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { sendMessage, startAgentServer } from '../support/agent-server.ts';
import { type CliOptions, turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const REFUND = { id: 'c', type: 'function', function: { name: 'refund', arguments: '{}' } };

/** An agent that does what the scenario expects when it is asked for the nth time to "refund", if `succeeds` says so. */
function startAgent(succeeds: (attempt: number, message: string) => boolean) {
  const counts = new Map<string, number>();
  return startAgentServer((response, body) => {
    const messages = body.messages as { readonly role: string; readonly content: string }[];
    const [first] = messages;
    if (!first || messages.length > 1) return sendMessage(response, { role: 'assistant', content: 'Done.' });
    const attempt = (counts.get(first.content) ?? 0) + 1;
    counts.set(first.content, attempt);
    const message = succeeds(attempt, first.content)
      ? { role: 'assistant', content: null, tool_calls: [REFUND] }
      : { role: 'assistant', content: 'No.' };
    return sendMessage(response, message);
  });
}

function scenario(name: string, message: string) {
  const assertions = { toolCalls: { matchMode: 'contains', expected: [{ name: 'refund' }] } };
  return { name, turns: [{ userMessage: message, assertions }], mocks: { tools: { refund: { refunded: true } } } };
}

async function project(endpoint: string, gates: object, options: Pick<CliOptions, 'whileRunning'> = {}) {
  const folder = await temporaryFolder({
    'turnwise.config.json': JSON.stringify({ simulation: { agents: { shop: { endpoint } } }, gates }),
    'a.scenario.json': JSON.stringify(scenario('first', 'Refund A.')),
    'b.scenario.json': JSON.stringify(scenario('second', 'Refund B.')),
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  const run = async (...args: string[]) => {
    const command = ['scenarios', '--run', '--until-decided', '--format', 'json', ...args];
    const { code, stdout, stderr } = await turnwise(command, { cwd: folder.path, env, ...options });
    const report = stdout === '' ? null : reportSchema.parse(JSON.parse(stdout));
    return { code, stderr, report, trials: trialsOf(report) };
  };
  const history = async () => {
    const { stdout } = await turnwise(['history', '--format', 'json'], { cwd: folder.path, env });
    return JSON.parse(stdout).runs;
  };
  return { path: folder.path, run, history, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/** The attempts of each scenario, in order. */
function trialsOf(report: ReturnType<typeof reportSchema.parse> | null) {
  const byTask = Map.groupBy(report?.sessions ?? [], ({ task }) => task?.id ?? '');
  return Object.fromEntries(
    [...byTask].map(([task, sessions]) => [task, sessions.map((own) => Number(own.task?.trial))]),
  );
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('turnwise scenarios --run --until-decided', () => {
  it('adds attempts only to scenarios whose verdict is open, all in one run with one record', async () => {
    await using agent = await startAgent((attempt, message) => message.includes('B') || attempt < 3);
    await using shop = await project(agent.endpoint, {});
    const { code, stderr, report, trials } = await shop.run('--attempts', '6');
    expect(trials).toEqual({ first: [1, 2, 3], second: upTo(6) });
    expect(report?.scenarios.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['first · shop', 'failed'],
      ['second · shop', 'passed'],
    ]);
    expect(stderr).toContain('Made 9 attempts of at most 12.\n');
    expect(code).toBe(1);
    const folder = join(shop.path, '.turnwise', 'runs', report?.run.id ?? '');
    expect(await readdir(folder)).toHaveLength(9);
    const runs = await shop.history();
    expect(runs).toHaveLength(1);
    expect(report?.sessions.every(({ source }) => source.file.startsWith('.turnwise/runs/'))).toBe(true);
  });

  it('ends early where the gate on all attempts is clearly met or missed', async () => {
    await using agent = await startAgent((_, message) => message.includes('A'));
    await using shop = await project(agent.endpoint, { attempts: { k: 1, passPowK: 0.8 } });
    const { code, report, trials } = await shop.run('--attempts', '20');
    expect(trials).toEqual({ first: upTo(8), second: upTo(3) });
    expect(report?.gates.map(({ subject, met }) => [subject, met])).toEqual([
      ['first · shop', true],
      ['second · shop', false],
    ]);
    expect(code).toBe(1);
  });

  it('says that errors decide nothing, and stops at the limit', async () => {
    await using shop = await project('http://127.0.0.1:9/v1', {});
    const { code, stderr, trials } = await shop.run('--attempts', '3', '--filter', 'first');
    expect(trials).toEqual({ first: upTo(3) });
    expect(stderr).toContain(
      '"first" is not decided after 3 attempts: 3 of them ended in an error, or nothing says whether they succeeded.',
    );
    expect(code).toBe(3);
  });

  it('is stopped by a signal while it waits for a later round', async () => {
    await using agent = await startAgentServer((response, body, index) => {
      if (index === 0) sendMessage(response, { role: 'assistant', content: null, tool_calls: [REFUND] });
      else if ((body.messages as unknown[]).length > 1) sendMessage(response, { role: 'assistant', content: 'Done.' });
      else stop();
    });
    let stop = () => {};
    await using shop = await project(
      agent.endpoint,
      {},
      {
        whileRunning: (child) => {
          stop = () => child.kill('SIGINT');
        },
      },
    );
    const { code } = await shop.run('--attempts', '5', '--filter', 'first');
    expect(code).toBe(130);
  });

  it.each([
    [[], {}, '--until-decided needs --attempts: the most attempts at each scenario.'],
    [
      ['--attempts', '2'],
      { attempts: { k: 3, passPowK: 0.5 } },
      '--attempts 2 cannot decide gates.attempts, which needs 3 attempts. Make it at least 3.',
    ],
  ])('refuses %s under the gates %s', async (args, gates, message) => {
    await using shop = await project('http://127.0.0.1:9/v1', gates);
    const { code, stderr } = await shop.run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
