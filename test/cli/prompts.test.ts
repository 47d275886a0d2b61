import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allFacts, previewExample } from '../../src/app/prompt-catalogue.ts';
import { run } from '../../src/cli/program.ts';
import { checkConfiguration } from '../../src/config/check.ts';
import { REGISTRY } from '../../src/config/registry.ts';
import type { Configuration } from '../../src/config/schema.ts';
import { parseJson } from '../../src/core/json.ts';
import { METRICS } from '../../src/metrics/index.ts';
import { userPrompt } from '../../src/scenarios/simulated-user.ts';
import { type CliResult, turnwise } from '../support/cli.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type StubRequest, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { agent, chat, user } from '../support/traces.ts';

/** Runs in this process, for tests that read no file. */
async function catalogue(...args: string[]): Promise<CliResult> {
  const host = fakeHost();
  return { code: await run(['prompts', ...args], host), ...host.written };
}

async function prompts(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  await using folder = await temporaryFolder({ '.git': '', ...files });
  const own = { TURNWISE_HOME: join(folder.path, 'home'), ...env };
  return await turnwise(['prompts', ...args], { cwd: folder.path, env: own });
}

function configured(): Configuration {
  const { configuration } = checkConfiguration({}, REGISTRY);
  if (!configuration) throw new Error('The defaults are wrong.');
  return configuration;
}

const { signal } = new AbortController();
const ASKING = METRICS.filter(({ usesJudge: judged }) => judged).map(({ name }) => name);

describe('turnwise prompts', () => {
  it('prints every question a metric can ask, with the fields of its answer', async () => {
    const { code, stdout } = await catalogue();
    expect(code).toBe(0);
    for (const name of ASKING) expect(stdout).toContain(`\n# ${name}\n`);
    const { questions: asks } = await previewExample(configured(), { env: {}, signal });
    const questions = new Set(asks.flatMap(({ question }) => [...allFacts(question), question]));
    expect(questions.size).toBeGreaterThan(ASKING.length);
    for (const { name, instructions } of questions) {
      expect(stdout).toContain(`\n## ${name}\n`);
      for (const line of instructions.split('\n')) expect(stdout).toContain(line);
    }
    expect(stdout).toMatch(/^ {2}score +a whole number, 1 to 5$/m);
    expect(stdout).toMatch(/^│ Its marker is <marker>$/m);
  });

  it('covers all of them, because rules decide nothing in the second turn of the example', async () => {
    const { questions: asks, calls, report } = await previewExample(configured(), { env: {}, signal });
    const scopes = new Map(METRICS.map(({ name, scope }) => [name, scope]));
    for (const name of ASKING) {
      const places = asks.filter(({ metric }) => metric === name).map(({ target: place }) => place);
      expect(places, name).toContain(scopes.get(name) === 'session' ? 'session' : 1);
    }
    // An invalid answer would be asked for again.
    expect(calls.filter(({ prompt }) => prompt.parts.at(-1)?.includes('did not fit'))).toEqual([]);
    // Placeholder quotations appear in no answer.
    expect(report.problems.filter(({ code }) => code !== 'judge-unanswered')).toEqual([]);
  });

  it.each([
    ['helpfulness', ['helpfulness'], []],
    ['task_completion', ['task_completion'], ['task']],
    ['error_deduplication', [null], []],
    ['support', ['resolution_rate', 'user_satisfaction_proxy'], []],
    ['failure_groups,task_completion', ['task_completion', null], ['task']],
  ])('prints only %s and its prerequisites', async (metric, askers, facts) => {
    const { code, stdout } = await catalogue('--metric', metric, '--format', 'json');
    expect(code).toBe(0);
    expect(parseJson(stdout)).toMatchObject({
      system: expect.stringContaining('# How to read the record'),
      askers: askers.map((name) => ({ metric: name && { name } })),
      facts: facts.map((name) => ({ name })),
    });
  });

  it('says if a metric asks no model, and which metrics ask instead', async () => {
    expect(await catalogue('--metric', 'loop_detection')).toEqual({
      code: 0,
      stdout: 'loop_detection has no questions for a judge.\n',
      stderr: '',
    });
    const { stdout } = await catalogue('--metric', 'agent_reliability', '--turn', 'a.json#1');
    expect(stdout).toMatch(/^agent_reliability has no questions for a judge\. It is derived from .*confidence/);
  });

  it.each([
    ['helpfullness', 'Did you mean "helpfulness"?'],
    ['eror_deduplication', 'Did you mean "error_deduplication"?'],
  ])('rejects %s', async (metric, sentence) => {
    expect(await catalogue('--metric', metric)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });
});

const ORDER = chat(
  user('Where is order A-1001?'),
  agent('Order A-1001 left the warehouse on 3 March.'),
  user('And A-1002?'),
  agent('Order A-1002 left the warehouse on 4 March.'),
);

/** The content of a request, as the command prints it. */
function sentIn({ messages, schema }: StubRequest): unknown {
  const [system, input] = messages;
  return { system: system?.content, user: input?.content, schema };
}

interface Printed {
  readonly judge: string | null;
  readonly questions: readonly string[];
  readonly system: string;
  readonly parts: readonly string[];
  readonly schema: unknown;
}

function printed({ stdout }: CliResult): Printed[] {
  return JSON.parse(stdout).calls;
}

describe('the prompt of the simulated user', () => {
  it('is printed with all others, or alone, with the places of what the scenario says', async () => {
    expect((await catalogue()).stdout).toContain('\n# simulated_user\n');
    const { stdout, code } = await catalogue('--metric', 'simulated_user');
    expect(stdout).toMatch(/^# simulated_user\n/);
    expect(stdout).toContain('│ Who you are: {{profile}}\n│ What you want: {{goal}}\n');
    expect(stdout).toContain('│ The conversation begins. Say what you want.\n');
    expect(stdout).toContain('  shouldStop  true | false: Whether the conversation is over');
    expect(stdout).not.toContain('# System prompt');
    expect(code).toBe(0);
    expect((await catalogue('--metric', 'helpfulness')).stdout).not.toContain('simulated_user');
  });

  it('is what a run sends', async () => {
    const { simulatedUser } = JSON.parse((await catalogue('--metric', 'simulated_user', '--format', 'json')).stdout);
    const scenario = { profile: 'Ada', goal: 'a refund', knowledge: [{ content: 'the order is A-1' }] };
    const sent = userPrompt(scenario, [{ userMessage: 'Hi', agentMessage: 'Hello' }]).prompt;
    const filled = (text: string) =>
      text.replace('{{profile}}', 'Ada').replace('{{goal}}', 'a refund').replace('{{knowledge}}', 'the order is A-1');
    expect(filled(simulatedUser.system)).toBe(sent.system);
    expect(simulatedUser.next.at(-1)).toBe(sent.parts.at(-1));
  });
});

describe('turnwise prompts --turn', () => {
  it.each([[[]], [['--questions-per-call', '3']], [['--questions-per-call', '1']]])(
    'prints the exact prompts a run sends about the turn: %j',
    async (packing) => {
      await using stub = await startStubModels();
      const judge = { provider: 'openai', model: 'judge-1', baseUrl: stub.openai };
      await using folder = await temporaryFolder({
        '.git': '',
        'a.json': ORDER,
        'turnwise.config.json': JSON.stringify({ judge }),
      });
      const env = { TURNWISE_HOME: join(folder.path, 'home') };
      const result = await turnwise(['prompts', '--turn', 'a.json#/2', '--format', 'json', ...packing], {
        cwd: folder.path,
        env,
      });
      expect(stub.requests).toEqual([]);
      await turnwise(['eval', 'a.json', ...packing], { cwd: folder.path, env });
      const calls = printed(result);
      const texts = calls.map(({ system, parts, schema }) => ({ system, user: parts.join('\n\n'), schema }));
      // Questions that depend on other answers, and repeated questions, cannot be known in advance.
      const sent = stub.requests
        .filter(({ prompt }) => / about turn 2\.$/m.test(prompt) && !/Facts that are known|did not fit/.test(prompt))
        .map(sentIn);
      expect(sent.length).toBeGreaterThan(0);
      for (const item of sent) expect(texts).toContainEqual(item);
      for (const text of texts) if (!text.user.includes('Facts that are known')) expect(sent).toContainEqual(text);
      expect(new Set(calls.map(({ judge }) => judge))).toEqual(new Set(['openai/judge-1']));
      expect(calls.flatMap(({ questions }) => questions)).toContain('helpfulness');
    },
  );

  it('finds a turn by its number and prints the call verbatim', async () => {
    const { code, stdout } = await prompts(['--turn', 'a.json#2', '--metric', 'helpfulness'], { 'a.json': ORDER });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a\.json, turn 2 of 2 \(\/2\): 1 call, about [\d,]+ tokens\./);
    expect(stdout).toContain('No judge is configured');
    expect(stdout).toMatch(
      /^│ [0-9a-f]{16} \[t2\.answer\] the answer\n│ Order A-1002 left the warehouse on 4 March\.$/m,
    );
    expect(stdout).toMatch(/^│ {3}"helpfulness": \{$/m);
    expect(stdout).not.toContain('task_completion');
  });

  it('shows the prompts of session metrics if they are selected', async () => {
    const files = { 'a.json': ORDER, 'a.turnwise.json': '{ "goal": "Know where both orders are." }' };
    const all = await prompts(['--turn', 'a.json#1'], files);
    expect(all.stdout).toMatch(/Questions about the whole session: [^:]*goal_completion[^:]*\.\sSee\s--metric/);
    const { stdout } = await prompts(['--turn', 'a.json#1', '--metric', 'goal_completion'], files);
    expect(stdout).toContain('Answer the question at the top about the session as a whole.');
    expect(stdout).toContain('Know where both orders are.');
  });

  it('says why nothing is asked', async () => {
    const { code, stdout } = await prompts(['--turn', 'a.json#1', '--metric', 'goal_completion'], { 'a.json': ORDER });
    expect(code).toBe(0);
    expect(stdout).toMatch(/0 calls/);
    expect(stdout).toMatch(/^ {2}goal_completion: The session has no goal/m);
  });

  it('uses rubrics and models from the configuration, which share no call with other questions', async () => {
    const rubrics = [{ id: 'warehouse', text: 'The answer names the warehouse.' }];
    const metrics = { rubric_based_final_response_quality_v1: { rubrics, judge: 'ollama:qwen3' } };
    const config = JSON.stringify({ judge: { provider: 'openai', model: 'judge-1' }, metrics });
    const files = { 'a.json': ORDER, 'turnwise.config.json': config };
    const calls = printed(await prompts(['--turn', 'a.json#1', '--format', 'json'], files));
    expect(calls.map(({ judge }) => judge).toSorted()).toEqual(['ollama/qwen3', 'openai/judge-1']);
    const own = calls.find(({ judge }) => judge === 'ollama/qwen3');
    expect(own?.questions).toEqual(['rubric_based_final_response_quality_v1']);
    expect(own?.parts[0]).toContain('The answer names the warehouse.');
  });

  it('says that a run may ask about the turn together with the one beside it, where the configuration has that', async () => {
    const sentence = 'A run asks about two turns in one call where they fit (judge.turnsPerCall).';
    const files = { 'a.json': ORDER, 'turnwise.config.json': '{"judge": {"turnsPerCall": 2}}' };
    expect((await prompts(['--turn', 'a.json#1'], files)).stdout).toContain(sentence);
    expect((await prompts(['--turn', 'a.json#1'], { 'a.json': ORDER })).stdout).not.toContain(sentence);
  });

  it('knows the custom metrics of a configuration', async () => {
    const rubric = 'The answer names the warehouse that the parcel left.\u001b[2J';
    const custom = [{ name: 'names_warehouse', rubric }];
    const files = { 'a.json': ORDER, 'turnwise.config.json': JSON.stringify({ custom }) };
    const all = await prompts(['--metric', 'names_warehouse'], files);
    expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('\n# names_warehouse\n') });
    expect(all.stdout).toContain('The answer names the warehouse that the parcel left.\\u{1b}[2J');
    const { stdout } = await prompts(['--turn', 'a.json#1', '--metric', 'names_warehouse'], files);
    expect(stdout).toContain('# Call 1 of 1: asks custom_names_warehouse;');
  });

  it('redacts secrets and escapes trace texts that imitate the output or contain control sequences', async () => {
    const key = 'AKIAQ3EGRAA7ZBCDQRST';
    const hostile = `\u001b[2J\u202eevil\u0007\r\n# Call 1 of 9: nothing to see\n${key}`;
    const files = { 'a.json': chat(user(hostile), agent('No.')) };
    const { stdout } = await prompts(['--turn', 'a.json#1', '--metric', 'helpfulness'], files);
    expect(stdout).toContain('(redacted: ');
    expect(stdout).not.toContain(key);
    expect(stdout).toContain('\\u{1b}[2J\\u{202e}evil');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: checks that they are absent
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout.match(/^# Call .*$/gm)).toEqual([expect.stringContaining('# Call 1 of 1: asks helpfulness')]);
  });

  it.each([
    ['a.json', 'Write FILE#POINTER or FILE#NUMBER'],
    ['a.json#/1', 'has no turn at "/1". Its turns:\n  a.json#/0  turn 1 of a: Where is order A-1001?\n  a.json#/2 '],
    ['a.json#3', 'has no turn 3. Its turns:'],
    ['a.json#', 'has no turn at "". Its turns:'],
    ['two.jsonl#1', 'has 2 sessions, so a number does not identify a turn. Its turns:\n  two.jsonl#/0'],
    ['nowhere.json#1', 'No such file or folder: "nowhere.json".'],
    ['package.json#1', 'package.json'],
  ])('rejects the ambiguous turn %s', async (turn, sentence) => {
    const session = (id: string) => JSON.stringify({ id, turns: [{ input: 'Hi', output: 'Hello' }] });
    const files = {
      'a.json': ORDER,
      'two.jsonl': `${session('x')}\n${session('y')}\n`,
      'package.json': '{"name": "x"}',
    };
    const { code, stdout, stderr } = await prompts(['--turn', turn], files);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  it('finds files whose names contain the separator', async () => {
    const { stdout } = await prompts(['--turn', 'run#1.json#1', '--metric', 'helpfulness'], { 'run#1.json': ORDER });
    expect(stdout).toMatch(/^run#1\.json, turn 1 of 2/);
  });
});
