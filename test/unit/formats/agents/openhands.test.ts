import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { openHands } from '../../../../src/formats/agents/openhands.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const message = (id: number, source: string, content: string) => ({ id, source, action: 'message', args: { content } });
const ran = (id: number, more: object = {}) => ({
  id,
  source: 'agent',
  action: 'run',
  args: { command: 'x' },
  ...more,
});
const seen = (cause: number, observation: string, content: string, extras: object = {}) => ({
  id: cause + 100,
  source: 'agent',
  observation,
  content,
  cause,
  extras,
});
const only = (...events: readonly unknown[]) => onlySession(read(json(events, 'fix.json')));

const [solved, stuck] = read(fixture('openhands-output.jsonl')).sessions;

describe('a list of events', () => {
  const session = onlySession(read(fixture('openhands.json')));

  it("is a session with the file's name as id", () => {
    expect(session).toMatchObject({ id: 'openhands', source: { pointer: '' }, system: 'You refund orders.' });
    expect(session.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
    expect(session.turns[1]).toMatchObject({ outputPointer: '/17/args/final_thought' });
  });

  it('has models, tokens and times', () => {
    expect(turnAt(session, 0)).toMatchObject({ startedAt: '2026-03-01T10:00:01.000000' });
    expect(turnAt(session, 0).steps[0]).toMatchObject({
      model: 'some-model-1',
      finishReason: 'tool_calls',
      usage: { inputTokens: 100, outputTokens: 20 },
    });
  });

  it('may be a server export', () => {
    const value = { trajectory: [message(0, 'user', 'hi'), message(1, 'agent', 'hello')] };
    expect(onlySession(read(json(value))).turns).toMatchObject([
      { input: 'hi', inputPointer: '/trajectory/0/args/content' },
    ]);
  });
});

describe('the output of an evaluation', () => {
  it('has a run per line, an attempt at its instance, with the verdict if present', () => {
    expect(solved).toMatchObject({
      id: 'org__repo-1',
      source: { pointer: '/0' },
      task: { id: 'org__repo-1', dataset: 'bench', agent: 'CodeActAgent some-model-1' },
      metadata: { agent: 'CodeActAgent', model: 'some-model-1', cost: 0.5 },
      scores: { resolved: 1 },
    });
    expect(stuck?.scores).toEqual({ resolved: 0 });
  });

  it('warns of runs that ended early', () => {
    const { problems } = read(fixture('openhands-output.jsonl'));
    expect(problems).toMatchObject([{ code: 'run-failed', severity: 'warning', pointer: '/1/error' }]);
  });

  it('may have pairs of events', () => {
    expect(solved?.turns).toMatchObject([
      { input: 'Fix it.', inputPointer: '/0/history/0/0/args/content', output: "All done! What's next on the agenda?" },
    ]);
  });
});

describe('calls', () => {
  const turn = turnAt(solved, 0);

  it('are all calls of an answer, executed or not', () => {
    const [model, ...calls] = turn.steps;
    expect(model).toMatchObject({ type: 'model', text: 'I look.' });
    expect(calls.slice(0, 3)).toMatchObject([
      { id: 'a', arguments: { command: 'ls' }, outcome: 'ok', result: 'a.py', resultPointer: '/0/history/1/1/content' },
      { id: 'b', arguments: { command: 'cat b' }, outcome: 'error', error: 'cat: b: No such file' },
      { id: 'c', arguments: { command: 'rm b' }, outcome: 'missing' },
    ]);
  });

  it("are taken from the actions without an answer, except the harness's arguments", () => {
    expect(agentToolCalls(turn).slice(3)).toMatchObject([
      { name: 'delegate', arguments: { agent: 'BrowsingAgent', inputs: { task: 'look it up' } }, outcome: 'ok' },
      { name: 'run', arguments: { command: 'sleep 9' }, outcome: 'ok' },
      { name: 'run', arguments: { command: 'rm -rf /' }, outcome: 'rejected' },
    ]);
    expect(Object.keys(callAt(turn, 4).arguments)).toEqual(['command']);
  });

  it.each<[string, object, string]>([
    ['an exit code', seen(1, 'run', 'no', { metadata: { exit_code: 2 } }), 'error'],
    ['an exit code in an older place', seen(1, 'run', 'no', { exit_code: 2 }), 'error'],
    ['an exit code of 0, whatever the text', seen(1, 'run', 'Error: x', { exit_code: 0 }), 'ok'],
    ['an error', seen(1, 'error', 'no such file'), 'error'],
    ['a text that says so', seen(1, 'edit', 'ERROR:\nno such file'), 'error'],
    ['a text', seen(1, 'read', 'fine'), 'ok'],
    ['a refusal', seen(1, 'user_rejected', 'no'), 'rejected'],
    ['nothing', seen(7, 'run', 'of another'), 'missing'],
    [
      'a state',
      { id: 2, source: 'environment', observation: 'agent_state_changed', content: '', extras: {} },
      'missing',
    ],
  ])('end with %s', (_, observation, outcome) => {
    const { turns } = only(message(0, 'user', 'hi'), ran(1), observation);
    expect(turns.flatMap(agentToolCalls).map((call) => call.outcome)).toEqual([outcome]);
  });

  it("made by a user are the user's", () => {
    expect(stuck?.turns).toMatchObject([
      { input: 'Fix it.', steps: [{ name: 'run', requestedBy: 'user', arguments: { command: 'ls' } }] },
    ]);
  });

  it('of the environment are ignored', () => {
    const { turns } = only(
      message(0, 'user', 'hi'),
      { ...ran(1), source: 'environment' },
      message(2, 'agent', 'hello'),
    );
    expect(turns).toMatchObject([{ steps: [{ type: 'model' }] }]);
  });

  it('do not include finishing', () => {
    expect(onlySession(read(fixture('openhands.json'))).turns.at(-1)?.steps).toMatchObject([{ type: 'model' }]);
  });

  it('are taken from metadata if the answer is missing', () => {
    const metadata = (id: string) => ({
      tool_call_metadata: { function_name: 'bash', tool_call_id: id, model_response: { id: 'same' } },
    });
    const { turns } = only(message(0, 'user', 'hi'), ran(1, metadata('a')), ran(2, metadata('b')), seen(2, 'run', 'x'));
    expect(turns.flatMap(agentToolCalls).map(({ id, name, outcome }) => [id, name, outcome])).toEqual([
      ['a', 'bash', 'missing'],
      ['b', 'bash', 'ok'],
    ]);
  });

  it('have one result', () => {
    const reading = read(json([message(0, 'user', 'hi'), ran(1), seen(1, 'run', 'a'), seen(1, 'run', 'b')]));
    expect(reading.problems).toEqual([]);
    expect(onlySession(reading).turns.flatMap(agentToolCalls)).toMatchObject([{ result: 'a' }]);
  });
});

describe('a delegate', () => {
  it('is a step between its call and the result', () => {
    const turn = turnAt(solved, 0);
    const at = turn.steps.findIndex(({ type }) => type === 'agent');
    expect(turn.steps.slice(at - 1, at + 1)).toMatchObject([
      { type: 'tool', name: 'delegate', result: 'finished' },
      {
        type: 'agent',
        name: 'BrowsingAgent',
        pointer: '/0/history/3/0',
        turns: [{ input: 'TASK: look it up', output: 'It is 0.', steps: [{}, { name: 'browse', outcome: 'ok' }, {}] }],
      },
    ]);
  });

  it('without a result has the rest of the events', () => {
    const delegate = { id: 1, source: 'agent', action: 'delegate', args: { agent: 'X' } };
    const session = only(message(0, 'user', 'hi'), delegate, message(2, 'agent', 'I am lost.'));
    expect(session.turns).toMatchObject([
      { output: null, steps: [{}, { name: 'delegate', outcome: 'missing' }, { turns: [{ output: 'I am lost.' }] }] },
    ]);
  });

  it('may delegate many times', () => {
    const delegates = Array.from({ length: 5000 }, (_, id) => ({ id, source: 'agent', action: 'delegate', args: {} }));
    expect(only(...delegates).turns).toHaveLength(1);
  });
});

describe('invalid content', () => {
  it('is skipped, and the rest is read', () => {
    const reading = read(
      json([
        message(0, 'user', 'hi'),
        null,
        { source: 'agent' },
        message(1, 'agent', 'hello'),
        message(2, 'user', 'x'),
      ]),
    );
    expect(codes(reading)).toEqual(['warning not-an-event', 'warning not-an-event']);
    expect(onlySession(reading).turns).toHaveLength(2);
  });

  it.each([null, 5, {}, []])('%j is an error: no run', (value) => {
    const reading = openHands.read(json(value));
    expect(reading.sessions).toEqual([]);
    expect(codes(reading)).toContain('error no-session');
  });
});
