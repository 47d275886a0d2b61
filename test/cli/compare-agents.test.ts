import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Agents that are functions: one calls the tool that is expected, the other says that it did. */
const HANDLERS = `
  const done = { role: 'assistant', content: 'It is done.' };
  const careful = async (messages, { resolveTool }) => {
    await resolveTool('refund', {});
    return done;
  };`;

const configuration = (compare: readonly string[] = []) => `${HANDLERS}
  export default {
    simulation: {
      ${compare.length > 0 ? `compare: ${JSON.stringify(compare)},` : ''}
      agents: {
        careful: { type: 'custom', handler: careful },
        careless: { type: 'custom', handler: () => done },
      },
    },
  };`;

/** As Agentest's own documentation writes it. */
const AGENTEST = `${HANDLERS}
  export default {
    agent: { type: 'custom', name: 'careful', handler: careful },
    compare: [{ type: 'custom', name: 'careless', handler: () => done }],
    conversationsPerScenario: 1,
  };`;

function scenarios(count: number): string {
  const assertions = { toolCalls: { matchMode: 'contains', expected: [{ name: 'refund' }] } };
  return JSON.stringify({
    scenarios: Array.from({ length: count }, (_, index) => ({
      name: `refund ${index + 1}`,
      turns: [{ userMessage: `Refund order ${index + 1}.`, assertions }],
      mocks: { tools: { refund: { refunded: true } } },
    })),
  });
}

async function compare(files: Readonly<Record<string, string>>, ...args: string[]) {
  await using folder = await temporaryFolder(files);
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  return await turnwise(['scenarios', ...args], { cwd: folder.path, env });
}

function compareNamed(count: number, ...args: string[]) {
  const files = { 'turnwise.config.mjs': configuration(), 'refunds.scenario.json': scenarios(count) };
  return compare(files, '--run', '--agent', 'careful', '--agent', 'careless', ...args);
}

describe('turnwise scenarios --run with several agents', () => {
  it('runs the same scenarios against each of them, and compares them in one report', async () => {
    const { code, stdout } = await compareNamed(8, '--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    const outcomes = report.sessions.map(({ task, outcome }) => [task?.agent, outcome.status]);
    expect(outcomes.filter(([agent, status]) => agent === 'careful' && status === 'succeeded')).toHaveLength(8);
    expect(outcomes.filter(([agent, status]) => agent === 'careless' && status === 'failed')).toHaveLength(8);
    expect(report.agents?.base).toBe('careful');
    const [other] = report.agents?.others ?? [];
    expect(other?.agent).toBe('careless');
    expect(other?.metrics.correct).toMatchObject({
      conclusion: 'worse',
      tasks: 8,
      pairs: 8,
      difference: -1,
      test: 'mcnemar',
    });
    expect(code).toBe(1);
  });

  it('shows the differences with their intervals, and claims none from a few scenarios', async () => {
    const clear = await compareNamed(8);
    expect(clear.stdout).toContain('careless against careful');
    expect(clear.stdout).toContain('correct: worse (-100 points, 95%: -100 to -100 points)');
    const few = await compareNamed(3, '--record', 'none');
    expect(few.stdout).toContain('correct: cannot tell (-100 points');
  });

  it.each([
    ['simulation.compare', { 'turnwise.config.mjs': configuration(['careful', 'careless']) }],
    ["Agentest's compare", { 'agentest.config.mjs': AGENTEST }],
  ])('compares the agents of %s by itself, unless one is named', async (_, settings) => {
    const files = { ...settings, 'refunds.scenario.json': scenarios(2) };
    const { stdout, code } = await compare(files, '--run', '--format', 'json');
    const report = reportSchema.parse(JSON.parse(stdout));
    expect(report.sessions.map(({ task, outcome }) => `${task?.agent} ${outcome.status}`).sort()).toEqual([
      'careful succeeded',
      'careful succeeded',
      'careless failed',
      'careless failed',
    ]);
    expect(report.agents).toMatchObject({ base: 'careful', others: [{ agent: 'careless' }] });
    expect(code).toBe(1);

    const one = await compare(files, '--run', '--agent', 'careful', '--format', 'json');
    const alone = reportSchema.parse(JSON.parse(one.stdout));
    expect(alone.sessions.map(({ task }) => task?.agent)).toEqual(['careful', 'careful']);
    expect(alone.agents).toBeUndefined();

    const list = await compare(files);
    expect(list.stdout.split('\n')[0]).toMatch(/refund 1 {2}1 turn · agents careful, careless · 1 attempt$/);
  });

  it('lets a scenario that names its agent try that one alone', async () => {
    const turns = [{ userMessage: 'Hello' }];
    const files = {
      'turnwise.config.mjs': configuration(['careful', 'careless']),
      'a.scenario.json': JSON.stringify([
        { name: 'own', agent: 'careless', turns },
        { name: 'any', turns },
      ]),
    };
    const { stdout } = await compare(files, '--run', '--format', 'json');
    const { sessions } = reportSchema.parse(JSON.parse(stdout));
    expect(sessions.map(({ task }) => `${task?.id}: ${task?.agent}`).sort()).toEqual([
      'any: careful',
      'any: careless',
      'own: careless',
    ]);
  });
});
