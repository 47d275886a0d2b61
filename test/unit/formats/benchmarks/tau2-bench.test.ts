import { describe, expect, it } from 'vitest';
import { readTau2Bench } from '../../../../src/formats/benchmarks/tau2-bench.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (content: string | null, calls: readonly unknown[] = []) => ({ role: 'user', content, tool_calls: calls });
const agent = (content: string | null, calls: readonly unknown[] = []) => ({
  role: 'assistant',
  content,
  tool_calls: calls,
});
const call = (id: string, name: string, requestor = 'assistant') => ({ id, name, arguments: {}, requestor });
const tool = (id: string, content: unknown, error?: unknown) => ({ role: 'tool', id, content, error });
const action = (id: string, name: string, more: object = {}) => ({ action_id: id, name, arguments: { a: 1 }, ...more });

function results(simulation: object, more: object = {}) {
  const one = { id: 's', task_id: '1', messages: [user('hi'), agent('hello')], ...simulation };
  return json({ info: {}, tasks: [], simulations: [one], ...more });
}

describe('the run', () => {
  it('is an attempt with its reward, policy, tools and user instructions', () => {
    const [first, second] = read(fixture('tau2-bench.json')).sessions;
    expect(first).toMatchObject({
      id: 's-1',
      task: { id: '0', trial: '0', dataset: 'shop', agent: 'llm_agent some-model-1' },
      scores: { reward: 1 },
      system: 'You refund orders.',
      goal: 'Get order A-1001 refunded.\n\nAsk when the money comes.',
      profile: 'Mia, in a hurry\n\nYour order is A-1001.',
      metadata: { termination_reason: 'user_stop', duration: 60 },
    });
    expect(first?.tools?.map(({ name, description }) => [name, description])).toEqual([
      ['get_order', 'Looks up an order.'],
      ['refund_order', 'Refunds an order.'],
    ]);
    expect(second).toMatchObject({ goal: 'Ask about the mail.', scores: { reward: 0 } });
  });

  it('that ended early has a warning', () => {
    const reading = read(fixture('tau2-bench.json'));
    expect(reading.problems).toMatchObject([
      { code: 'run-failed', severity: 'warning', pointer: '/simulations/1/termination_reason' },
    ]);
  });

  it('has its own policy if the domain has several', () => {
    const info = { environment_info: { policy: 'general' } };
    expect(onlySession(read(results({}, { info }))).system).toBe('general');
    expect(onlySession(read(results({ policy: 'special' }, { info }))).system).toBe('special');
  });

  it('without an id is named by task and trial', () => {
    expect(onlySession(read(results({ id: undefined, task_id: 7, trial: 2 }))).id).toBe('task-7-trial-2');
  });

  it('of a voice conversation has no messages', () => {
    const reading = read(results({ messages: null, ticks: [] }));
    expect(onlySession(reading).turns).toEqual([]);
    expect(codes(reading)).toEqual(['warning no-content']);
  });
});

describe('calls', () => {
  it("of the simulated user are the user's, in the next turn", () => {
    const [, session] = read(fixture('tau2-bench.json')).sessions;
    const turn = turnAt(session, 1);
    expect(turn.input).toBe('No mail came for order A-1001.');
    expect(turn.steps.map((step) => (step.type === 'tool' ? [step.name, step.requestedBy, step.result] : []))).toEqual([
      ['check_mail', 'user', 'No new mail.'],
      [],
      ['get_order', 'agent', 'timed out'],
    ]);
  });

  it.each([
    ['flagged', 'no such order', true, 'error'],
    ['flagged as fine, whatever its text', 'Error: rate of 5 %', false, 'ok'],
    ['without a flag', 'Error: not found', undefined, 'error'],
    ['without a flag', 'found', null, 'ok'],
  ])('%s: %s', (_, content, flag, outcome) => {
    const messages = [user('hi'), agent(null, [call('c', 'f')]), tool('c', content, flag), agent('done')];
    const turn = turnAt(onlySession(read(results({ messages }))), 0);
    expect(callAt(turn, 0)).toMatchObject({ outcome, result: content, ...(outcome === 'error' && { error: content }) });
  });

  it('without a result are missing', () => {
    const messages = [user('hi'), agent(null, [call('c', 'f')])];
    expect(callAt(turnAt(onlySession(read(results({ messages }))), 0), 0).outcome).toBe('missing');
  });
});

describe('expected actions', () => {
  const expected = (simulation: object, task?: object) =>
    onlySession(read(results(simulation, task && { tasks: [{ id: '1', ...task }] }))).reference?.toolCalls;

  it.each([
    ['all arguments', action('a', 'f', { compare_args: null }), [{ name: 'f', arguments: { a: 1 } }]],
    [
      'some',
      action('a', 'f', { arguments: { a: 1, b: 2 }, compare_args: ['b'] }),
      [{ name: 'f', arguments: { b: 2 } }],
    ],
    ['none', action('a', 'f', { compare_args: [] }), [{ name: 'f' }]],
    ["the user's own", action('a', 'f', { requestor: 'user' }), []],
  ])('compare %s', (_, item, calls) => {
    expect(expected({ reward_info: { action_checks: [{ action: item }] } })).toEqual(calls);
    expect(expected({ reward_info: null }, { evaluation_criteria: { actions: [item] } })).toEqual(calls);
  });

  it('are unknown if neither the checks nor the task list any', () => {
    expect(onlySession(read(results({}))).reference).toBeUndefined();
  });

  it('of another task make the named task be ignored', () => {
    const task = {
      id: '1',
      user_scenario: { instructions: 'Buy.' },
      evaluation_criteria: { actions: [action('1_0', 'buy')] },
    };
    const checked = (id: string) => ({ reward_info: { action_checks: [{ action: action(id, 'sell') }] } });
    expect(onlySession(read(results(checked('1_0'), { tasks: [task] }))).goal).toBe('Buy.');
    expect(onlySession(read(results(checked('1_0'), { tasks: [task] }))).task?.id).toBe('1');
    const reading = read(results(checked('7_0'), { tasks: [task] }));
    expect(onlySession(reading).goal).toBeUndefined();
    expect(onlySession(reading).task).toBeUndefined();
    expect(onlySession(reading).reference?.toolCalls).toEqual([{ name: 'sell', arguments: { a: 1 } }]);
    expect(codes(reading)).toEqual(['warning task-mismatch']);
  });
});

it.each([null, {}, { simulations: [] }, { simulations: [5] }])('%j is an error: no session', (value) => {
  const reading = readTau2Bench(json(value));
  expect(reading.sessions).toEqual([]);
  expect(codes(reading)).toContain('error no-session');
});
