import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, isObject } from '../../src/core/json.ts';
import { turnwise } from '../support/cli.ts';
import { minimalValue } from '../support/minimal-value.ts';
import { startSampleAgent } from '../support/sample-agent.ts';
import { pinShownIds } from '../support/shown-ids.ts';
import { answer, type StubModels, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

/** Written by Agentest. */
const SAMPLE = join(FIXTURES, 'sdk-generated', 'agentest_results.json');

interface AgentestResults {
  readonly summary: { readonly passed: boolean; readonly totalScenarios: number; readonly failedScenarios: number };
  readonly scenarios: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly conversations: readonly {
      readonly turns: readonly {
        readonly userMessage: string;
        readonly agentMessage: string;
        readonly toolCalls: readonly { readonly name: string; readonly args: unknown; readonly result: unknown }[];
      }[];
      readonly evaluation: {
        readonly turnEvaluations: readonly { readonly metrics: Record<string, { value: unknown }> }[];
      };
    }[];
  }[];
}

/** A project of Agentest's, with its files as they are but for the name of the package. */
async function agentestProject(specifier: '@agentesting/agentest' | 'agentest') {
  const folder = await temporaryFolder();
  await cp(join(FIXTURES, 'agentest'), folder.path, { recursive: true });
  for (const name of await readdir(folder.path, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const path = join(folder.path, name);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll("'@agentesting/agentest'", `'${specifier}'`));
  }
  return folder;
}

/** A model that plays the customer, and judges by the first answer that its schema allows: each goal is completed. */
function startModels(): Promise<StubModels> {
  return startStubModels(({ prompt, schema, messages }) => {
    const properties = schema?.properties;
    if (get(properties, 'shouldStop') !== undefined) {
      const isFirst = messages.at(-1)?.content.includes('The conversation begins') === true;
      return answer({ message: isFirst ? 'Please refund order A-1001.' : 'Yes, please.', shouldStop: false });
    }
    const least = minimalValue(pinShownIds(schema ?? {}, prompt));
    const goal = get(least, 'goal_completion');
    return isObject(least) && isObject(goal) ? answer({ ...least, goal_completion: { ...goal, score: 1 } }) : undefined;
  });
}

function environment(endpoint: string, model: string, home: string): Record<string, string> {
  return { SHOP_URL: endpoint, SHOP_KEY: 'k-1', MODEL_URL: model, MODEL_KEY: 'm-1', TURNWISE_HOME: home };
}

/** The paths of all keys, without what a user's data has under them. */
function keyPaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => keyPaths(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    `${path}.${key}`,
    ...(['args', 'result', 'metrics'].includes(key) ? [] : keyPaths(item, `${path}.${key}`)),
  ]);
}

/** Of what the sample has none: expectations of a turn, judged goals, groups of failures. */
const EXTRA_PATHS = [
  'matched',
  'failureLabel',
  'reason',
  'missingCalls',
  'extraCalls',
  'orderingIssues',
  'forbiddenCalls',
  'turnIndex',
]
  .map((key) => `.scenarios[].conversations[].perTurnTrajectory[].${key}`)
  .concat(['value', 'reason'].map((key) => `.scenarios[].conversations[].evaluation.goalCompletion.${key}`))
  .concat(['label', 'severity', 'explanation', 'occurrences'].map((key) => `.scenarios[].errors[].${key}`));

describe("a project in Agentest's manner", () => {
  it.each(['@agentesting/agentest', 'agentest'] as const)('runs unchanged, and imports %s', async (specifier) => {
    await using agent = await startSampleAgent();
    await using models = await startModels();
    await using folder = await agentestProject(specifier);
    const env = environment(agent.endpoint, models.openai, join(folder.path, 'home'));
    const { code, stdout, stderr } = await turnwise(
      ['scenarios', '--run', '--format', 'agentest', '--with-transcripts'],
      { cwd: folder.path, env },
    );
    expect(stderr).not.toMatch(/did not finish|could not be loaded|Unknown/);
    const results: AgentestResults = JSON.parse(stdout);
    // The names of scenarios say what must come of them.
    expect(results.scenarios.map(({ name, passed }) => `${name}: ${passed}`)).toEqual(
      results.scenarios.map(({ name }) => `${name}: ${name.endsWith('passes')}`),
    );
    const failed = results.scenarios.filter(({ name }) => name.endsWith('fails')).length;
    expect(results.summary).toMatchObject({ passed: false, totalScenarios: 26, failedScenarios: failed });
    expect(code).toBe(1);

    const named = (name: string) =>
      results.scenarios.find((scenario) => scenario.name === `${name}, passes`)?.conversations;
    const refund = named('a customer gets a refund');
    expect(refund?.map(({ turns }) => turns.map(({ agentMessage }) => agentMessage))).toEqual(
      Array(2).fill(['Order A-1001 costs $42.5. Shall I refund it?', 'Your refund of $42.5 was issued.']),
    );
    expect(refund?.[0]?.evaluation.turnEvaluations[0]?.metrics.helpfulness?.value).toBe(1);
    const prompt = models.requests.find((request) => request.prompt.includes('Play this customer'))?.prompt;
    expect(prompt).toContain('Ada, who is short of time.\nThey want: Order A-1001 is refunded.');
    expect(prompt).toContain('- The order is A-1001.\n- It came broken.');
    expect(named('the state of an order changes')?.[0]?.turns.map(({ agentMessage }) => agentMessage)).toEqual([
      'Order A-1001 is packed.',
      'Order A-1001 is on its way.',
      'Order A-1001 is on its way.',
    ]);
    expect(named('a tool that fails')?.[0]?.turns[0]?.toolCalls[0]?.result).toEqual({
      error: 'The warehouse is closed.',
    });
    expect(named('a handler is an agent')?.[0]?.turns[0]?.agentMessage).toBe('Turn 0: order A-1001 is delivered.');

    const written = keyPaths(JSON.parse(await readFile(SAMPLE, 'utf8')));
    expect(new Set(keyPaths(results))).toEqual(new Set([...written, ...EXTRA_PATHS]));

    // The reporter "json" of the configuration.
    expect(JSON.parse(await readFile(join(folder.path, '.agentest', 'results.json'), 'utf8'))).toMatchObject({
      summary: { totalScenarios: 26 },
    });
    const again = await turnwise(['report', 'last', '--to', 'agentest'], { cwd: folder.path, env });
    expect(again).toMatchObject({ code: 0, stdout });
  });

  it('compares the agents of its configuration', async () => {
    await using agent = await startSampleAgent();
    await using models = await startModels();
    await using folder = await agentestProject('agentest');
    const env = { ...environment(agent.endpoint, models.openai, join(folder.path, 'home')), COMPARE: 'yes' };
    const args = ['scenarios', '--run', '--filter', 'strict: in order', '--format', 'json', '--record', 'none'];
    const { stdout } = await turnwise(args, { cwd: folder.path, env });
    const results = JSON.parse(await readFile(join(folder.path, '.agentest', 'results.json'), 'utf8'));
    expect(results).toMatchObject({
      mode: 'comparison',
      agents: ['shop', 'hasty'],
      summary: {
        passed: false,
        perAgent: {
          shop: { passed: true, passedScenarios: 1, failedScenarios: 0 },
          hasty: { passed: false, passedScenarios: 0, failedScenarios: 1 },
        },
      },
      scenarios: [
        {
          agents: [
            { agent: 'shop', passed: true, conversations: [{ error: null }] },
            { agent: 'hasty', passed: false, conversations: [{ error: null }] },
          ],
        },
      ],
    });
    const report = JSON.parse(stdout);
    expect(report.agents).toMatchObject({ base: 'shop', others: [{ agent: 'hasty' }] });
    expect(report.sessions.map((session: { readonly id: string }) => session.id).sort()).toEqual([
      expect.stringMatching(/ \(hasty\) #1$/),
      expect.stringMatching(/ \(shop\) #1$/),
    ]);
  });

  it('has a configuration in YAML, which is found after one in TypeScript', async () => {
    await using agent = await startSampleAgent();
    await using folder = await agentestProject('agentest');
    const yaml = `
agents:
  shop: { endpoint: ${agent.endpoint}, headers: { authorization: 'Bearer $\{SHOP_KEY}' } }
agent: shop
include: [modes.sim.ts]
thresholds: { loop_detection: 0.9 }
unmockedTools: error
retires: 1
`;
    await writeFile(join(folder.path, 'agentest.config.yaml'), yaml);
    const env = environment(agent.endpoint, 'http://127.0.0.1:9', join(folder.path, 'home'));
    const list = () => turnwise(['scenarios'], { cwd: folder.path, env });
    expect((await list()).stderr).toContain(
      'agentest.config.yaml: warning: This configuration is ignored, because agentest.config.ts is beside it.',
    );
    await rm(join(folder.path, 'agentest.config.ts'));
    const { stdout, stderr, code } = await list();
    expect(stderr).toBe('agentest.config.yaml:8:1: warning: Unknown key "retires" ignored. Did you mean "retries"?\n');
    expect(stdout.trimEnd().split('\n')).toHaveLength(21);
    expect(stdout).not.toContain('support.sim.ts');
    expect(code).toBe(0);
    const run = await turnwise(['scenarios', '--run', '--filter', 'strict: in order', '--format', 'agentest'], {
      cwd: folder.path,
      env,
    });
    expect(JSON.parse(run.stdout)).toMatchObject({ summary: { passed: true, totalScenarios: 1 } });
  });

  it('is warned of unknown keys, each with its line', async () => {
    await using folder = await agentestProject('agentest');
    const env = environment('http://127.0.0.1:9', 'http://127.0.0.1:9', join(folder.path, 'home'));
    const { stderr, code } = await turnwise(['scenarios', 'unknown/keys.sim.ts'], { cwd: folder.path, env });
    expect(stderr.trimEnd().split('\n')).toEqual([
      'unknown/keys.sim.ts:7: warning: "has keys that nobody knows": Unknown key "mood" in turns[0] ignored.',
      'unknown/keys.sim.ts:10: warning: "has keys that nobody knows": Unknown key "maxTurn" ignored. Did you mean "maxTurns"?',
    ]);
    expect(code).toBe(0);
  });
});
