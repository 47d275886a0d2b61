import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { sweAgent } from '../../../../src/formats/agents/swe-agent.ts';
import { commandTools } from '../../../../src/formats/agents/swe-agent-commands.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const session = onlySession(read(fixture('swe-agent.traj')));
const turn = turnAt(session, 0);

const entry = (role: string, content: string, more: object = {}) => ({
  role,
  content,
  agent: 'main',
  message_type: 'x',
  ...more,
});
const step = (action: string, observation: string) => ({ action, observation, response: 'I act.' });

describe('a run', () => {
  it('is a session with one turn, an attempt at its problem', () => {
    expect(session).toMatchObject({
      id: 'org__repo-1',
      task: { id: 'org__repo-1', agent: 'some-model-1' },
      goal: 'Fix the division by zero.',
      system: 'You fix code.',
      metadata: { exit_status: 'submitted', environment: 'main', model: 'some-model-1', cost: 0.02 },
    });
    expect(session.turns).toHaveLength(1);
    expect(turn).toMatchObject({ input: 'Fix the division by zero.', output: 'Done.' });
  });

  it("has the file's name as id without a problem", () => {
    const document = json({ trajectory: [step('ls', '')] }, 'runs/fix.traj');
    expect(onlySession(read(document))).toMatchObject({ id: 'fix', task: undefined });
  });

  it('without a submission has a warning', () => {
    const info = { exit_status: 'exit_context' };
    expect(codes(read(json({ trajectory: [step('ls', '')], info })))).toEqual(['warning run-failed']);
    const saved = { exit_status: 'submitted (exit_context)' };
    expect(codes(read(json({ trajectory: [step('ls', '')], info: saved })))).toEqual([]);
  });

  it('with retries has its attempts, without repeating the best one', () => {
    const reading = read(fixture('swe-agent-attempts.traj'));
    expect(reading.sessions.map(({ id, task, source }) => [id, task?.trial, source.pointer])).toEqual([
      ['org__repo-2-attempt-1', '1', '/attempts/0'],
      ['org__repo-2-attempt-2', '2', '/attempts/1'],
    ]);
    expect(reading.problems).toMatchObject([{ code: 'run-failed', pointer: '/attempts/1/info/exit_status' }]);
  });

  it.each([null, {}, [], { attempts: [5] }])('%j is an error: no run', (value) => {
    const reading = sweAgent.read(json(value));
    expect(reading.sessions).toEqual([]);
    expect(codes(reading)).toContain('error no-session');
  });
});

describe('steps', () => {
  it('are those of the trajectory, with the calls of the history', () => {
    expect(agentToolCalls(turn).map(({ name, arguments: args, outcome }) => [name, args, outcome])).toEqual([
      ['open', { path: 'a.py' }, 'ok'],
      ['bash', { command: 'vim a.py' }, 'missing'],
      ['bash', { command: 'python a.py' }, 'error'],
      ['open', { path: 'a.py' }, 'ok'],
      ['submit', {}, 'ok'],
    ]);
    expect(turn.steps.filter(({ type }) => type === 'model')).toHaveLength(7);
  });

  it('have pointers to the request and the plain observation', () => {
    expect(callAt(turn, 0)).toMatchObject({
      pointer: '/history/3/tool_calls/0',
      resultPointer: '/trajectory/0/observation',
      result: '1: 1/0',
    });
    expect(callAt(turn, 4)).toMatchObject({ pointer: '/trajectory/5/action', result: 'diff --git a/a.py b/a.py' });
  });

  it("keep the model's thoughts", () => {
    expect(turn.steps[0]).toMatchObject({ reasoning: 'Hm.', text: 'I look at the file.' });
  });

  it('start with the first query if there is no history', () => {
    const query = [entry('system', 'Be good.'), entry('user', 'Demo', { is_demo: true }), entry('user', 'Fix it.')];
    const session = onlySession(read(json({ trajectory: [{ ...step('ls', ''), query }] })));
    expect([session.system, session.turns[0]?.input, session.turns[0]?.inputPointer]).toEqual([
      'Be good.',
      'Fix it.',
      '/trajectory/0/query/2/content',
    ]);
    expect(callAt(turnAt(session, 0), 0)).toMatchObject({ result: '', outcome: 'ok' });
  });
});

describe('a history without a trajectory', () => {
  it('has its observations in user messages', () => {
    const [text] = read(fixture('swe-agent-attempts.traj')).sessions;
    expect(text?.turns.map(({ input, output }) => [input, output])).toEqual([
      ['Fix it.', 'Nothing to run.'],
      ['Please go on.', 'Done.\n```\nsubmit\n```'],
    ]);
    expect(text?.turns.flatMap(agentToolCalls).map((call) => [call.arguments, call.result])).toEqual([
      [{ command: 'ls' }, 'a.py'],
      [{ command: 'submit' }, 'diff'],
    ]);
    expect(text?.tools).toBeUndefined();
  });

  it('matches calls and results by id', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '{}' } });
    const history = [
      entry('user', 'Go.'),
      entry('assistant', 'Both.', { tool_calls: [call('a'), call('b')] }),
      entry('tool', 'of b', { tool_call_ids: ['b'] }),
      entry('tool', 'of a', { tool_call_ids: ['a'] }),
    ];
    expect(agentToolCalls(turnAt(onlySession(read(json({ history }))), 0)).map(({ result }) => result)).toEqual([
      'of a',
      'of b',
    ]);
  });
});

describe('tools', () => {
  it("are those in the model's prompt", () => {
    expect(session.tools).toEqual([
      {
        name: 'bash',
        description: 'runs the given command directly in bash',
        inputSchema: {
          type: 'object',
          properties: { command: { type: 'string', description: 'a command to run' } },
          required: ['command'],
        },
      },
      {
        name: 'open',
        description: 'opens a file',
        inputSchema: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'the path to the file' },
            line_number: { type: 'integer', description: 'where the window is' },
          },
          required: ['path'],
        },
      },
      {
        name: 'submit',
        description: 'submits the work',
        inputSchema: { type: 'object', properties: {}, required: [] },
      },
    ]);
  });

  it.each([
    [undefined],
    [{ command_docs: 'bash:\n  docstring: x' }],
    [{ command_docs: 5, parse_function: { type: 'function_calling' } }],
    [{ command_docs: 'bash:\n  docstring: x', parse_function: { type: 'thought_action' } }],
  ])('of %j are unknown', (config) => {
    expect(commandTools(config)).toBeUndefined();
  });
});
