import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { miniSweAgent } from '../../../../src/formats/agents/mini-swe-agent.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const session = onlySession(read(fixture('mini-swe-agent.traj.json')));
const turn = turnAt(session, 0);
const tools = onlySession(read(fixture('mini-swe-agent-tools.traj.json')));

const user = (content: unknown, extra?: object) => ({ role: 'user', content, extra });
const agent = (content: string, extra?: object) => ({ role: 'assistant', content, extra });
const run = (...messages: readonly unknown[]) => ({ trajectory_format: 'mini-swe-agent-1', info: {}, messages });
const only = (...messages: readonly unknown[]) => onlySession(read(json(run(...messages), 'fix.traj.json')));
const bash = (command: string) => agent(`\`\`\`bash\n${command}\n\`\`\``);

describe('a run', () => {
  it('is a session with one turn, an attempt at its instance', () => {
    expect(session).toMatchObject({
      id: 'org__repo-1',
      task: { id: 'org__repo-1', agent: 'some/model-1' },
      system: 'You use a shell.',
      metadata: { exit_status: 'Submitted', model: 'some/model-1', cost: 0.15, version: '1.15.0' },
    });
    expect(session.turns).toHaveLength(1);
    expect(turn.input).toBe('Fix the division by zero.');
    expect(turn.output).toMatch(/^I submit\./);
  });

  it("has the file's name as id without an instance", () => {
    expect(only(user('hi'))).toMatchObject({ id: 'fix', task: undefined });
  });

  it('without a submission has a warning, and its exit message is ignored', () => {
    const value = {
      ...run(user('Fix.'), bash('ls'), user('<returncode>0</returncode>'), user('')),
      info: { exit_status: 'LimitsExceeded' },
    };
    const reading = read(json(value));
    expect(reading.problems).toMatchObject([{ code: 'run-failed', pointer: '/info/exit_status' }]);
    expect(onlySession(reading).turns).toHaveLength(1);
  });

  it.each([null, [], { trajectory_format: 'mini-swe-agent-1' }])('%j is an error: no run', (value) => {
    const reading = miniSweAgent.read(json(value));
    expect([reading.sessions, codes(reading)]).toEqual([[], ['error no-session']]);
  });
});

describe('commands in the text', () => {
  it('are one call each, with the next message as result', () => {
    expect(agentToolCalls(turn).map((call) => [call.name, call.arguments, call.outcome])).toEqual([
      ['bash', { command: 'ls' }, 'ok'],
      ['bash', { command: 'cd .\npython a.py' }, 'error'],
      ['bash', { command: 'sleep 100' }, 'error'],
      ['bash', { command: 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff' }, 'ok'],
    ]);
    expect(callAt(turn, 1)).toMatchObject({
      pointer: '/messages/8/content',
      resultPointer: '/messages/9/content',
      error: expect.stringContaining('ZeroDivisionError'),
    });
  });

  it("are not executed unless there is exactly one, and the harness's message starts no turn", () => {
    expect(turn.steps.filter(({ type }) => type === 'model')).toHaveLength(6);
    expect(JSON.stringify(turn)).not.toContain('EXACTLY ONE');
  });

  it("keep the model's thoughts, times and tokens", () => {
    expect(turn.steps[0]).toMatchObject({
      reasoning: 'Hm.',
      model: 'some/model-1',
      finishReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 15, reasoningTokens: 5 },
    });
    expect(turn.startedAt).toBe('2026-03-01T10:00:00.000Z');
  });

  it.each<[string, string, string[]]>([
    ['one', '```bash\nls\n```', ['ls']],
    ['with spaces behind the language', '```bash  \nls\n```', ['ls']],
    ['with blank lines', '```bash\n\n  ls  \n\n```', ['ls']],
    ['with an inner fence in a line', '```bash\necho "```"\n```', ['echo "```"']],
    ['none', 'ls', []],
    ['of another language', '```python\nls\n```', []],
    ['with something behind the language', '```bash -x\nls\n```', []],
    ['that is not closed', '```bash\nls\n', []],
    ['that is not closed in a line of its own', '```bash\nls```', []],
    ['closed at once', '```bash\n```', []],
    ['empty', '```bash\n\n```', ['']],
    ['two', '```bash\nls\n```\n```bash\npwd\n```', []],
  ])('are parsed as by the harness: %s', (_, text, commands) => {
    const calls = only(user('Fix.'), agent(text)).turns.flatMap(agentToolCalls);
    expect(calls.map(({ arguments: args }) => args)).toEqual(commands.map((command) => ({ command })));
  });

  it("are taken from the harness's list, if there is one", () => {
    const actions = [{ command: 'ls' }, { command: 'pwd' }];
    const messages = [
      agent('<cmd>ls</cmd><cmd>pwd</cmd>', { actions }),
      user('a', { returncode: 0 }),
      user('b', { returncode: 2 }),
    ];
    const calls = only(user('Fix.'), ...messages).turns.flatMap(agentToolCalls);
    expect(calls.map((call) => [call.arguments, call.result, call.outcome])).toEqual([
      [{ command: 'ls' }, 'a', 'ok'],
      [{ command: 'pwd' }, 'b', 'error'],
    ]);
  });

  it('are parsed in linear time', () => {
    const started = performance.now();
    only(user('Fix.'), agent('```bash\n'.repeat(300_000)));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('return codes', () => {
  const outcome = (output: string) =>
    only(user('Fix.'), bash('x'), user(output)).turns.flatMap(agentToolCalls)[0]?.outcome;

  it.each([
    ['<returncode>0</returncode>\nError: of somebody else', 'ok'],
    ['<returncode>127</returncode>', 'error'],
    ['<returncode>-9</returncode>', 'error'],
    ['The last command <command>x</command> timed out and has been killed.\n', 'error'],
    ['Observation: fine', 'ok'],
    ['Error: there is no shell', 'error'],
    ['It says <returncode>1</returncode>', 'ok'],
  ])('%j is %s', (output, expected) => {
    expect(outcome(output)).toBe(expected);
  });
});

describe('users', () => {
  it('may reject a command, comment, and give a new task', () => {
    const session = only(
      user('Fix.'),
      bash('rm -rf /'),
      user('Command not executed. The user rejected your command with the following message: no'),
      bash('ls'),
      user('Interrupted by user: wait'),
      bash('pwd'),
      user('<returncode>0</returncode>'),
      agent('Done.', { actions: [{ command: 'submit' }] }),
      user('The user added a new task: tests'),
    );
    expect(session.turns.map(({ input }) => input)).toEqual([
      'Fix.',
      'Interrupted by user: wait',
      'The user added a new task: tests',
    ]);
    expect(session.turns.flatMap(agentToolCalls).map(({ outcome }) => outcome)).toEqual([
      'rejected',
      'missing',
      'ok',
      'missing',
    ]);
  });

  it.each([
    ['UserRejection', 'Switching to human mode', [['Fix.'], ['ok', 'rejected']]],
    [
      'UserNewTask',
      'Tests!',
      [
        ['Fix.', 'Tests!'],
        ['ok', 'missing'],
      ],
    ],
  ])('are detected by a flag: %s', (interrupt_type, text, [inputs, outcomes]) => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'bash', arguments: '{}' } });
    const asks = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
    const first = { role: 'tool', tool_call_id: 'a', content: 'x', extra: { returncode: 0 } };
    const reading = read(json(run(user('Fix.'), asks, first, user(text, { interrupt_type }), agent('Well.'))));
    expect(reading.problems).toEqual([]);
    const { turns } = onlySession(reading);
    expect(turns.map(({ input }) => input)).toEqual(inputs);
    expect(turns.flatMap(agentToolCalls).map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('are read after a message of the harness', () => {
    const session = only(user('Fix.'), agent('Hm.'), user('EXACTLY ONE'), user('Go on.'), bash('ls'));
    expect(session.turns.map(({ input }) => input)).toEqual(['Fix.', 'Go on.']);
  });

  it('may write when no call is open', () => {
    const session = only(
      user('Fix.'),
      bash('ls'),
      user('<returncode>0</returncode>'),
      user('And quickly.'),
      bash('pwd'),
    );
    expect(session.turns.map(({ input }) => input)).toEqual(['Fix.', 'And quickly.']);
  });
});

describe('calls of the tool bash', () => {
  it('are matched with their results by id', () => {
    expect(read(fixture('mini-swe-agent-tools.traj.json')).problems).toEqual([]);
    expect(tools.turns.map(({ input }) => input)).toEqual([
      'Fix the division by zero.',
      'Interrupted by user: rather edit it',
    ]);
    expect(tools.turns.flatMap(agentToolCalls).map(({ id, outcome, endedAt }) => [id, outcome, endedAt])).toEqual([
      ['c1', 'ok', '2026-03-01T10:00:01.000Z'],
      ['c2', 'error', '2026-03-01T10:00:02.000Z'],
      ['c3', 'rejected', undefined],
      ['c4', 'ok', undefined],
      ['c5', 'missing', undefined],
    ]);
  });

  it('may be items of the Responses API', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'bash', arguments: '{"command": "ls"}' };
    const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] };
    const session = only(
      user('Fix.'),
      { object: 'response', model: 'm', output: [text, call], usage: { input_tokens: 5, output_tokens: 2 } },
      { type: 'function_call_output', call_id: 'c', output: 'Error: none', extra: { returncode: 0 } },
    );
    expect(session.turns).toMatchObject([
      {
        steps: [
          { text: 'I look.', model: 'm', usage: { inputTokens: 5 } },
          { name: 'bash', outcome: 'ok' },
        ],
      },
    ]);
  });
});
