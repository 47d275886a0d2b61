import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/core/json.ts';
import { AttemptContext } from '../../../src/scenarios/attempt-context.ts';
import { mocksFromData } from '../../../src/scenarios/data-mocks.ts';
import { readDataScenarios } from '../../../src/scenarios/data-scenarios.ts';

function openAttempt(options: unknown, conversationId = 'a'): AttemptContext {
  const mocks = isObject(options) ? options.mocks : undefined;
  return new AttemptContext({ scenarioName: 'orders', conversationId, mocks, unmockedTools: 'error' });
}

const LOOK_UP = [
  { args: { id: 'A-1' }, result: { status: 'open' } },
  { args: { id: 'A-1' }, result: { status: 'closed' } },
  { args: { id: 'A-2', list: [1, { deep: true }] }, error: 'no such order' },
];

describe('mocks by arguments', () => {
  const options = mocksFromData({ mocks: { tools: { get_order: { calls: LOOK_UP } } } });

  it('answer each recorded call once, in order, and then the last one again', async () => {
    const attempt = openAttempt(options);
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push(await attempt.answer('get_order', { id: 'A-1', page: 1 }, 0));
    expect(answers).toEqual([
      { type: 'result', value: { status: 'open' } },
      { type: 'result', value: { status: 'closed' } },
      { type: 'result', value: { status: 'closed' } },
    ]);
    expect(await attempt.answer('get_order', { id: 'A-2', list: [1, { deep: true }] }, 0)).toEqual({
      type: 'error',
      message: 'no such order',
    });
  });

  it('say which arguments they lack', async () => {
    expect(await openAttempt(options).answer('get_order', { id: 'A-9' }, 0)).toEqual({
      type: 'error',
      message: 'mocks.tools.get_order has no call with these arguments: add it to "calls".',
    });
  });

  it('begin again in each attempt', async () => {
    await openAttempt(options, 'a').answer('get_order', { id: 'A-1' }, 0);
    expect(await openAttempt(options, 'b').answer('get_order', { id: 'A-1' }, 0)).toEqual({
      type: 'result',
      value: { status: 'open' },
    });
  });

  it.each([
    ['no answer', { args: {} }],
    ['two answers', { result: 1, error: 'x' }],
    ['arguments that are a list', { args: [], result: 1 }],
    ['an unknown key', { argument: {}, result: 1 }],
  ])('with %s are an error of the file', async (_, call) => {
    const text = JSON.stringify({ name: 'x', turns: [], mocks: { tools: { get_order: { calls: [call] } } } });
    const { issues } = await readDataScenarios('x.scenario.json', text);
    expect(issues).toMatchObject([
      {
        severity: 'error',
        scenario: 'x',
        path: ['mocks', 'tools', 'get_order', 'calls', 0],
        message: 'mocks.tools.get_order.calls[0] must have a "result" or an "error", and "args" if they matter.',
      },
    ]);
  });
});
