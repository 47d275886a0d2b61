import { describe, expect, it } from 'vitest';
import { type AgentStep, agentToolCalls, type Turn } from '../../../../src/core/session.ts';
import { atif } from '../../../../src/formats/agents/atif.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from '../read-fixture.ts';

const user = (message: unknown, more: object = {}) => ({ source: 'user', message, ...more });
const agent = (message: unknown, more: object = {}) => ({ source: 'agent', message, ...more });
const call = (id: string, name = 'f') => ({ tool_call_id: id, function_name: name, arguments: {} });
const trajectory = (id: string | undefined, steps: readonly unknown[], more: object = {}) => ({
  schema_version: 'ATIF-v1.6',
  session_id: id,
  agent: { name: id },
  steps,
  ...more,
});
/** A step that hands over to another trajectory. */
const asking = (...references: readonly object[]) =>
  agent('I ask.', {
    tool_calls: [call('ask')],
    observation: {
      results: [{ source_call_id: 'ask', content: 'asked', subagent_trajectory_ref: references }],
    },
  });

function agentsIn(turn: Turn | undefined): AgentStep[] {
  return (turn?.steps ?? []).flatMap((step) => (step.type === 'agent' ? step : []));
}

describe('a trajectory', () => {
  it('is a session', () => {
    const session = onlySession(read(fixture('atif.json')));
    expect(session).toMatchObject({
      id: 's-1',
      source: { pointer: '' },
      system: 'You refund orders.',
      metadata: { agent: 'refunder', version: '1.0', model: 'some-model-1', cost: 0.006 },
    });
    expect(session.tools?.map(({ name }) => name)).toEqual(['get_order', 'refund_order']);
  });

  it('has models, thoughts, tokens and times', () => {
    const turn = turnAt(onlySession(read(fixture('atif.json'))), 0);
    expect(turn).toMatchObject({ startedAt: '2026-03-01T10:00:00Z', endedAt: '2026-03-01T10:00:08Z' });
    expect(turn.steps[0]).toMatchObject({
      model: 'some-model-1',
      reasoning: 'I call it.',
      usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 30 },
    });
  });

  it.each<[string, unknown, string[]]>([
    ['in a list', [trajectory('a', []), trajectory(undefined, [])], ['a', 'some-1']],
    ['by names', { second: trajectory('b', []), first: trajectory('a', []) }, ['a', 'b']],
    ['without an id', trajectory(undefined, []), ['some']],
    ['that shares an id', [trajectory('a', []), trajectory('a', [])], ['a', 'a#2']],
  ])('%s', (_, value, ids) => {
    expect(read(json(value)).sessions.map(({ id }) => id)).toEqual(ids);
  });

  it('may be a line of JSONL', () => {
    const reading = read(jsonLines([trajectory('a', [user('hi')]), undefined, trajectory('b', [])]));
    expect(reading.sessions.map(({ source }) => source.pointer)).toEqual(['/0', '/2']);
  });

  it.each([null, 5, [], {}, { schema_version: 'ATIF-v1.6' }])('%j is an error: no trajectory', (value) => {
    const reading = atif.read(json(value));
    expect([reading.sessions, codes(reading)]).toEqual([[], ['error no-session']]);
  });
});

describe('steps', () => {
  const turnsOf = (...steps: readonly unknown[]) => onlySession(read(json(trajectory('a', steps)))).turns;

  it('have calls and their results', () => {
    const observation = {
      results: [{ source_call_id: 'b', content: 'Error: none' }, { source_call_id: 'a' }, { content: 'third' }],
    };
    const [turn] = turnsOf(user('hi'), agent('x', { tool_calls: [call('a'), call('b'), call('c')], observation }));
    expect(turn && agentToolCalls(turn).map(({ id, outcome, result }) => [id, outcome, result])).toEqual([
      ['a', 'ok', undefined],
      ['b', 'error', 'Error: none'],
      ['c', 'ok', 'third'],
    ]);
  });

  it('may have the results in a system step', () => {
    const system = { source: 'system', message: '', observation: { results: [{ source_call_id: 'a', content: 'x' }] } };
    const [turn] = turnsOf(user('hi'), agent('x', { tool_calls: [call('a')] }), system);
    expect(turn && callAt(turn, 0).result).toBe('x');
  });

  it('may have an observation without a call', () => {
    const reading = read(
      json(trajectory('a', [user('hi'), agent('x', { observation: { results: [{ content: 'y' }] } })])),
    );
    expect(reading.problems).toEqual([]);
    expect(onlySession(reading).turns.flatMap(agentToolCalls)).toEqual([]);
  });

  it('have the outcome "missing" without a result', () => {
    const [turn] = turnsOf(user('hi'), agent('x', { tool_calls: [call('a')] }));
    expect(turn && callAt(turn, 0).outcome).toBe('missing');
  });

  it('may have texts in parts', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image', source: {} },
      { type: 'text', text: 'b' },
    ];
    expect(turnsOf(user(parts))).toMatchObject([{ input: 'a\nb', inputPointer: '/steps/0/message' }]);
  });

  it('are skipped without a source', () => {
    const reading = read(json(trajectory('a', [user('hi'), { source: 'robot' }, agent('hello'), agent('bye')])));
    expect(codes(reading)).toEqual(['warning not-a-step']);
  });
});

describe('steps copied from another trajectory', () => {
  const copied = { is_copied_context: true };
  const turnsOf = (...steps: readonly unknown[]) =>
    onlySession(read(json(trajectory('a', steps)))).turns.map(({ input, steps: own }) => [input, own.length]);

  it('are skipped, except for an unanswered question', () => {
    const before = [user('a', copied), agent('b', copied), user('c', copied)];
    expect(turnsOf(...before, agent('d'))).toEqual([['c', 1]]);
    const seen = { source: 'system', observation: { results: [{ source_call_id: 'a', content: 'x' }] }, ...copied };
    expect(read(json(trajectory('a', [seen, user('hi')]))).problems).toEqual([]);
    expect(turnsOf(...before, user('e'), agent('d'))).toEqual([['e', 1]]);
    expect(turnsOf(user('a', copied), agent('b', copied), agent('d'), user('e'), agent('f'))).toEqual([
      ['a', 1],
      ['e', 1],
    ]);
  });
});

describe('sub-agents', () => {
  it('are steps after the call that refers to them, nested', () => {
    const session = onlySession(read(fixture('atif-sub-agents.json')));
    expect(session.id).toBe('run-1');
    const [turn] = session.turns;
    expect(turn?.steps.map(({ type }) => type)).toEqual(['model', 'tool', 'agent', 'model', 'agent']);
    const [searcher, watcher] = agentsIn(turn);
    expect(searcher).toMatchObject({ name: 'searcher', pointer: '/subagent_trajectories/0' });
    expect(searcher?.turns).toMatchObject([
      { input: 'Where is it?', output: 'I search.', tools: [{ name: 'search' }] },
    ]);
    expect(searcher?.turns.flatMap(agentToolCalls)).toMatchObject([{ name: 'search', outcome: 'error' }]);
    expect(agentsIn(searcher?.turns[0])).toMatchObject([{ name: 'indexer', turns: [{ output: 'Indexed.' }] }]);
    expect(watcher).toMatchObject({ name: 'watcher', turns: [{ input: null, output: 'Nothing to see.' }] });
  });

  it('may be beside the calling trajectory, and are not sessions then', () => {
    const value = {
      parent: trajectory('p', [user('hi'), asking({ session_id: 'k' }), agent('done')]),
      child: trajectory('k', [user('sub'), agent('yes')]),
    };
    const session = onlySession(read(json(value)));
    expect(session).toMatchObject({ id: 'p', source: { pointer: '/parent' } });
    expect(agentsIn(session.turns[0])).toMatchObject([{ name: 'k', pointer: '/child', turns: [{ output: 'yes' }] }]);
  });

  it('are ignored if they are not in the file', () => {
    const reading = read(json(trajectory('p', [user('hi'), asking({ session_id: 'far' }, { trajectory_path: 'x' })])));
    expect(agentsIn(onlySession(reading).turns[0])).toEqual([]);
    expect(reading.problems).toEqual([]);
  });

  it('are read once if they form a cycle', () => {
    const value = [
      trajectory('a', [user('hi'), asking({ session_id: 'b' }, { session_id: 'a' })]),
      trajectory('b', [user('sub'), asking({ session_id: 'a' })]),
    ];
    const session = onlySession(read(json(value)));
    expect(session.id).toBe('a');
    expect(agentsIn(session.turns[0]).map(({ name }) => name)).toEqual(['b']);
  });
});
