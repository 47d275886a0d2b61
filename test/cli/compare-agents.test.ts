import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Agents that are functions: one calls the tool that is expected, the other says that it did. */
const CONFIGURATION = `
  const done = { role: 'assistant', content: 'It is done.' };
  const careful = async (messages, { resolveTool }) => {
    await resolveTool('refund', {});
    return done;
  };
  export default {
    simulation: {
      agents: {
        careful: { type: 'custom', handler: careful },
        careless: { type: 'custom', handler: () => done },
      },
    },
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

async function compare(count: number, ...args: string[]) {
  await using folder = await temporaryFolder({
    'turnwise.config.mjs': CONFIGURATION,
    'refunds.scenario.json': scenarios(count),
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  const agents = ['--agent', 'careful', '--agent', 'careless'];
  return await turnwise(['scenarios', '--run', ...agents, ...args], { cwd: folder.path, env });
}

describe('turnwise scenarios --run with several agents', () => {
  it('runs the same scenarios against each of them, and compares them in one report', async () => {
    const { code, stdout } = await compare(8, '--format', 'json');
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
    const clear = await compare(8);
    expect(clear.stdout).toContain('careless against careful');
    expect(clear.stdout).toContain('correct: worse (-100 points, 95%: -100 to -100 points)');
    const few = await compare(3, '--record', 'none');
    expect(few.stdout).toContain('correct: cannot tell (-100 points');
  });
});
