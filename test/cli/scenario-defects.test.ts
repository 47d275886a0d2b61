import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get } from '../../src/core/json.ts';
import type { Report } from '../../src/core/report.ts';
import { turnwise } from '../support/cli.ts';
import { answer, error, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Agents that are functions, each of its own kind, as Agentest's `compare` has them. */
const CONFIGURATION = `
  import { defineConfig, QuantitativeMetric } from 'agentest';
  class Brevity extends QuantitativeMetric {
    readonly name = 'brevity';
    async score({ agentMessage }) {
      return { value: agentMessage.length < 40 ? 5 : 1, reason: agentMessage.length + ' characters' };
    }
  }
  const say = (content) => ({ role: 'assistant', content });
  export default defineConfig({
    agent: {
      type: 'custom',
      name: 'first',
      async handler(messages, { resolveTool }) {
        const text = messages.at(-1).content;
        if (/crash/.test(text)) {
          await resolveTool('get_order', { id: 'A-1' });
          throw new Error('the line is dead');
        }
        if (/warehouse/.test(text)) return say(await resolveTool('warehouse').catch((error) => 'Sorry: ' + error.message));
        if (/twice/.test(text)) await resolveTool('refund', {});
        if (/order|twice/.test(text)) await resolveTool('get_order', { id: 'A-1' });
        return say('The first agent says: ' + text);
      },
    },
    metrics: process.env.METRICS?.split(',') ?? [],
    customMetrics: [new Brevity()],
    ...(process.env.MODEL_URL && {
      provider: 'openai-compatible', model: 'm', providerOptions: { baseURL: process.env.MODEL_URL },
    }),
  });`;

const SECOND = "{ type: 'custom', name: 'second', handler: async () => say('The second agent says something else.') }";
const COMPARING = CONFIGURATION.replace('metrics:', `compare: [${SECOND}], metrics:`);

const scenarioFile = (name: string, options: string) => `
  import { scenario } from 'agentest';
  scenario('${name}', ${options});`;

const TWO_TURNS = `{ goal: 'they are greeted', turns: [{ userMessage: 'Hello' }, { userMessage: 'Hello again' }] }`;

async function project(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder({ '.git': '', 'agentest.config.ts': CONFIGURATION, ...files });
  const run = async (env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) => {
    const ended = await turnwise(['scenarios', '--run', '--format', 'json', ...args], {
      cwd: folder.path,
      env: { TURNWISE_HOME: join(folder.path, 'home'), ...env },
    });
    const report: Report = JSON.parse(ended.stdout);
    return { ...ended, report };
  };
  return { path: folder.path, run, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

async function transcripts({ report }: { readonly report: Report }, path: string) {
  const files = report.sessions.map(({ source }) => join(path, source.file));
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')).sessions[0]));
}

/** Each is a defect that earlier tools for scenarios had. */
describe('a run of scenarios', () => {
  it('never passes with a dead judge', async () => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('greet', TWO_TURNS) });
    const env = { METRICS: 'helpfulness', MODEL_URL: 'http://127.0.0.1:9/v1' };
    const { code, report } = await shop.run(env, '--patience', '1000', '--timeout', '500');
    expect(report.sessions[0]?.turns[0]?.metrics.helpfulness?.status).toBe('error');
    expect(report.verdict).toBe('undecided');
    expect(code).toBe(3);
  });

  it('loses nothing but the goal when the question about it fails', async () => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('greet', TWO_TURNS) });
    await using models = await startStubModels(({ schema }) =>
      get(schema?.properties, 'goal_completion') === undefined ? undefined : error(400, 'no such goal'),
    );
    const env = { METRICS: 'helpfulness,goal_completion', MODEL_URL: models.openai };
    const { report } = await shop.run(env);
    const [session] = report.sessions;
    expect(session?.turns.map(({ metrics }) => metrics.helpfulness?.status)).toEqual(['scored', 'scored']);
    expect(session?.turns.map(({ metrics }) => metrics.brevity?.status)).toEqual(['scored', 'scored']);
    expect(session?.metrics.goal_completion?.status).toBe('error');
    expect(report.verdict).toBe('undecided');
  });

  it.each<[string, object | null]>([
    ['the call that groups failures fails', null],
    ['the call that groups failures drops one', { merged: [] }],
    [
      'the call that groups failures makes one up',
      { merged: [{ groups: ['g1', 'g9'], title: 'x', explanation: 'y' }] },
    ],
  ])('keeps every failure when %s', async (_, grouping) => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('greet', TWO_TURNS) });
    const labels = ['false information', 'repetition'];
    await using models = await startStubModels(({ prompt, schema }) => {
      if (get(schema?.properties, 'failure_groups') !== undefined) {
        return grouping ? answer({ failure_groups: grouping }) : error(400, 'no groups today');
      }
      const question = prompt.slice(prompt.lastIndexOf('which is asked about'));
      const id = /\[(t\d+\.answer)\]/.exec(question)?.[1] ?? '';
      const label = labels[question.includes('says: Hello again') ? 1 : 0];
      return answer({
        agent_behavior_failure: { failures: [{ evidence: [id], severity: null, label, reason: 'It does.' }] },
      });
    });
    const { report } = await shop.run({ METRICS: 'agent_behavior_failure', MODEL_URL: models.openai });
    expect(models.requests.some(({ schema }) => get(schema?.properties, 'failure_groups') !== undefined)).toBe(true);
    expect(
      report.failures.flatMap(({ occurrences }) => occurrences.map(({ turn, label }) => [turn, label])).sort(),
    ).toEqual([
      [0, 'false information'],
      [1, 'repetition'],
    ]);
  });

  it('has the results of custom metrics', async () => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('greet', TWO_TURNS) });
    const { code, report } = await shop.run();
    expect(report.sessions[0]?.turns[0]?.metrics.brevity).toMatchObject({ score: 5, reason: '27 characters' });
    expect(code).toBe(0);
  });

  it('asks the handler of each agent that is compared, not that of the first', async () => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('greet', TWO_TURNS), 'agentest.config.ts': COMPARING });
    const said = async (...args: readonly string[]) =>
      (await transcripts(await shop.run({}, ...args), shop.path)).map(({ turns }) => turns[0].output).sort();
    expect(await said()).toEqual(['The first agent says: Hello', 'The second agent says something else.']);
    expect(await said('--agent', 'first')).toEqual(['The first agent says: Hello']);
    expect(await said('--agent', 'second')).toEqual(['The second agent says something else.']);
  });

  it('keeps the failing turn, with the calls before it failed', async () => {
    const turns = `{ turns: [{ userMessage: 'Hello' }, { userMessage: 'crash' }], mocks: { tools: { get_order: () => 'on its way' } } }`;
    await using shop = await project({ 'a.sim.ts': scenarioFile('crash', turns) });
    const ended = await shop.run();
    const [session] = await transcripts(ended, shop.path);
    expect(session.turns).toMatchObject([
      { input: 'Hello', output: 'The first agent says: Hello' },
      { input: 'crash', output: null, steps: [{ name: 'get_order', result: 'on its way' }, { type: 'model' }] },
    ]);
    expect(ended.report.verdict).toBe('undecided');
  });

  it('records a mock that throws as a call with its error', async () => {
    const closed = `{ turns: [{ userMessage: 'warehouse?' }], mocks: { tools: { warehouse() { throw new Error('It is closed.'); } } } }`;
    await using shop = await project({ 'a.sim.ts': scenarioFile('closed', closed) });
    const [session] = await transcripts(await shop.run(), shop.path);
    expect(session.turns[0]).toMatchObject({
      output: 'Sorry: It is closed.',
      steps: [{ name: 'warehouse', error: 'It is closed.' }, { type: 'model' }],
    });
  });

  it('respects the order of expected calls that others may stand between', async () => {
    const expecting = (first: string, second: string) => `{
      turns: [{ userMessage: 'twice' }],
      mocks: { tools: { refund: () => 'refunded', get_order: () => 'found' } },
      assertions: { toolCalls: { matchMode: 'contains', expected: [{ name: '${first}' }, { name: '${second}' }] } },
    }`;
    await using shop = await project({
      'right.sim.ts': scenarioFile('in order', expecting('refund', 'get_order')),
      'wrong.sim.ts': scenarioFile('out of order', expecting('get_order', 'refund')),
    });
    const { report } = await shop.run();
    expect(report.sessions.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['in order #1', 'passed'],
      ['out of order #1', 'failed'],
    ]);
  });

  it('finds the scenarios of a file again, each time with its present content', async () => {
    await using shop = await project({ 'a.sim.ts': scenarioFile('one', TWO_TURNS) });
    const names = async () => (await shop.run()).report.sessions.map(({ task }) => task?.id);
    expect(await names()).toEqual(['one']);
    expect(await names()).toEqual(['one']);
    await writeFile(join(shop.path, 'a.sim.ts'), scenarioFile('two', TWO_TURNS));
    expect(await names()).toEqual(['two']);
  });

  it('gives attempts with one handler at the same time their own conversations and mocks', async () => {
    const counting = `{
      turns: [{ userMessage: 'order 1' }, { userMessage: 'order 2' }],
      mocks: { tools: { get_order: (args, { conversationId, callIndex }) => conversationId + ', call ' + callIndex } },
    }`;
    await using shop = await project({ 'a.sim.ts': scenarioFile('count', counting) });
    const sessions = await transcripts(await shop.run({}, '--attempts', '20'), shop.path);
    const resultsOf = ({ turns }: { turns: { steps: { result?: string }[] }[] }) =>
      turns.flatMap(({ steps }) => steps.flatMap(({ result }) => result ?? []));
    expect(sessions).toHaveLength(20);
    for (const session of sessions) {
      expect(resultsOf(session)).toEqual([`${session.id}, call 0`, `${session.id}, call 1`]);
    }
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(20);
  });
});
