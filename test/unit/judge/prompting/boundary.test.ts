import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsText, drawMarker, sessionBoundary } from '../../../../src/judge/prompting/boundary.ts';
import { sessionOf } from '../../metrics/views.ts';
import { SESSION } from './arbitrary-session.ts';
import { KEY } from './parse-prompt.ts';

const OTHER_KEY = new Uint8Array(32).fill(8);

describe('sessionBoundary', () => {
  it('returns 16 hexadecimal digits, the same for an installation', () => {
    const session = sessionOf([{}]);
    expect(sessionBoundary(session, KEY)).toMatch(/^[0-9a-f]{16}$/);
    expect(sessionBoundary(session, KEY)).toBe(sessionBoundary(sessionOf([{}, {}]), KEY));
  });

  it('differs between installations and between sessions', () => {
    const session = sessionOf([{}]);
    expect(sessionBoundary(session, OTHER_KEY)).not.toBe(sessionBoundary(session, KEY));
    expect(sessionBoundary({ ...session, id: 's2' }, KEY)).not.toBe(sessionBoundary(session, KEY));
  });

  it('draws again while the session contains the marker', () => {
    const [first, second, third] = [0, 1, 2].map((draw) => drawMarker('s1', KEY, draw));
    const once = sessionOf([{ output: `The marker is ${first}.` }]);
    const twice = sessionOf([{ output: `${first}` }], { metadata: { [`x${second}x`]: [] } });
    expect(sessionBoundary(sessionOf([{}]), KEY)).toBe(first);
    expect(sessionBoundary(once, KEY)).toBe(second);
    expect(sessionBoundary(twice, KEY)).toBe(third);
  });

  it('never returns text of the session', () => {
    fc.assert(
      fc.property(SESSION, fc.nat(3), (session, draws) => {
        const known = Array.from({ length: draws }, (_, draw) => drawMarker(session.id, KEY, draw)).join();
        const hostile = { ...session, goal: known };
        expect(JSON.stringify(hostile)).not.toContain(sessionBoundary(hostile, KEY));
      }),
    );
  });
});

describe('containsText', () => {
  it.each([
    ['a string', 'an abc of it'],
    ['a key', { deep: [{ xabcx: null }] }],
    ['an item', [[['abc']]]],
  ])('is found in %s', (_, value) => {
    expect(containsText('abc', value)).toBe(true);
    expect(containsText('abd', value)).toBe(false);
  });

  it('finds text in a number', () => {
    expect(containsText('1234567890123456', { id: 1234567890123456 })).toBe(true);
  });

  it('finds text at any depth', () => {
    let deep: unknown = 'abc';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(containsText('abc', deep)).toBe(true);
  });
});
