import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../src/core/schemas/report.ts';
import { turnwise } from '../support/cli.ts';
import { startSampleAgent } from '../support/sample-agent.ts';
import { answer, startStubModels } from '../support/stub-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function scenarios(files: Readonly<Record<string, object>>, ...args: string[]) {
  await using folder = await temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])),
  );
  const env = { TURNWISE_HOME: join(folder.path, 'home'), OPENAI_API_KEY: 'sk-test' };
  return await turnwise(['scenarios', ...args], { cwd: folder.path, env });
}

const part = (text: string) => ({ parts: [{ text }] });

function evalSet(...cases: readonly object[]) {
  return { eval_set_id: 'shop', eval_cases: cases };
}

function caseOf(id: string, question: string, args: object = { order_id: 'A-1' }) {
  const intermediate_data = { tool_uses: [{ name: 'get_order', args }] };
  return { eval_id: id, conversation: [{ user_content: part(question), intermediate_data }] };
}

/** As the session services of the Agent Development Kit write it. */
function session(id: string, question: string) {
  const event = (author: string, parts: object[]) => ({ author, invocation_id: 'i1', content: { parts } });
  const call = { id: 'c1', name: 'get_order', args: { order_id: 'A-1' } };
  const response = { id: 'c1', name: 'get_order', response: { status: 'delivered' } };
  return {
    app_name: 'shop',
    user_id: 'u',
    id,
    events: [
      event('user', [{ text: question }]),
      event('shop', [{ function_call: call }]),
      event('shop', [{ function_response: response }]),
      event('shop', [{ text: 'It was delivered.' }]),
    ],
  };
}

const QUESTION = 'Where is order A-1?';

describe('cases of an ADK evaluation set', () => {
  it.each([
    ['the id of the case', 'a-run.session.json', 'where', 'Where is my order?'],
    ['the name of the set', 'shop.session.json', 's-77', QUESTION],
    ['what the user says', 'other.session.json', 's-77', QUESTION],
  ])('are replayed from the session beside the set with %s, where no agent is named', async (_, file, id, question) => {
    const files = {
      'shop.evalset.json': evalSet(caseOf('where', question)),
      [file]: session(id, question),
      'unrelated.session.json': session('s-1', 'What is the weather?'),
    };
    const { code, stdout, stderr } = await scenarios(files, 'shop.evalset.json', '--run', '--format', 'json');
    expect(stderr).not.toContain('error');
    const { sessions } = reportSchema.parse(JSON.parse(stdout));
    expect(sessions).toMatchObject([{ task: { id: 'where', agent: 'replay' }, outcome: { status: 'succeeded' } }]);
    expect(code).toBe(0);
    const listed = await scenarios(files, 'shop.evalset.json');
    expect(listed.stdout).toMatch(/where {2}1 turn · agent replay · 1 attempt\n$/);
    expect(listed.code).toBe(0);
  });

  it('fail where the recorded calls are not those that are expected', async () => {
    const files = {
      'shop.evalset.json': evalSet(caseOf('where', QUESTION, { order_id: 'A-2' })),
      'shop.session.json': session('where', QUESTION),
    };
    const { code, stdout } = await scenarios(files, 'shop.evalset.json', '--run');
    expect(stdout).toContain('A-2');
    expect(code).toBe(1);
  });

  it('are tried live where the configuration has an agent, whatever is recorded', async () => {
    await using agent = await startSampleAgent();
    const files = {
      'shop.evalset.json': evalSet(caseOf('where', QUESTION)),
      'shop.session.json': session('where', QUESTION),
      'turnwise.config.json': { simulation: { agents: { live: { endpoint: agent.endpoint } } } },
    };
    const { stdout } = await scenarios(files, 'shop.evalset.json', '--run', '--format', 'json');
    expect(JSON.parse(stdout).sessions).toMatchObject([{ task: { agent: 'live' } }]);
  });

  it('need an agent or a recording, which is said with the line', async () => {
    const files = {
      'shop.evalset.json': evalSet(caseOf('where', QUESTION)),
      'unrelated.session.json': session('s-1', 'What is the weather?'),
    };
    for (const args of [[], ['--run']]) {
      const { code, stderr } = await scenarios(files, 'shop.evalset.json', ...args);
      expect(stderr).toContain(
        'shop.evalset.json:1: "where" has no agent to try: add one to the configuration, such as "simulation": {"agents": {"support": {"endpoint": "http://localhost:3000/v1/chat/completions"}}}. Or put its recorded session, such as X.session.json, beside the file.',
      );
      expect(code).toBe(2);
    }
  });
});

describe('cases of ADK with a simulated user', () => {
  const simulated = (user_persona?: unknown) => ({
    eval_id: 'refund',
    conversation_scenario: {
      starting_prompt: 'Please refund order A-1001.',
      conversation_plan: 'Get order A-1001 refunded, and agree when you are asked.',
      ...(user_persona === undefined ? {} : { user_persona }),
    },
  });

  it('begin with their first message, and a model says the rest', async () => {
    await using agent = await startSampleAgent();
    await using models = await startStubModels(() => answer({ message: 'Thanks.', shouldStop: true }));
    const files = {
      'shop.evalset.json': evalSet(simulated('NOVICE')),
      'turnwise.config.json': {
        metrics: ['tool_call_count'],
        judge: { provider: 'openai', model: 'stub', baseUrl: models.openai },
        simulation: { conversationsPerScenario: 1, agents: { shop: { endpoint: agent.endpoint } } },
      },
    };
    const { stdout, stderr } = await scenarios(files, 'shop.evalset.json', '--run', '--format', 'json');
    expect(stderr).not.toContain('simulated user, not a conversation');
    const report = reportSchema.parse(JSON.parse(stdout));
    expect(report.sessions).toMatchObject([{ task: { id: 'refund', agent: 'shop' } }]);
    const { prompt } = models.requests[0] ?? {};
    expect(prompt).toContain('A beginner');
    expect(prompt).toContain('Get order A-1001 refunded');
    expect(prompt).toContain('{"you":"Please refund order A-1001."}');
  });

  it('are listed with their goals, beside other cases', async () => {
    const persona = {
      id: 'HURRY',
      description: 'Someone in a hurry.',
      behaviors: [{ name: 'Short', behavior_instructions: ['Use few words.'] }],
    };
    const files = {
      'shop.evalset.json': evalSet(simulated(persona), caseOf('where', QUESTION)),
      'turnwise.config.json': { simulation: { agents: { shop: { endpoint: 'http://127.0.0.1:9' } } } },
    };
    const { code, stdout, stderr } = await scenarios(files, 'shop.evalset.json');
    expect(stderr).toBe('');
    expect(stdout).toContain('goal: Get order A-1001 refunded, and agree when you are asked.');
    expect(stdout).toContain('1 turn · agent shop');
    expect(code).toBe(0);
  });

  it.each(['EXPRT', 'constructor'])('are refused with the persona %s, which ADK does not have', async (persona) => {
    const files = {
      'shop.evalset.json': evalSet(simulated(persona)),
      'turnwise.config.json': { simulation: { agents: { shop: { endpoint: 'http://127.0.0.1:9' } } } },
    };
    const { code, stderr } = await scenarios(files, 'shop.evalset.json');
    expect(stderr).toContain(
      `shop.evalset.json:1: "refund": shop.evalset.json names the persona "${persona}", which is none of EXPERT, NOVICE, EVALUATOR.`,
    );
    expect(stderr.match(/"refund": /g)).toHaveLength(1);
    expect(code).toBe(2);
  });
});
