import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const handler = "handler: () => ({ role: 'assistant', content: 'It is done.' })";

async function run(settings: string, scenarios: string, ...args: string[]) {
  await using folder = await temporaryFolder({
    'turnwise.config.mjs': `export default { simulation: { agent: { type: 'custom', ${handler} } }, ${settings} };`,
    'all.scenario.yaml': scenarios,
  });
  const env = { TURNWISE_HOME: join(folder.path, 'home') };
  return await turnwise(['scenarios', 'all.scenario.yaml', ...args], { cwd: folder.path, env });
}

async function reportOf(settings: string, scenarios: string): Promise<Report> {
  const { stdout, stderr } = await run(settings, scenarios, '--run', '--format', 'json');
  if (stdout === '') throw new Error(stderr);
  return reportSchema.parse(JSON.parse(stdout));
}

const TURNS = 'turns: [{ userMessage: hello }]';

/** The metrics of each session and its turns, without those that only others use. */
function metricsOf({ sessions }: Report): Record<string, string[]> {
  return Object.fromEntries(
    sessions.map(({ task, metrics, turns }) => {
      const all = Object.entries({ ...metrics, ...turns[0]?.metrics });
      return [task?.id ?? '', all.flatMap(([name, { implied }]) => (implied ? [] : [name])).sort()];
    }),
  );
}

const EXPECTATIONS = ['session_expectations', 'turn_expectations'];

describe('metrics of a scenario', () => {
  it('restrict those of the configuration as a list, and keep their settings', async () => {
    const report = await reportOf(
      'metrics: { tool_call_count: { threshold: 7 }, loop_detection: { enabled: true } }',
      `scenarios:
  - { name: own, ${TURNS}, metrics: [tool_call_count] }
  - { name: other, ${TURNS}, metrics: [loop_detection] }
  - { name: gated, ${TURNS}, metrics: [loop_detection], thresholds: { tool_call_count: 5 } }`,
    );
    expect(metricsOf(report)).toEqual({
      own: [...EXPECTATIONS, 'tool_call_count'].sort(),
      other: [...EXPECTATIONS, 'loop_detection'].sort(),
      gated: [...EXPECTATIONS, 'loop_detection', 'tool_call_count'].sort(),
    });
    const [own] = report.sessions;
    expect({ ...own?.metrics, ...own?.turns[0]?.metrics }.tool_call_count).toMatchObject({ threshold: 7 });
  });

  it('configure them as an object: what runs, and from which score a result passes', async () => {
    const report = await reportOf(
      "metrics: ['tool_call_count']",
      `scenarios:
  - { name: more, ${TURNS}, metrics: { loop_detection: { enabled: true, threshold: 95% } } }
  - { name: less, ${TURNS}, metrics: { tool_call_count: { enabled: false } } }
  - { name: strict, ${TURNS}, metrics: { tool_call_count: { threshold: 3 } } }
  - { name: plain, ${TURNS} }`,
    );
    expect(metricsOf(report)).toEqual({
      more: [...EXPECTATIONS, 'loop_detection', 'tool_call_count'].sort(),
      less: EXPECTATIONS,
      strict: [...EXPECTATIONS, 'tool_call_count'].sort(),
      plain: [...EXPECTATIONS, 'tool_call_count'].sort(),
    });
    const turns = new Map(report.sessions.map(({ task, turns: [first] }) => [task?.id, first?.metrics]));
    expect(turns.get('more')?.loop_detection?.threshold).toBe(0.95);
    expect(turns.get('strict')?.tool_call_count?.threshold).toBe(3);
    expect(turns.get('plain')?.tool_call_count?.threshold).toBeNull();
    expect(report.metrics.tool_call_count).toMatchObject({ metadata: { n: 3 } });
  });

  it('count in code as in data, and in the terminal', async () => {
    await using folder = await temporaryFolder({
      'turnwise.config.mjs': `export default { simulation: { agent: { type: 'custom', ${handler} } } };`,
      'own.sim.ts': `import { scenario } from 'turnwise';
scenario('own', { turns: [{ userMessage: 'a' }], metrics: ['tool_call_count'], thresholds: { tool_call_count: 0 } });`,
    });
    const env = { TURNWISE_HOME: join(folder.path, 'home') };
    const { stdout } = await turnwise(['scenarios', '--run'], { cwd: folder.path, env });
    expect(stdout).toContain('tool_call_count');
    expect(stdout).not.toContain('loop_detection');
  });

  it.each([
    ['metrics: [helpfullness]', 3, 'Unknown metric "helpfullness". Did you mean "helpfulness"?'],
    ['metrics: { relevence: { enabled: true } }', 3, 'Unknown metric "relevence". Did you mean "relevance"?'],
    ['metrics: { helpfulness: { threshold: 9 } }', 3, 'metrics.helpfulness.threshold is 9, but the scale'],
    ['metrics: { agentic: { enabled: true } }', 3, 'The metric agentic needs k'],
    ['metrics: [attempt_agreements]', 3, 'Unknown metric "attempt_agreements".'],
    ['thresholds: { coherrence: 1 }', 3, 'Unknown metric "coherrence". Did you mean "coherence"?'],
    ['thresholds: { helpfulness: 90% }', 3, 'the scale of helpfulness is 1 to 5: write a number on it.'],
    ['metrics: 5', 3, 'metrics is 5; it must be a list, or an object.'],
  ])('are refused before an attempt is made: %s', async (line, at, message) => {
    const { code, stderr } = await run('', `name: own\n${TURNS}\n${line}\n`, '--run');
    expect(stderr).toContain(`all.scenario.yaml:${at}`);
    expect(stderr).toContain('"own": ');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('Sessions of the attempts');
    expect(code).toBe(2);
    const listed = await run('', `name: own\n${TURNS}\n${line}\n`);
    expect(listed.stderr).toContain(message);
    expect(listed.code).toBe(2);
  });

  it('may be your own, and their other options are ignored with a warning', async () => {
    const { code, stderr } = await run(
      "custom: [{ name: 'tone', scope: 'turn', scale: 'unit', evaluate: () => 1 }]",
      `name: own\n${TURNS}\nmetrics: { tone: { enabled: true, k: 3 } }\n`,
      '--run',
    );
    expect(stderr).toContain('all.scenario.yaml:3: warning: "own": Unknown key "k" in metrics.tone ignored.');
    expect(code).toBe(0);
  });

  it('do not run a metric whose own judge nobody was asked about', async () => {
    const { code, stderr } = await run(
      "metrics: { relevance: { enabled: false, judge: 'ollama:other' } }",
      `name: own\n${TURNS}\nthresholds: { relevance: 3 }\n`,
      '--run',
    );
    expect(stderr).toContain(
      'relevance has a judge of its own in the configuration, which does not run it. Set "enabled": true there.',
    );
    expect(code).toBe(2);
  });
});
