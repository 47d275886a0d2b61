import { describe, expect, test } from 'vitest';
import { listScenarios } from '../../../src/app/list-scenarios.ts';
import { findScenarioFiles } from '../../../src/app/scenario-files.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { REGISTRY } from '../../../src/config/registry.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NEVER = new AbortController().signal;

async function list(files: Record<string, string>, paths: readonly string[] = []) {
  await using folder = await temporaryFolder(files);
  const cwd = folder.path;
  const loaded = await loadConfiguration({ cwd, registry: REGISTRY, home: cwd });
  const { configuration } = loaded;
  if (!configuration) throw new Error(loaded.problems[0]?.message);
  const found = await findScenarioFiles(paths, loaded, cwd, NEVER);
  const { scenarios, problems } = await listScenarios(found.files, {
    cwd,
    configuration,
    env: process.env,
    log() {},
    signal: NEVER,
  });
  return {
    scenarios: scenarios.map(({ file, line, name, agent, attempts, turns, goal }) =>
      [`${file}:${line}`, name, agent, attempts, turns ?? goal].join(' | '),
    ),
    problems: [...found.problems, ...problems].map(
      ({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`,
    ),
  };
}

const CONFIGURATION = JSON.stringify({ simulation: { agent: { name: 'shop', endpoint: 'http://localhost:1' } } });

describe('listing scenarios', () => {
  test('names code, YAML and JSON with their lines, users, agents and attempts', async () => {
    const listed = await list({
      'turnwise.config.json': CONFIGURATION,
      'tests/refund.sim.ts': `import { scenario } from 'turnwise';

scenario('refund', { turns: [{ userMessage: 'a' }, { userMessage: 'b' }] });
for (const city of ['Bern', 'Rome']) scenario(\`weather in \${city}\`, { profile: 'a', goal: 'know the weather', conversationsPerScenario: 5 });
`,
      'tests/a.scenario.yaml': `
scenarios:
  - name: yaml one
    turns: [{ userMessage: Hello }]
    mocks:
      tools: { status: { sequence: [open, closed] } }
  - name: yaml two
    profile: A student
    goal: A discount
`,
      'b.scenario.json': '{\n  "name": "json", "turns": [{ "userMessage": "Hi" }] }',
      'node_modules/x/c.sim.ts': 'throw new Error();',
    });
    expect(listed.problems).toEqual([]);
    expect(listed.scenarios).toEqual([
      'tests/refund.sim.ts:3 | refund | shop | 1 | 2',
      'tests/refund.sim.ts:null | weather in Bern | shop | 5 | know the weather',
      'tests/refund.sim.ts:null | weather in Rome | shop | 5 | know the weather',
      'b.scenario.json:2 | json | shop | 1 | 1',
      'tests/a.scenario.yaml:3 | yaml one | shop | 1 | 1',
      'tests/a.scenario.yaml:7 | yaml two | shop | 3 | A discount',
    ]);
  });

  test('says what is wrong, where, and what to do', async () => {
    const listed = await list({
      'turnwise.config.json': CONFIGURATION,
      'a.sim.ts': `import { scenario } from 'turnwise';
scenario('one', {
  turns: [{ userMessage: 'a' }],
  agent: 'shp',
});
scenario('two', {
  turns: [{ userMessage: 'a' }],
  maxTurn: 3,
});
`,
      'b.sim.ts': "import { scenario } from 'turnwise';\nscenario('one', { turns: [{ userMessage: 'a' }] });\n",
      'c.scenario.yaml': 'name: three\ngoal: a\n',
      'd.scenario.yaml': 'name: four\nturns: [\n',
    });
    expect(listed.problems).toEqual([
      'warning a.sim.ts:8: "two": Unknown key "maxTurn" ignored. Did you mean "maxTurns"?',
      expect.stringMatching(
        /^error a.sim.ts:2: "one" tries the agent "shp", which the configuration does not have. Did you mean "shop"\?/,
      ),
      expect.stringMatching(/^error c.scenario.yaml:1: "three": "profile" is missing/),
      expect.stringMatching(/^error d.scenario.yaml:\d: This is not YAML/),
      'error b.sim.ts:2: "one" is also the name of a scenario in a.sim.ts:2. Give each its own name.',
    ]);
  });

  test('reads only what is named, and leaves out what the configuration excludes', async () => {
    const one = (name: string) => JSON.stringify({ name, turns: [{ userMessage: 'a' }] });
    const files = {
      'turnwise.config.json': JSON.stringify({
        scenarios: ['tests/**/*.scenario.json', '!tests/slow/**'],
        simulation: { agents: { a: { endpoint: 'http://localhost:1' } } },
      }),
      'tests/fast.scenario.json': one('fast'),
      'tests/slow/slow.scenario.json': one('slow'),
      'other.scenario.json': one('other'),
    };
    const names = async (...paths: string[]) =>
      (await list(files, paths)).scenarios.map((line) => line.split(' | ')[1]).sort();
    expect(await names()).toEqual(['fast']);
    expect(await names('tests')).toEqual(['fast', 'slow']);
    expect(await names('other.scenario.json')).toEqual(['other']);
    expect((await list(files, ['no*.json'])).problems).toEqual([expect.stringContaining('No file matches')]);
  });

  test('reads cases of an evaluation set as scripted scenarios', async () => {
    const set = {
      eval_set_id: 's',
      eval_cases: [
        {
          eval_id: 'roll',
          conversation: [
            {
              user_content: { parts: [{ text: 'Roll a die' }] },
              intermediate_data: { tool_uses: [{ name: 'roll', args: { sides: 6 } }] },
            },
          ],
        },
      ],
    };
    const files = { 'turnwise.config.json': CONFIGURATION, 'dice.evalset.json': JSON.stringify(set) };
    const listed = await list(files, ['dice.evalset.json']);
    expect(listed).toEqual({ scenarios: ['dice.evalset.json:1 | roll | shop | 1 | 1'], problems: [] });
  });
});
