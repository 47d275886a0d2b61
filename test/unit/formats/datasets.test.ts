import { describe, expect, it } from 'vitest';
import { readTauBench } from '../../../src/formats/benchmarks/tau-bench.ts';
import { fairForge } from '../../../src/formats/fair-forge.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from './read-fixture.ts';

describe('Fair Forge', () => {
  const dataset = (more: object, interaction: object = {}) => ({
    session_id: 's',
    conversation: [{ qa_id: 'q', query: 'a', assistant: 'b', ...interaction }],
    ...more,
  });

  it('reads used and expected tools', () => {
    const session = onlySession(read(fixture('fair-forge.json')));
    expect(session).toMatchObject({
      id: 'conv_42',
      system: 'You refund orders.',
      metadata: { assistant_id: 'v2', language: 'english' },
      source: { pointer: '/0' },
    });
    expect(callAt(turnAt(session, 0), 4)).toMatchObject({
      step: 5,
      result: { ok: true, amount: 42.5 },
      pointer: '/0/conversation/0/agentic/tools_used/4',
      resultPointer: '/0/conversation/0/agentic/tools_used/4/result',
    });
    expect(session.turns.map(({ id, reference }) => [id, reference])).toEqual([
      [
        'q1',
        {
          response: 'Your refund of $42.50 was issued.',
          usesToolResults: true,
          orderMatters: false,
          toolCalls: [
            { name: 'get_order', arguments: { order_id: 'A-1001' }, step: 1 },
            { name: 'refund_order', arguments: { order_id: 'A-1001', amount: 42.5 }, step: 2 },
          ],
        },
      ],
      ['q2', undefined],
    ]);
  });

  it('adds no model calls that were not recorded', () => {
    expect(turnAt(onlySession(read(fixture('fair-forge.json'))), 1).steps).toEqual([]);
  });

  it('leaves unrecorded values undefined', () => {
    const agentic = { tools_used: [{ tool_name: 'f', parameters: { a: 1 } }] };
    const turn = turnAt(
      onlySession(read(json(dataset({}, { agentic, ground_truth_agentic: { expected_tools: [] } })))),
      0,
    );
    expect(turn.reference).toEqual({ toolCalls: [] });
    expect(callAt(turn, 0)).toMatchObject({ outcome: 'ok', step: undefined, resultPointer: undefined });
  });

  it('reads several assistants of one conversation as agents', () => {
    const reading = read(
      json([
        dataset({ assistant_id: 'a' }),
        dataset({ assistant_id: 'b' }),
        dataset({ session_id: 't', assistant_id: 'b' }),
        dataset({ session_id: 'u' }),
      ]),
    );
    expect(reading.sessions.map(({ id, task }) => [id, task])).toEqual([
      ['s-a', { id: 's', agent: 'a' }],
      ['s-b', { id: 's', agent: 'b' }],
      ['t', { id: 't', agent: 'b' }],
      ['u', { id: 'u', agent: undefined }],
    ]);
    expect(codes(reading)).toEqual([]);
  });

  it('reads a conversation that one assistant had twice as two attempts', () => {
    const reading = read(json([dataset({ assistant_id: 'a' }), dataset({ assistant_id: 'a' })]));
    expect(reading.sessions.map(({ id, task }) => [id, task?.id, task?.agent])).toEqual([
      ['s', 's', 'a'],
      ['s#2', 's', 'a'],
    ]);
    expect(codes(reading)).toEqual(['warning duplicate-session-id']);
  });

  it('reports what it skips', () => {
    const reading = fairForge.read(
      jsonLines([
        dataset({}, { agentic: { tools_used: [{}] } }),
        { session_id: 't' },
        { session_id: 'u', conversation: [5] },
      ]),
    );
    expect(reading.sessions.map(({ id }) => id)).toEqual(['s', 'u']);
    expect(codes(reading)).toEqual(['warning call-without-name', 'error not-a-dataset', 'warning not-a-turn']);
    expect(codes(fairForge.read(json([])))).toEqual(['error no-session']);
  });
});

describe('tau-bench', () => {
  it('reads each run as an attempt with its reward, goal and expected actions', () => {
    const reading = read(fixture('tau-bench.json'));
    expect(reading.sessions.map(({ id, task, scores, source }) => [id, task, scores, source.pointer])).toEqual([
      ['task-0-trial-0', { id: '0', trial: '0' }, { reward: 1 }, '/0'],
      ['task-0-trial-1', { id: '0', trial: '1' }, { reward: 0 }, '/1'],
      ['task-1-trial-0', { id: '1', trial: '0' }, { reward: 0 }, '/2'],
    ]);
    expect(reading.sessions[0]).toMatchObject({
      goal: 'Get order A-1001 refunded.',
      system: 'You refund orders.',
      metadata: { user_id: 'mia_1', outputs: ['42.5'] },
      reference: {
        toolCalls: [
          { name: 'get_order', arguments: { order_id: 'A-1001' } },
          { name: 'refund_order', arguments: { order_id: 'A-1001', amount: 42.5 } },
        ],
      },
    });
    expect(reading.sessions[0]?.turns[0]?.pointer).toBe('/0/traj/1');
  });

  it('keeps a run that ended early as a failed attempt', () => {
    const reading = read(fixture('tau-bench.json'));
    expect(reading.sessions[2]).toMatchObject({ turns: [], metadata: { error: 'Rate limit reached' } });
    expect(reading.problems).toMatchObject([{ code: 'run-failed', severity: 'warning', pointer: '/2/info/error' }]);
  });

  it('reports what it skips', () => {
    const run = { task_id: 'a', trial: 1, reward: 1, traj: [] };
    const reading = readTauBench(json([run, null, { ...run, traj: 5 }, run]));
    expect(reading.sessions.map(({ id }) => id)).toEqual(['task-a-trial-1', 'task-a-trial-1#2']);
    expect(codes(reading)).toEqual(['error not-a-run', 'error not-a-run', 'warning duplicate-session-id']);
    expect(codes(readTauBench(json(5)))).toEqual(['error not-a-run', 'error no-session']);
  });
});
