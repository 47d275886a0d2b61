import { describe, expect, it } from 'vitest';
import { load } from '../../../src/input/load.ts';
import { sidecarNames } from '../../../src/input/sidecar.ts';
import { memoryFileSystem, systemError } from './memory-file-system.ts';
import { plainFormat } from './plain-format.ts';

const trace = '{"sessions": [{"id": "a", "goal": "its own", "turns": ["one", "two"]}]}';
const twoSessions = '{"sessions": [{"id": "a", "turns": ["one"]}, {"id": "b", "turns": ["two"]}]}';

function beside(sidecar: unknown, content = trace) {
  const text = typeof sidecar === 'string' ? sidecar : JSON.stringify(sidecar, null, 1);
  const files = memoryFileSystem({ 'dir/x.trace.json': content, 'dir/x.turnwise.json': text });
  return load(['dir/x.trace.json'], files, { signal: new AbortController().signal }, [plainFormat]);
}

describe('sidecarNames', () => {
  it.each([
    ['refund.trace.json', ['refund.trace.turnwise.json', 'refund.turnwise.json']],
    ['dir/refund.json', ['dir/refund.turnwise.json']],
    ['dir/12.session.json', ['dir/12.session.turnwise.json', 'dir/12.turnwise.json']],
    ['log.v2.jsonl', ['log.v2.turnwise.json']],
    ['a.turnwise.json', ['a.turnwise.turnwise.json']],
  ])('gives the candidates for %s', (file, names) => {
    expect(sidecarNames(file)).toEqual(names);
  });
});

describe('a sidecar', () => {
  it('adds values that the trace lacks', async () => {
    const { sessions, problems } = await beside({
      goal: 'from the sidecar',
      system: 'policy',
      knowledge: ['fact'],
      tools: [
        { type: 'function', function: { name: 'search' } },
        { name: 'refund', changesState: true },
      ],
      reference: { goalReached: true, finalState: { paid: 1 } },
      labels: { agent_reliability: 0.2 },
      suppressions: [{ rule: 'repeated-call', reason: 'the tool is flaky' }],
      turns: [
        { index: 0, reference: { response: 'yes', toolCalls: [{ name: 'search', arguments: { q: 1 } }] } },
        { id: 't2', labels: { helpfulness: 'good' }, suppressions: [{ rule: 'no-answer', reason: 'on purpose' }] },
      ],
    });
    // A trace does not show the final state, so nothing can check it.
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'unchecked-reference', pointer: '/reference/finalState', line: expect.any(Number) },
    ]);
    expect(sessions).toMatchObject([
      {
        goal: 'its own',
        system: 'policy',
        knowledge: ['fact'],
        tools: [{ name: 'search' }, { name: 'refund', changesState: true }],
        reference: { goalReached: true, finalState: { paid: 1 } },
        scores: { agent_reliability: 0.2 },
        suppressions: [{ rule: 'repeated-call', reason: 'the tool is flaky' }],
        turns: [
          { reference: { response: 'yes', toolCalls: [{ name: 'search', arguments: { q: 1 } }] } },
          { scores: { helpfulness: 'good' }, suppressions: [{ rule: 'no-answer', reason: 'on purpose' }] },
        ],
      },
    ]);
  });

  it('adds expectations, and refuses those that it does not know', async () => {
    const toolCalls = { matchMode: 'contains', expected: [{ name: 'search', args: { q: 1 } }] };
    const known = await beside({ turns: [{ index: 0, reference: { expectations: { toolCalls } } }] });
    expect(known.problems).toEqual([]);
    expect(known.sessions).toMatchObject([{ turns: [{ reference: { expectations: { toolCalls } } }, {}] }]);
    const unknown = await beside({ reference: { expectations: { toolCalls: { ...toolCalls, matchMode: 'any' } } } });
    expect(unknown.problems).toMatchObject([
      { severity: 'error', code: 'invalid-value', pointer: '/reference/expectations/toolCalls/matchMode' },
    ]);
    const misspelt = await beside({ reference: { expectations: { toolCalls: { ...toolCalls, forbiden: ['x'] } } } });
    expect(misspelt.problems).toMatchObject([
      { severity: 'warning', code: 'unknown-key', pointer: '/reference/expectations/toolCalls/forbiden' },
    ]);
  });

  it('prefers the entry of a session to that of all sessions', async () => {
    const { sessions, problems } = await beside(
      {
        goal: 'of all',
        coding: true,
        labels: { x: 1, y: 1 },
        sessions: [{ id: 'b', goal: 'of b', coding: false, labels: { x: 2 }, turns: [{ index: 0, labels: { z: 3 } }] }],
      },
      twoSessions,
    );
    expect(problems).toEqual([]);
    expect(sessions).toMatchObject([
      { goal: 'of all', coding: true, scores: { x: 1, y: 1 } },
      { goal: 'of b', coding: false, scores: { x: 2, y: 1 }, turns: [{ scores: { z: 3 } }] },
    ]);
  });

  it.each([
    ['a session that is none', { sessions: [{ id: 'c' }] }, 'unknown-session', 3],
    ['a turn that is none', { turns: [{ index: 0 }, { index: 7 }] }, 'unknown-turn', 6],
    ['a turn id that is none', { turns: [{ id: 'zz' }] }, 'unknown-turn', 3],
    ['a misspelt key', { goals: 'x' }, 'unknown-key', 2],
    ['a misspelt key of a turn', { turns: [{ index: 0, label: {} }] }, 'unknown-key', 5],
    ['a tool without a name', { tools: [{ name: 'a' }, {}] }, 'tool-without-name', 6],
  ])('warns of %s, with its line', async (_, sidecar, code, line) => {
    const { sessions, problems } = await beside(sidecar);
    expect(problems).toMatchObject([{ file: 'dir/x.turnwise.json', severity: 'warning', code, line }]);
    expect(sessions).toHaveLength(1);
  });

  it('keeps valid keys beside an unknown one', async () => {
    expect((await beside({ goals: 'x', system: 'policy' })).sessions).toMatchObject([{ system: 'policy' }]);
  });

  it('declares tasks: of one session before those of all, with numbers as texts', async () => {
    const { sessions, problems } = await beside(
      { task: { id: 'refund', agent: 'v1' }, sessions: [{ id: 'b', task: { trial: 2, agent: 'v2' } }] },
      twoSessions,
    );
    expect(sessions.map(({ task }) => task)).toEqual([
      { id: 'refund', trial: undefined, agent: 'v1', declared: true },
      { id: 'refund', trial: '2', agent: 'v2', declared: true },
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    [
      'a trial without a task',
      { goal: 'x', task: { trial: 1 } },
      trace,
      'task-without-id',
      'Add the "id" of the task.',
    ],
    [
      'one trial of several sessions',
      { goal: 'x', task: { id: 'y', trial: 1 } },
      twoSessions,
      'trial-without-session',
      'Move it to entries of "sessions".',
    ],
    [
      'an unknown key of a task',
      { goal: 'x', task: { id: 'y', name: 1 } },
      trace,
      'unknown-key',
      'Check the spelling.',
    ],
  ])('warns about %s', async (_, sidecar, content, code, remedy) => {
    const { problems } = await beside(sidecar, content);
    expect(problems).toMatchObject([
      { file: 'dir/x.turnwise.json', severity: 'warning', code, line: expect.any(Number) },
    ]);
    expect(problems[0]?.message).toContain(remedy);
  });

  it('applies top-level turns only to a trace with one session', async () => {
    const { problems } = await beside({ turns: [{ index: 0, labels: { x: 1 } }] }, twoSessions);
    expect(problems).toMatchObject([{ severity: 'warning', code: 'turns-without-session', line: 2 }]);
  });

  it.each([
    ['a wrong type', { system: 1 }, 'invalid-value', 2],
    ['a turn with neither id nor index', { turns: [{ labels: {} }] }, 'invalid-value', 3],
    ['a suppression without a reason', { suppressions: [{ rule: 'x' }] }, 'invalid-value', 3],
    ['a task of a wrong type', { goal: 'x', task: { id: ['y'] } }, 'invalid-value', 4],
    ['a label of a wrong type', { goal: 'x', labels: { y: null } }, 'invalid-value', 4],
    ['a list', [], 'invalid-value', 1],
    ['broken JSON', '{"goal": ', 'truncated', 1],
    ['an empty file', '', 'empty-file', null],
  ])('is ignored with an error for %s, with its line', async (_, sidecar, code, line) => {
    const { sessions, problems } = await beside(sidecar);
    expect(problems).toMatchObject([{ file: 'dir/x.turnwise.json', severity: 'error', code, line }]);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.system).toBeUndefined();
  });

  it('is ignored when it is unreadable, and its trace is read', async () => {
    const files = memoryFileSystem({ 'x.json': trace, 'x.turnwise.json': systemError('EACCES') });
    const { sessions, problems } = await load(['.'], files, { signal: new AbortController().signal }, [plainFormat]);
    expect(sessions).toHaveLength(1);
    expect(problems).toMatchObject([{ file: 'x.turnwise.json', severity: 'error', code: 'unreadable' }]);
  });

  it('does not hide that reading is aborted', async () => {
    const controller = new AbortController();
    const files = memoryFileSystem({ 'x.json': trace, 'x.turnwise.json': '{}' });
    const read = async (path: string) => {
      if (path === 'x.turnwise.json') controller.abort(new Error('stopped'));
      controller.signal.throwIfAborted();
      return files.read(path);
    };
    const reading = load(['x.json'], { ...files, read }, { signal: controller.signal }, [plainFormat]);
    await expect(reading).rejects.toThrow('stopped');
  });

  it('is not a sidecar when it is a Turnwise session file', async () => {
    const own = '{"turnwise": 1, "sessions": [{"id": "own", "turns": ["x"]}]}';
    const files = memoryFileSystem({ 'x.json': trace, 'x.turnwise.json': own });
    const { sessions, problems } = await load(['.'], files, { signal: new AbortController().signal }, [plainFormat]);
    expect(sessions.map(({ id }) => id)).toEqual(['a', 'own']);
    expect(problems).toEqual([]);
  });

  it('cannot change a prototype', async () => {
    const { sessions } = await beside(
      '{"labels": {"__proto__": 1}, "reference": {"finalState": {"__proto__": {"x": 1}}}}',
    );
    expect({}).not.toHaveProperty('x');
    expect(sessions).toHaveLength(1);
  });
});
