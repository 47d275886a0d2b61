import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeAlignment } from '../../../../src/metrics/shared/call-descriptions.ts';
import {
  alignCalls,
  argumentSimilarity,
  assignCalls,
  type CallSignature,
  callKeys,
} from '../../../../src/metrics/shared/call-matching.ts';

const value = fc.constantFrom(1, 2, 'a', null, [1], { x: 1 }, { x: 1, y: 2 }, {});
const args = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), value, { maxKeys: 3 });
const calls = fc.array(fc.record({ name: fc.constantFrom('f', 'g'), arguments: fc.oneof(args, fc.constant('raw')) }), {
  maxLength: 6,
});

/** Nested objects of this depth, parsed from JSON. */
const nested = (depth: number): Record<string, unknown> => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

describe('similarity', () => {
  it.each([
    ['equal whatever the order of keys', { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, 1],
    ['nothing in either', {}, {}, 1],
    ['one of two keys', { a: 1, b: 2 }, { a: 1, b: 3 }, 0.5],
    ['one of the keys of both', { a: 1 }, { a: 1, b: 3 }, 0.5],
    ['nested objects by their share', { a: 1, b: { x: 1, y: 2 } }, { a: 1, b: { x: 1, y: 3 } }, 0.75],
    ['arrays as a whole', { a: [1, 2] }, { a: [2, 1] }, 0],
    ['absent is not null', { a: null }, {}, 0],
    ['text that was no JSON', 'raw', { a: 1 }, 0],
  ])('%s', (_, a, b, expected) => {
    expect(argumentSimilarity(a, b)).toBe(expected);
  });

  it('is 1 only for equal values, symmetric, and 1 minus it is a metric', () => {
    fc.assert(
      fc.property(args, args, args, (a, b, c) => {
        const [[keyA, keyB]] = [
          callKeys(
            [
              { name: 'f', arguments: a },
              { name: 'f', arguments: b },
            ],
            'actual',
          ),
        ];
        expect(argumentSimilarity(a, b) === 1).toBe(keyA === keyB);
        expect(argumentSimilarity(a, b)).toBe(argumentSimilarity(b, a));
        expect(1 - argumentSimilarity(a, c)).toBeLessThanOrEqual(
          1 - argumentSimilarity(a, b) + (1 - argumentSimilarity(b, c)) + 1e-12,
        );
      }),
    );
  });

  it('does not overflow the stack', () => {
    expect(argumentSimilarity(nested(50_000), nested(50_000))).toBe(0);
    expect(callKeys([{ name: 'f', arguments: nested(50_000) }], 'actual')).not.toEqual(
      callKeys([{ name: 'f', arguments: nested(50_000) }], 'expected'),
    );
  });
});

describe('assignCalls', () => {
  const worth = (expected: readonly CallSignature[], actual: readonly CallSignature[]) =>
    assignCalls(expected, actual).reduce(
      (sum, [a, b]) => sum + argumentSimilarity(expected[a]?.arguments, actual[b]?.arguments),
      0,
    );

  /** The best sum over all pairings of calls of one tool. */
  function best([first, ...rest]: readonly CallSignature[], actual: readonly CallSignature[]): number {
    if (!first) return 0;
    return Math.max(
      best(rest, actual),
      ...actual.flatMap((call, index) =>
        call.name === first.name
          ? argumentSimilarity(first.arguments, call.arguments) + best(rest, actual.toSpliced(index, 1))
          : [],
      ),
    );
  }

  it('finds the best pairing even though it pairs equal calls first', () => {
    fc.assert(
      fc.property(calls, calls, (expected, actual) => {
        expect(worth(expected, actual)).toBeCloseTo(best(expected, actual), 9);
      }),
    );
  });

  it('does not depend on the order of either side', () => {
    fc.assert(
      fc.property(calls, calls, (expected, actual) => {
        expect(worth(expected.toReversed(), actual)).toBeCloseTo(worth(expected, actual.toReversed()), 9);
      }),
    );
  });

  it('handles thousands of calls of one tool', () => {
    const many = Array.from({ length: 3000 }, (_, i): CallSignature => ({ name: 'f', arguments: { i } }));
    const other = many.map((call): CallSignature => ({ ...call, arguments: { j: 1 } }));
    expect(assignCalls(many, other)).toHaveLength(3000);
  });
});

describe('alignCalls', () => {
  it('accounts for every call once', () => {
    fc.assert(
      fc.property(calls, calls, fc.boolean(), fc.boolean(), (expected, actual, ordered, ignoreArguments) => {
        const { matches, unexpected } = alignCalls(expected, actual, { ordered, ignoreArguments });
        const paired = matches.flatMap((match) => (match ? [match.actual] : []));
        expect(matches).toHaveLength(expected.length);
        expect([...paired, ...unexpected].sort((a, b) => a - b)).toEqual([...actual.keys()]);
      }),
    );
  });

  const words = (expected: readonly CallSignature[], actual: readonly CallSignature[]) =>
    describeAlignment(alignCalls(expected, actual, { ordered: true, ignoreArguments: false }), expected, actual).map(
      ({ match, reason }) => `${match}: ${reason}`,
    );
  const f = (name: string, args: CallSignature['arguments'] = {}): CallSignature => ({ name, arguments: args });

  it('describes expected and actual calls', () => {
    expect(words([f('search', { q: 'x', n: 1 })], [f('search', { q: 'y', lang: 'en' })])).toEqual([
      'arguments: Call 1, `search`: expected `q` "x", actual "y"; expected `n` 1, actual none; `lang` "en" was not expected.',
    ]);
    expect(words([f('a'), f('b')], [f('b'), f('a')])).toEqual([
      'moved: Expected as call 1: `a` without arguments; it came as call 2.',
      'same: Call 1 is as expected: `b` without arguments.',
    ]);
    expect(words([f('search')], [f('Search'), f('x', 'raw')])).toEqual([
      'missing: Expected as call 1: `search` without arguments; it was not made. Did you mean `Search`?',
      'unexpected: Call 1, not expected: `Search` without arguments.',
      'unexpected: Call 2, not expected: `x` with "raw".',
    ]);
  });
});
