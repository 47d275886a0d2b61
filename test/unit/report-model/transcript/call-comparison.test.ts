import { describe, expect, it } from 'vitest';
import type { Session, ToolStep, Turn } from '../../../../src/core/session.ts';
import { compareArguments } from '../../../../src/report-model/transcript/argument-changes.ts';
import { CallHistory } from '../../../../src/report-model/transcript/call-history.ts';
import { compareSessionCalls, compareTurnCalls } from '../../../../src/report-model/transcript/expected-calls.ts';

function call(name: string, args: ToolStep['arguments'], parts: Partial<ToolStep> = {}): ToolStep {
  return { type: 'tool', pointer: '/c', name, arguments: args, outcome: 'ok', requestedBy: 'agent', ...parts };
}

function turn(steps: readonly ToolStep[], parts: Partial<Turn> = {}): Turn {
  return { id: 't', pointer: '/t', input: null, output: null, steps, ...parts };
}

function session(turns: readonly Turn[], parts: Partial<Session> = {}): Session {
  return { id: 's', source: { file: 'a.json', format: 'turnwise', pointer: '' }, turns, ...parts };
}

describe('the arguments of two calls', () => {
  it('are compared key by key, whatever the order of keys', () => {
    expect(
      compareArguments({ id: 'a', amount: 370, x: { b: 1, a: 2 } }, { x: { a: 2, b: 1 }, amount: 37, note: 'n' }),
    ).toEqual({
      changes: [
        { name: 'id', before: '"a"', after: null },
        { name: 'amount', before: '370', after: '37' },
        { name: 'note', before: null, after: '"n"' },
      ],
      equal: 1,
    });
  });

  it('are compared as a whole if they are no objects', () => {
    expect(compareArguments('ls', 'ls')).toEqual({ changes: [], equal: 1 });
    expect(compareArguments('ls', { path: '.' }).changes).toEqual([{ name: null, before: 'ls', after: 'path: "."' }]);
  });
});

describe('earlier calls', () => {
  const earlierOf = (...turns: readonly (readonly ToolStep[])[]) => {
    const made = session(turns.map((steps) => turn(steps)));
    const last = turns.at(-1)?.at(-1);
    return last ? new CallHistory(made).earlier(last) : null;
  };

  it('have the same arguments, with another call of the tool in between', () => {
    const earlierCall = earlierOf([call('pay', { id: 1 }), call('pay', { id: 2 })], [call('pay', { id: 1 })]);
    expect(earlierCall).toMatchObject({ turn: 0, step: 0, changes: [] });
  });

  it('show what changed in another try', () => {
    const failed = call('pay', { id: 1, amount: 370 }, { outcome: 'error' });
    expect(earlierOf([failed], [call('pay', { id: 1, amount: 37 })])).toMatchObject({
      turn: 0,
      step: 0,
      changes: [{ name: 'amount', before: '370', after: '37' }],
      equal: 1,
    });
  });

  it.each<[string, ToolStep, ToolStep]>([
    ['another tool', call('pay', { id: 1 }), call('refund', { id: 1 })],
    ['other arguments after a success', call('read', { path: 'a' }), call('read', { path: 'b' })],
    ['no arguments', call('list', {}), call('list', {})],
    ['the user', call('pay', { id: 1 }, { requestedBy: 'user' }), call('pay', { id: 1 })],
  ])('are no repetition: %s', (_, first, second) => {
    expect(earlierOf([first, second])).toBeNull();
  });
});

describe('expected calls', () => {
  const made = [call('find', { id: 1 }), call('pay', { id: 1, amount: 370 }), call('mail', {})];
  const expected = [
    { name: 'find', arguments: { id: 1 } },
    { name: 'pay', arguments: { id: 1, amount: 37 } },
    { name: 'close', arguments: {} },
  ];

  it('stand beside the calls of a turn', () => {
    const compared = compareTurnCalls(turn(made, { reference: { toolCalls: expected } }), 4);
    expect(compared?.map(({ match, name, made, changes }) => [match, name, made?.turn, changes.length])).toEqual([
      ['same', 'find', 4, 0],
      ['arguments', 'pay', 4, 1],
      ['missing', 'close', undefined, 0],
      ['unexpected', 'mail', 4, 0],
    ]);
    expect(compared?.[1]?.changes).toEqual([{ name: 'amount', before: '37', after: '370' }]);
  });

  it('of a session are found in any turn', () => {
    const turns = [turn(made.slice(1)), turn(made.slice(0, 1))];
    const compared = compareSessionCalls(session(turns, { reference: { toolCalls: expected.slice(0, 2) } }));
    expect(compared?.map(({ match, made }) => [match, made?.turn])).toEqual([
      ['same', 1],
      ['arguments', 0],
      ['unexpected', 0],
    ]);
  });

  it('are not compared where nothing is expected or recorded', () => {
    expect(compareTurnCalls(turn(made), 0)).toBeNull();
    expect(compareTurnCalls(turn([], { reference: { toolCalls: expected }, captured: false }), 0)).toBeNull();
    expect(compareSessionCalls(session([turn(made)]))).toBeNull();
  });
});
