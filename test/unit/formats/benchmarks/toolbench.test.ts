import { describe, expect, it } from 'vitest';
import { agentToolCalls } from '../../../../src/core/session.ts';
import { readToolBench } from '../../../../src/formats/benchmarks/toolbench.ts';
import { callAt, codes, fixture, json, onlySession, read, turnAt } from '../read-fixture.ts';

interface Node {
  readonly node_type: string;
  readonly description: unknown;
  readonly children: readonly Node[];
}

const node = (node_type: string, description: unknown, ...children: readonly Node[]): Node => ({
  node_type,
  description,
  children,
});
const thought = (text: string, ...children: readonly Node[]) => node('Thought', text, ...children);
const action = (name: string, ...children: readonly Node[]) => node('Action', name, ...children);
const input = (observation: unknown, code: unknown, ...children: readonly Node[]): Node =>
  Object.assign(node('Action Input', '{"a": 1}', ...children), { observation, observation_code: code });

function answer(tree: readonly Node[], generation: object = {}) {
  const root = { node_type: 'Action Input', description: '', children: tree };
  return readToolBench(
    json({
      win: true,
      tree: { tree: root },
      answer_generation: { query: 'go', function: [{ name: 'f' }], ...generation },
    }),
  );
}

function turnOf(...tree: readonly Node[]) {
  return turnAt(onlySession(answer(tree)), 0);
}

describe('the tree of attempts', () => {
  it('is read depth first', () => {
    const turn = turnOf(
      action('a', input('1', 0, action('b', input('2', 0)), thought('hm', action('c', input('3', 0))))),
      action('d', input('4', 0)),
    );
    expect(
      turn.steps.map((step) =>
        step.type === 'tool' ? `${step.name} ${step.result}` : step.type === 'model' && step.text,
      ),
    ).toEqual([undefined, 'a 1', undefined, 'b 2', 'hm', 'c 3', undefined, 'd 4']);
  });

  it('keeps thoughts of abandoned branches and consecutive thoughts', () => {
    const turn = turnOf(thought('a', thought('b', action('f', input('1', 0)))), thought('c'));
    expect(turn.steps.map((step) => (step.type === 'model' ? step.text : step.type))).toEqual(['a', 'b', 'tool', 'c']);
    expect(turn.output).toBeNull();
  });

  it('matches each call with its own result, even if others have none', () => {
    const calls = agentToolCalls(
      turnOf(action('f'), action('f', input(undefined, undefined)), action('f', input('3', 0))),
    );
    expect(calls.map(({ outcome, result }) => [outcome, result])).toEqual([
      ['missing', undefined],
      ['missing', undefined],
      ['ok', '3'],
    ]);
  });

  it('is cut at the maximum depth', () => {
    let deep = thought('end');
    for (let depth = 0; depth < 2000; depth += 1) deep = thought('on', deep);
    const reading = answer([deep]);
    expect(turnAt(onlySession(reading), 0).steps).toHaveLength(1000);
    expect(codes(reading)).toEqual(['warning too-deep']);
  });

  it('may have very many branches', () => {
    const branches = Array.from({ length: 200_000 }, () => thought('x'));
    expect(turnAt(onlySession(answer(branches)), 0).steps).toHaveLength(200_000);
  });
});

describe('an observation', () => {
  const failed = '{"error": "no such id", "response": ""}';

  it.each<[unknown, string, string, string | undefined]>([
    [0, '{"error": "", "response": "x"}', 'ok', undefined],
    [0, failed, 'error', 'no such id'],
    [0, '{"error": "cut off he', 'error', '{"error": "cut off he'],
    [0, '{"error": "", "response": "cut off he', 'ok', undefined],
    [1, '{"error": "No such function name: f", "response": ""}', 'error', 'No such function name: f'],
    [5, '{"error": "Timeout error...", "response": ""}', 'error', 'Timeout error...'],
    [11, 'Message error', 'error', 'Message error'],
    [12, '{"error": "", "response": "x"}', 'error', '{"error": "", "response": "x"}'],
    [3, '{"response":"successfully giving the final answer!"}', 'ok', undefined],
    [4, '{"response":"chose to give up and restart"}', 'ok', undefined],
    ['?', 'x', 'ok', undefined],
  ])('with the code %j and %j', (code, observation, outcome, error) => {
    const call = callAt(turnOf(action('f', input(observation, code))), 0);
    expect([call.outcome, call.error, call.arguments]).toEqual([outcome, error, { a: 1 }]);
  });
});

describe('the answer', () => {
  it.each<[string, object, string | null]>([
    ['is in JSON', { final_answer: '{"return_type": "give_answer", "final_answer": "b"}' }, 'b'],
    ['is a text', { final_answer: 'b' }, 'b'],
    ['is none when the agent gave up', { final_answer: '{"return_type": "give_up_and_restart"}' }, null],
    ['is none when the search ended', { final_answer: '' }, null],
    ['is none when there is none', {}, null],
  ])('%s', (_, generation, output) => {
    const turn = turnAt(onlySession(answer([thought('hm')], generation)), 0);
    expect([turn.input, turn.output]).toEqual(['go', output]);
    expect(turn.outputPointer).toBe(output === null ? undefined : '/answer_generation/final_answer');
  });

  it('leaves tools unknown if the file has none', () => {
    expect(onlySession(answer([], { function: undefined })).tools).toBeUndefined();
  });
});

it('the session has instructions, tools and the end of the run', () => {
  const session = onlySession(read(fixture('toolbench.json')));
  expect(session).toMatchObject({
    id: 'toolbench',
    goal: 'Please refund order A-1001.',
    system: 'You refund orders.',
    metadata: { win: true, finish_type: 'give_answer', method: 'DFS_woFilter_w2' },
  });
  expect(session.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order', 'Finish']);
});
