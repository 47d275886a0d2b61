import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/core/session.ts';
import { joinSessions } from '../../../src/input/join-sessions.ts';

function part(file: string, id: string, starts: readonly (string | undefined)[], more: Partial<Session> = {}): Session {
  return {
    id,
    source: { file, format: 'spans', pointer: '' },
    turns: starts.map((startedAt, index) => ({
      id: `${file}-${index}`,
      pointer: `/${index}`,
      input: 'hello',
      output: 'hi',
      startedAt,
      steps: [],
    })),
    ...more,
  };
}

const joined = (...sessions: Session[]) => joinSessions(sessions, (format) => format === 'spans');
const at = (minute: number) => `2026-01-01T10:${String(minute).padStart(2, '0')}:00Z`;

describe('joinSessions', () => {
  it('has the tags of all parts, each once', () => {
    const parts = [part('a', 's', [at(1)], { tags: ['x', 'y'] }), part('b', 's', [at(2)], { tags: ['y', 'z'] })];
    expect(joined(...parts).sessions[0]?.tags).toEqual(['x', 'y', 'z']);
    expect(joined(part('a', 's', [at(1)]), part('b', 's', [at(2)])).sessions[0]?.tags).toBeUndefined();
  });

  it('sorts the turns of a session by start and sets their file', () => {
    const { sessions, problems } = joined(
      part('b', 's', [at(2), at(9)]),
      part('x', 'other', [at(0)]),
      part('a', 's', [at(1), at(5)]),
    );
    expect(sessions.map(({ id, source }) => [id, source.file])).toEqual([
      ['s', 'b'],
      ['other', 'x'],
    ]);
    expect(sessions[0]?.turns.map(({ id, file, pointer }) => [id, file, pointer])).toEqual([
      ['a-0', 'a', '/0'],
      ['b-0', undefined, '/0'],
      ['a-1', 'a', '/1'],
      ['b-1', undefined, '/1'],
    ]);
    expect(problems).toEqual([]);
  });

  it('compares times, not texts', () => {
    const { sessions } = joined(
      part('a', 's', ['2026-01-01T10:00:00+02:00']),
      part('b', 's', ['2026-01-01T09:00:00Z']),
    );
    expect(sessions[0]?.turns.map(({ id }) => id)).toEqual(['a-0', 'b-0']);
  });

  it('does not change sessions of other formats and other ids', () => {
    const chat = part('a', 's', [], { source: { file: 'a', format: 'chat', pointer: '' } });
    expect(joined(chat, { ...chat }, part('b', 's', []), part('c', 't', [])).sessions).toHaveLength(4);
  });

  it('puts turns without a start last, with a warning', () => {
    const { sessions, problems } = joined(part('a', 's', [undefined]), part('b', 's', [at(1)]));
    expect(sessions[0]?.turns.map(({ id }) => id)).toEqual(['b-0', 'a-0']);
    expect(problems).toMatchObject([{ file: 'a', severity: 'warning', code: 'no-start-time' }]);
  });

  it('takes single values of the first part and entries of all parts', () => {
    const { sessions } = joined(
      part('a', 's', [at(1)], { goal: 'first', scores: { x: 1 }, metadata: { a: 1, both: 'a' } }),
      part('b', 's', [at(2)], {
        goal: 'second',
        system: 'policy',
        scores: { x: 2, y: 3 },
        metadata: { b: 2, both: 'b' },
      }),
    );
    expect(sessions[0]).toMatchObject({
      goal: 'first',
      system: 'policy',
      scores: { x: 1, y: 3 },
      metadata: { a: 1, b: 2, both: 'a' },
    });
  });

  it('keeps a different tool catalogue on its turns', () => {
    const { sessions } = joined(
      part('a', 's', [at(1)], { tools: [{ name: 'search' }] }),
      part('b', 's', [at(2)], { tools: [{ name: 'refund' }] }),
      part('c', 's', [at(3)], { tools: [{ name: 'search' }] }),
    );
    expect(sessions[0]?.tools).toEqual([{ name: 'search' }]);
    expect(sessions[0]?.turns.map(({ tools }) => tools)).toEqual([undefined, [{ name: 'refund' }], undefined]);
  });

  it('gives every turn a unique id', () => {
    const session = part('a', 's', [at(1)]);
    const other = { ...part('b', 's', []), turns: session.turns.map((turn) => ({ ...turn, input: 'something else' })) };
    expect(joined(session, other).sessions[0]?.turns.map(({ id }) => id)).toEqual(['a-0', 'a-0#2']);
  });

  it('counts a trace once when two files contain it', () => {
    const session = part('a', 's', [at(1), at(2)]);
    const copy = { ...session, source: { ...session.source, file: 'copy' } };
    const { sessions, problems } = joined(session, copy);
    expect(sessions[0]?.turns).toHaveLength(2);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatchObject({ file: 'a', severity: 'warning', code: 'same-turn-twice' });
  });

  describe('turns replayed from a history', () => {
    /** A part with one trace, and the turns that its history holds. */
    const trace = (file: string, input: string, minute: number, ...history: string[]): Session => {
      const own = part(file, 's', [...history.map(() => undefined), at(minute)]);
      const texts = [...history, input];
      return {
        ...own,
        turns: own.turns.map((turn, index) => ({
          ...turn,
          id: index < history.length ? `${file}/earlier${index > 0 ? `#${index + 1}` : ''}` : file,
          input: texts[index] ?? null,
        })),
      };
    };
    const shown = (...parts: Session[]) => {
      const { sessions, problems } = joined(...parts);
      expect(problems).toEqual([]);
      return sessions[0]?.turns.map(({ id, input }) => [id, input]);
    };

    it('count once', () => {
      expect(shown(trace('a', 'one', 1), trace('b', 'two', 2, 'one'), trace('c', 'three', 3, 'one', 'two'))).toEqual([
        ['a', 'one'],
        ['b', 'two'],
        ['c', 'three'],
      ]);
    });

    it('are kept before the turn with the history when no file has their trace', () => {
      expect(shown(trace('c', 'three', 3, 'one', 'two'), trace('b', 'two', 2, 'one'))).toEqual([
        ['b/earlier', 'one'],
        ['b', 'two'],
        ['c', 'three'],
      ]);
    });

    it('may have the same text twice', () => {
      expect(shown(trace('a', 'go on', 1), trace('c', 'go on', 3, 'go on', 'go on'))).toEqual([
        ['a', 'go on'],
        ['c/earlier#2', 'go on'],
        ['c', 'go on'],
      ]);
    });
  });

  it('keeps the copy of a turn that has steps', () => {
    const session = part('a', 's', [at(1), at(2)]);
    const steps = [{ type: 'model' as const, pointer: '/0', text: 'hi' }];
    const turns = session.turns.map((turn) => ({ ...turn, startedAt: at(3), output: 'hi there', steps }));
    const { sessions, problems } = joined(session, { ...part('b', 's', []), turns: turns.slice(0, 1) });
    expect(sessions[0]?.turns.map(({ id, file, output }) => [id, file, output])).toEqual([
      ['a-1', undefined, 'hi'],
      ['a-0', 'b', 'hi there'],
    ]);
    expect(problems).toEqual([]);
  });

  it('takes linear time', () => {
    const parts = Array.from({ length: 20_000 }, (_, index) => part(`f${index}`, 's', [at(index % 60)]));
    expect(joined(...parts).sessions[0]?.turns).toHaveLength(20_000);
  });
});
