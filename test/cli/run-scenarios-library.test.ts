import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { startSampleAgent } from '../support/sample-agent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SAMPLE = join(ROOT, 'samples', 'agent', 'refund.sim.ts');

/** Tests as a user writes them, in `node:test`. */
const tests = (specifier: string, endpoint: string) => `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QuantitativeMetric, runScenarios } from '${specifier}';

class Brief extends QuantitativeMetric {
  name = 'brief';
  scale = 'unit';
  async score({ agentMessage }) {
    return { value: agentMessage.length < 200 ? 1 : 0, reason: 'counted' };
  }
}

const agents = {
  shop: { endpoint: '${endpoint}' },
  hasty: { endpoint: '${endpoint}', body: { fault: 'skip-confirmation' } },
};
const configuration = { simulation: { agent: 'shop', agents }, custom: [new Brief()], metrics: ['brief'] };

test('the shop passes, and its attempts have a metric of our own', async () => {
  const report = await runScenarios(['refund.sim.ts'], { configuration });
  assert.equal(report.verdict, 'passed');
  assert.equal(report.sessions.length, 2);
  assert.equal(report.sessions[0].turns[0].metrics.brief.score, 1);
});

test('an agent with a mistake fails', async () => {
  const report = await runScenarios(['refund.sim.ts'], { configuration, agent: 'hasty', filter: 'delivered', attempts: 2 });
  assert.equal(report.verdict, 'failed');
  assert.equal(report.sessions.length, 2);
});

test('the agent can be a function of the test, which calls the mocks of the scenario', async () => {
  const asked = [];
  const handler = async (messages, { resolveTool, turnIndex, conversationId, scenarioName }) => {
    asked.push([turnIndex, conversationId, scenarioName]);
    if (turnIndex === 1) throw new Error('the line is dead');
    const order = await resolveTool('get_order', { order_id: 'A-1001' });
    return { role: 'assistant', content: 'It costs ' + order.total + '. Shall I refund it?' };
  };
  const report = await runScenarios(['refund.sim.ts'], {
    configuration: { simulation: { agent: { type: 'custom', handler } } },
    filter: 'delivered',
  });
  assert.deepEqual(asked, [
    [0, 'refund a delivered order #1', 'refund a delivered order'],
    [1, 'refund a delivered order #1', 'refund a delivered order'],
  ]);
  assert.equal(report.verdict, 'undecided');
  assert.match(report.problems[0].message, /The handler of the agent "agent" threw an error: the line is dead/);
});

test('a scenario that is wrong, or none, is an error with its line', async () => {
  await assert.rejects(runScenarios(['wrong.sim.ts'], { configuration }), /wrong\\.sim\\.ts:2: "blank": turns\\[0\\]\\.userMessage is blank/);
  await assert.rejects(runScenarios(['refund.sim.ts'], { configuration, filter: 'nothing' }), /No scenario has "nothing" in its name/);
});
`;

const FILES = {
  'package.json': '{ "type": "module" }',
  'wrong.sim.ts': "import { scenario } from 'turnwise';\nscenario('blank', { turns: [{ userMessage: ' ' }] });\n",
};

async function runNode(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...childEnvironment(cwd), TURNWISE_HOME: join(cwd, 'home') },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, output: stdout + stderr };
}

describe('runScenarios in a test', () => {
  it('runs scenarios of the project, and reports as the command line does', async () => {
    await using agent = await startSampleAgent();
    const test = tests(join(ROOT, 'src', 'index.ts'), agent.endpoint);
    await using folder = await temporaryFolder({
      ...FILES,
      'shop.test.mjs': test,
      'refund.sim.ts': await readFile(SAMPLE, 'utf8'),
    });
    const { code, output } = await runNode(['--test', 'shop.test.mjs'], folder.path);
    expect(output).toMatch(/pass 4\n/);
    expect(code).toBe(0);
  });
});

const TYPES = `
import { test } from 'node:test';
import {
  ConversationMetric,
  type ConversationInput,
  defineConfig,
  QualitativeMetric,
  QuantitativeMetric,
  runScenarios,
  scenario,
  type ScoreInput,
  sequence,
} from 'turnwise';
import * as z from 'zod';

class Tone extends QuantitativeMetric {
  readonly name = 'tone';
  async score({ goal, history, toolCalls }: ScoreInput) {
    const schema = z.object({ score: z.number() });
    const { object } = await this.llm.generateObject({ schema, system: goal, messages: [{ role: 'user', content: 'x' }] });
    return { value: object.score + history.length + toolCalls.length, reason: 'rated' };
  }
}
class Voice extends QualitativeMetric {
  readonly name = 'voice';
  async evaluate({ agentMessage }: ScoreInput) {
    const { text } = await this.llm.generateText({ messages: [{ role: 'user', content: agentMessage }] });
    return { value: text };
  }
}
class Turns extends ConversationMetric {
  readonly name = 'turns';
  async score({ turns }: ConversationInput) {
    return { value: turns.length };
  }
}
// @ts-expect-error a score is a number
class Wrong extends QuantitativeMetric { readonly name = 'wrong'; async score() { return { value: 'high' }; } }

export default defineConfig({
  custom: [new Tone(), new Voice(), new Turns(), { name: 'short', evaluate: (turn, { index }) => (turn.output ?? '').length + index }],
  simulation: {
    agent: { type: 'custom', handler: async (messages, { resolveTool }) => ({ role: 'assistant', content: String(await resolveTool('a')) }) },
  },
});
scenario('typed', {
  turns: [{ userMessage: 'Hello', assertions: { toolCalls: { matchMode: 'within', expected: [{ name: 'a' }] } } }],
  mocks: { tools: { a: sequence([1, 2]), b: ({ id }: { id: string }, { callIndex }) => id + callIndex } },
});
// @ts-expect-error there is no such mode
scenario('wrong', { turns: [{ userMessage: 'Hello', assertions: { toolCalls: { matchMode: 'loose', expected: [] } } }] });

test('types', async () => {
  const { verdict } = await runScenarios(['a.sim.ts'], { attempts: 2, configuration: { metrics: ['tone'] } });
  const text: 'passed' | 'failed' | 'undecided' = verdict;
  return void text;
});
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
  },
  files: ['types.ts'],
});

/** Needs a build: `npm run build && npm run types`. */
describe.skipIf(!existsSync(join(ROOT, 'dist', 'types')))('the packed package (requires a build with types)', () => {
  it('is tested as it is installed: its scenarios, its metrics and its types', async () => {
    await using agent = await startSampleAgent();
    await using folder = await temporaryFolder({
      ...FILES,
      'shop.test.mjs': tests('turnwise', agent.endpoint),
      'refund.sim.ts': await readFile(SAMPLE, 'utf8'),
      'types.ts': TYPES,
      'tsconfig.json': TSCONFIG,
      'agentest.config.ts': `
        import { QuantitativeMetric } from 'turnwise';
        class Brief extends QuantitativeMetric {
          name = 'brief';
          async score({ agentMessage }) { return { value: agentMessage.length < 200 ? 5 : 1 }; }
        }
        export default { agent: { name: 'shop', endpoint: '${agent.endpoint}' }, metrics: [], customMetrics: [new Brief()] };`,
    });
    const modules = join(folder.path, 'node_modules');
    await mkdir(join(modules, '@types'), { recursive: true });
    await mkdir(join(modules, 'turnwise'));
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder.path], { cwd: ROOT, stdio: 'pipe' });
    const packed = (await readdir(folder.path)).find((name) => name.endsWith('.tgz')) ?? '';
    execFileSync('tar', ['-xzf', packed, '-C', join('node_modules', 'turnwise'), '--strip-components=1'], {
      cwd: folder.path,
    });
    for (const name of ['zod', '@types/node', 'undici-types']) {
      const target = join(ROOT, 'node_modules', name);
      if (existsSync(target)) await symlink(target, join(modules, name), 'junction');
    }
    await writeFile(
      join(folder.path, 'run.mjs'),
      "import { runScenarios } from 'turnwise';\nconst { verdict, sessions } = await runScenarios();\nconsole.log(verdict, sessions[0].turns[0].metrics.brief.score);\n",
    );

    const tested = await runNode(['--test', 'shop.test.mjs'], folder.path);
    expect(tested.output).toMatch(/pass 4\n/);
    // A metric of the installed package, in a configuration that the loader runs; wrong.sim.ts is out of the way.
    await writeFile(join(folder.path, 'wrong.sim.ts'), '');
    expect((await runNode(['run.mjs'], folder.path)).output).toBe('passed 5\n');
    const checked = await runNode([join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], folder.path);
    expect(checked.output).toBe('');
  });
});
