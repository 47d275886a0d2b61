import { describe, expect, it } from 'vitest';
import { turnwise } from '../../../src/formats/turnwise.ts';
import { callAt, codes, fixture, json, jsonLines, onlySession, read, turnAt } from './read-fixture.ts';

const turn = { input: 'hi', output: 'hello', steps: [] };
const file = (...sessions: readonly unknown[]) => json({ turnwise: 1, sessions });
const session = (more: object = {}) => ({ id: 's1', turns: [turn], ...more });
const steps = (...list: readonly unknown[]) => file(session({ turns: [{ ...turn, steps: list }] }));

describe('a session file', () => {
  it('is read unchanged, with pointers', () => {
    const document = fixture('sessions.turnwise.json');
    const reading = read(document);
    expect(reading.problems).toEqual([]);
    expect(onlySession(reading)).toMatchObject({
      id: 'conv_42',
      source: { file: 'sessions.turnwise.json', format: 'turnwise', pointer: '/sessions/0' },
      goal: 'Get order A-1001 refunded',
      knowledge: ['Refunds arrive within 5 business days.'],
      metadata: { channel: 'chat' },
      task: { id: 'refund', trial: '1', dataset: 'demo', agent: 'v2' },
      tools: [{ name: 'get_order' }, { name: 'refund_order', changesState: true }],
      reference: { goalReached: true, documents: ['faq-7'] },
      scores: { goal_completion: 1 },
    });
    const [first, second] = onlySession(reading).turns;
    expect(first).toMatchObject({
      pointer: '/sessions/0/turns/0',
      inputPointer: '/sessions/0/turns/0/input',
      outputPointer: '/sessions/0/turns/0/output',
      reference: { orderMatters: true, forbiddenTools: ['cancel_order'] },
      scores: { helpfulness: 4 },
    });
    expect(second?.steps.map(({ type, pointer }) => [type, pointer])).toEqual([
      ['retrieval', '/sessions/0/turns/1/steps/0'],
      ['agent', '/sessions/0/turns/1/steps/1'],
      ['model', '/sessions/0/turns/1/steps/2'],
    ]);
    expect(second?.steps[1]).toMatchObject({
      name: 'faq',
      turns: [{ id: 't1', pointer: '/sessions/0/turns/1/steps/1/turns/0' }],
    });
  });

  it('may have a session on every line', () => {
    const reading = read(fixture('sessions.turnwise.jsonl'));
    expect(reading.sessions.map(({ id, source }) => [id, source.pointer])).toEqual([
      ['conv_42', '/0'],
      ['conv_43', '/1'],
    ]);
    expect(reading.problems).toEqual([]);
  });

  it('may have a version on a line', () => {
    expect(onlySession(read(jsonLines([{ turnwise: 1, id: 'a', turns: [] }]))).id).toBe('a');
  });
});

describe('tool steps', () => {
  const tool = { type: 'tool', name: 'f', arguments: {} };
  it.each<[object, object]>([
    [{ result: 1 }, { outcome: 'ok', requestedBy: 'agent', resultPointer: '/sessions/0/turns/0/steps/0/result' }],
    [{ result: null }, { outcome: 'ok', result: null }],
    [{}, { outcome: 'missing', resultPointer: undefined }],
    [{ error: 'no' }, { outcome: 'error', error: 'no', resultPointer: '/sessions/0/turns/0/steps/0/error' }],
    [{ result: 'Error: no' }, { outcome: 'error', error: 'Error: no' }],
    [
      { result: 'Error: no', outcome: 'ok' },
      { outcome: 'ok', error: undefined },
    ],
    [
      { result: 'Error: no', outcome: 'error' },
      { outcome: 'error', error: 'Error: no' },
    ],
    [{ outcome: 'rejected' }, { outcome: 'rejected' }],
    [{ outcome: 'ok' }, { outcome: 'ok' }],
    [{ requestedBy: 'user', result: 1 }, { requestedBy: 'user' }],
    [{ arguments: 'not JSON' }, { arguments: 'not JSON' }],
  ])('%j', (more, expected) => {
    expect(turnAt(onlySession(read(steps({ ...tool, ...more }))), 0).steps[0]).toMatchObject(expected);
  });

  it('keep argument keys such as __proto__', () => {
    const input = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
    const reading = read(steps({ ...tool, arguments: input, result: 1 }));
    expect(Object.keys(callAt(turnAt(onlySession(reading), 0), 0).arguments)).toEqual(['__proto__', 'constructor']);
    expect(reading.problems).toEqual([]);
  });
});

describe('invalid content', () => {
  it.each<[string, unknown, string, string]>([
    ['a misspelt key of a session', session({ gaol: 'x' }), 'warning unknown-key', '/sessions/0/gaol'],
    [
      'a misspelt key of a task',
      session({ task: { id: 'a', name: 'b' } }),
      'warning unknown-key',
      '/sessions/0/task/name',
    ],
    [
      'a misspelt key of a tool',
      session({ tools: [{ name: 'a' }, { name: 'b', desc: 'c' }] }),
      'warning unknown-key',
      '/sessions/0/tools/1/desc',
    ],
    [
      'a misspelt key of a turn',
      session({ turns: [{ ...turn, ouput: 'x' }] }),
      'warning unknown-key',
      '/sessions/0/turns/0/ouput',
    ],
    [
      'a key that names the prototype',
      session(JSON.parse('{"__proto__": 1}')),
      'warning unknown-key',
      '/sessions/0/__proto__',
    ],
    ['a goal that is no text', session({ goal: 5 }), 'warning wrong-type', '/sessions/0/goal'],
    [
      'a tool that has no name',
      session({ tools: [{ name: 'a' }, { description: 'b' }] }),
      'warning wrong-type',
      '/sessions/0/tools/1',
    ],
    ['a score that is no score', session({ scores: { a: [1] } }), 'warning wrong-type', '/sessions/0/scores/a'],
    [
      'a time that is none',
      session({ turns: [{ ...turn, startedAt: 'noon' }] }),
      'warning wrong-type',
      '/sessions/0/turns/0/startedAt',
    ],
    [
      'an output that is no text',
      session({ turns: [{ ...turn, output: 5 }, turn] }),
      'warning wrong-type',
      '/sessions/0/turns/0/output',
    ],
    ['a missing output', session({ turns: [{ input: 'a' }, turn] }), 'warning wrong-type', '/sessions/0/turns/0'],
    ['a turn that is no object', session({ turns: [5, turn] }), 'warning wrong-type', '/sessions/0/turns/0'],
    [
      'steps that are no list',
      session({ turns: [{ ...turn, steps: {} }, turn] }),
      'warning wrong-type',
      '/sessions/0/turns/0/steps',
    ],
    [
      'a step of no known type',
      session({ turns: [{ ...turn, steps: [{ type: 'thought' }] }] }),
      'warning unknown-step',
      '/sessions/0/turns/0/steps/0',
    ],
    [
      'a call without a name',
      session({ turns: [{ ...turn, steps: [{ type: 'tool', arguments: {} }] }] }),
      'warning wrong-type',
      '/sessions/0/turns/0/steps/0',
    ],
    [
      'turns with one id',
      session({
        turns: [
          { ...turn, id: 'a' },
          { ...turn, id: 'a' },
        ],
      }),
      'warning duplicate-turn-id',
      '/sessions/0/turns/1',
    ],
  ])('%s is reported, and the session is read', (_, value, code, pointer) => {
    const reading = read(file(value));
    expect(onlySession(reading).turns.length).toBeGreaterThan(0);
    expect(codes(reading)).toEqual([code]);
    expect(reading.problems[0]?.pointer).toBe(pointer);
    expect(reading.problems[0]?.message).toMatch(/\.$/);
  });

  it('lists the valid keys', () => {
    expect(read(file(session({ gaol: 'x' }))).problems[0]?.message).toContain('goal');
  });

  it.each<[string, unknown, string]>([
    ['no object', 5, '/sessions/0'],
    ['without an id', { turns: [] }, '/sessions/0'],
    ['whose turns are no list', { id: 'a', turns: {} }, '/sessions/0/turns'],
  ])('a session that is %s does not affect the others', (_, value, pointer) => {
    const reading = turnwise.read(file(value, session()));
    expect(reading.sessions.map(({ id }) => id)).toEqual(['s1']);
    expect(codes(reading)).toEqual(['error wrong-type']);
    expect(reading.problems[0]?.pointer).toBe(pointer);
  });

  it('a wrong field is dropped from its turn', () => {
    const { turns } = onlySession(read(file(session({ turns: [{ ...turn, scores: 5, startedAt: '2026-01-01' }] }))));
    expect([turns[0]?.scores, turns[0]?.startedAt, turns[0]?.output]).toEqual([undefined, '2026-01-01', 'hello']);
  });

  it('sessions with the same id are renamed', () => {
    const reading = read(file(session(), session()));
    expect(reading.sessions.map(({ id }) => id)).toEqual(['s1', 's1#2']);
    expect(codes(reading)).toEqual(['warning duplicate-session-id']);
  });

  it('a file of a later version is an error', () => {
    const reading = read(json({ turnwise: 2, sessions: [session()] }));
    expect(reading.sessions).toEqual([]);
    expect(codes(reading)).toEqual(['error wrong-type']);
  });

  it('a file without sessions is an error', () => {
    expect(codes(read(file()))).toEqual(['error no-session']);
  });

  it('endless sub-agents are cut at the maximum depth', () => {
    let inner: object = turn;
    for (let depth = 0; depth < 20_000; depth += 1)
      inner = { ...turn, steps: [{ type: 'agent', name: 'a', turns: [inner] }] };
    expect(codes(read(file(session({ turns: [inner] }))))).toEqual(['warning too-deep']);
  });
});
