import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { tapeAgents } from '../../../../src/formats/agents/tapeagents.ts';
import { codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

const step = (kind: string, fields: object, metadata: object = {}) => ({
  metadata: { id: `${kind} ${JSON.stringify(fields)}`, prompt_id: '', node: '', agent: '', other: {}, ...metadata },
  kind,
  ...fields,
});
const tape = (steps: readonly unknown[], metadata: object = {}) => ({ metadata, context: null, steps });
const only = (...steps: readonly unknown[]) => onlySession(read(json(tape(steps))));

describe('a tape', () => {
  const session = onlySession(read(fixture('tapeagents.json')));

  it('is an attempt of its task, with the expected answer', () => {
    expect(session).toMatchObject({
      id: 'conv-42',
      system: 'You refund orders.',
      metadata: { agent: 'refunds' },
      task: { id: 'refund-1', trial: '1', agent: 'refunds' },
    });
    expect(session.turns.map(({ reference }) => reference)).toEqual([
      undefined,
      { response: 'Usually within 5 business days.' },
    ]);
    expect(session.outcome).toBeUndefined();
  });

  it('has one step of the model for all steps of one prompt', () => {
    const models = turnAt(session, 0).steps.filter(({ type }) => type === 'model');
    expect(models).toHaveLength(5);
    expect(models[0]).toMatchObject({
      pointer: '/steps/2',
      reasoning: 'I look the order up first.',
      speaker: 'refunds',
    });
  });

  it('has the result of each action where it was recorded', () => {
    expect(agentToolCalls(turnAt(session, 0)).map(({ pointer, resultPointer }) => [pointer, resultPointer])).toEqual([
      ['/steps/3', '/steps/5/result'],
      ['/steps/6', '/steps/7/error'],
      ['/steps/8', '/steps/11/result'],
      ['/steps/9', '/steps/10/error'],
      ['/steps/12', '/steps/13/result'],
    ]);
  });

  it('failed if its run ended with an error', () => {
    const failed = read(json(tape([step('user', { content: 'Hi' })], { error: 'The browser crashed.' })));
    expect(onlySession(failed).outcome).toEqual({
      status: 'failed',
      reason: 'the run ended with an error: The browser crashed.',
      pointer: '/metadata/error',
    });
  });

  it('may be one of a list, where another thing is not', () => {
    const tapes = [tape([step('user', { content: 'Hi' })]), tape([step('user', { content: 'Ho' })]), { steps: 1 }];
    const reading = read(json(tapes));
    expect(reading.sessions.map(({ source }) => source.pointer)).toEqual(['/0', '/1']);
    expect(codes(reading)).toEqual(['error not-a-tape']);
  });

  it.each([
    { steps: [{ kind: 'user' }] },
    { metadata: {}, steps: [] },
    { metadata: {}, steps: [{ kind: 'user', metadata: {} }] },
    tape([{ type: 'user' }]),
  ])('is not %j', (value) => {
    expect(tapeAgents.detect(json(value))).toBe(null);
  });
});

describe('a step of a tape', () => {
  it('requests several calls, answered by their ids', () => {
    const call = (id: string, amount: number) => ({ id, function: { name: 'pay', arguments: `{"amount":${amount}}` } });
    const session = only(
      step('user', { content: 'Pay both.' }),
      step('assistant', { tool_calls: [call('a', 1), call('b', 2)] }),
      step('tool', { content: 'second', tool_call_id: 'b' }),
      step('tool', { content: 'first', tool_call_id: 'a' }),
    );
    expect(agentToolCalls(turnAt(session, 0)).map((tool) => [tool.arguments, tool.result])).toEqual([
      [{ amount: 1 }, 'first'],
      [{ amount: 2 }, 'second'],
    ]);
  });

  it('fails with an exit code other than 0', () => {
    const session = only(
      step('user', { content: 'Run it.' }),
      step('python_code_action', { code: '1/0' }),
      step('code_execution_result', { result: { exit_code: 1, output: 'ZeroDivisionError' } }),
    );
    expect(agentToolCalls(turnAt(session, 0))[0]).toMatchObject({ name: 'python_code', outcome: 'error' });
  });

  it('is skipped without a kind, and steers only where it says nothing', () => {
    const reading = read(
      json(
        tape([
          step('user', { content: 'Hi' }),
          step('set_next_node', { next_node: 'act' }),
          { metadata: {} },
          step('plan_thought', { plan: ['look', 'answer'] }),
          step('assistant', { content: 'Ho' }),
        ]),
      ),
    );
    expect(codes(reading)).toEqual(['warning not-a-step']);
    const [session] = reading.sessions;
    expect(session?.turns[0]?.steps).toMatchObject([
      { type: 'model', reasoning: '{"plan":["look","answer"]}' },
      { type: 'model', text: 'Ho' },
    ]);
  });

  it('answers the oldest open action, also where thousands are open', () => {
    const actions = Array.from({ length: 20_000 }, (_, index) => step('a_action', { index }));
    const results = Array.from({ length: 20_000 }, (_, index) => step('b_observation', { index }));
    const session = only(step('user', { content: 'Hi' }), ...actions, ...results);
    expect(agentToolCalls(turnAt(session, 0)).every(({ outcome }) => outcome === 'ok')).toBe(true);
  });
});
