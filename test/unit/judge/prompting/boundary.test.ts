import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryOf, drawn, occurs } from '../../../../src/judge/prompting/boundary.ts';
import { sessionOf } from '../../metrics/views.ts';
import { KEY } from './reading.ts';
import { SESSION } from './sessions.ts';

const OTHER_KEY = new Uint8Array(32).fill(8);

describe('the boundary of a session', () => {
  it('is 16 hexadecimal digits, the same whenever an installation draws it', () => {
    const session = sessionOf([{}]);
    expect(boundaryOf(session, KEY)).toMatch(/^[0-9a-f]{16}$/);
    expect(boundaryOf(session, KEY)).toBe(boundaryOf(sessionOf([{}, {}]), KEY));
  });

  it('is another one for another installation, and for another session', () => {
    const session = sessionOf([{}]);
    expect(boundaryOf(session, OTHER_KEY)).not.toBe(boundaryOf(session, KEY));
    expect(boundaryOf({ ...session, id: 's2' }, KEY)).not.toBe(boundaryOf(session, KEY));
  });

  it('is drawn again for as long as the session has it in any text', () => {
    const [first, second, third] = [0, 1, 2].map((draw) => drawn('s1', KEY, draw));
    const once = sessionOf([{ output: `The marker is ${first}.` }]);
    const twice = sessionOf([{ output: `${first}` }], { metadata: { [`x${second}x`]: [] } });
    expect(boundaryOf(sessionOf([{}]), KEY)).toBe(first);
    expect(boundaryOf(once, KEY)).toBe(second);
    expect(boundaryOf(twice, KEY)).toBe(third);
  });

  it('never occurs in the session', () => {
    fc.assert(
      fc.property(SESSION, fc.nat(3), (session, draws) => {
        const known = Array.from({ length: draws }, (_, draw) => drawn(session.id, KEY, draw)).join();
        const hostile = { ...session, goal: known };
        expect(JSON.stringify(hostile)).not.toContain(boundaryOf(hostile, KEY));
      }),
    );
  });
});

describe('what occurs in a value', () => {
  it.each([
    ['a string', 'an abc of it'],
    ['a key', { deep: [{ xabcx: null }] }],
    ['an item', [[['abc']]]],
  ])('is found in %s', (_, value) => {
    expect(occurs('abc', value)).toBe(true);
    expect(occurs('abd', value)).toBe(false);
  });

  it('is found in a number', () => {
    expect(occurs('1234567890123456', { id: 1234567890123456 })).toBe(true);
  });

  it('is found at any depth', () => {
    let deep: unknown = 'abc';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(occurs('abc', deep)).toBe(true);
  });
});
