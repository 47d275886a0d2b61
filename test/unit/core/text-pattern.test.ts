import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchPatterns, runFinder } from '../../../src/core/text-pattern.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../support/time-growth.ts';

describe('runs of characters', () => {
  it.each([
    ['the key is abcde1', true],
    ['abcde1 is the key', true],
    ['abcd1', false],
    ['abc de1 abcd', false],
    ['ab-de1é', false],
    ['', false],
  ])('finds six letters or digits in %j', (text, expected) => {
    expect(runFinder(/[a-z\d]/, 6)(text)).toBe(expected);
  });

  it('agrees with a regular expression', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), maxLength: 40 }), (text) => {
        expect(runFinder(/[ab1]/, 5)(text)).toBe(/[ab1]{5}/.test(text));
      }),
    );
  });

  it.each(['a', 'aaaa ', ' aaaa', 'aaaaa ', ' '])('scans a text of %j in linear time', (unit) => {
    const find = runFinder(/a/, 6);
    expect(timeGrowth((text) => find(`${text.replaceAll('aaaaaa', 'aaaaa ')}`), unit)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});

describe('matchPatterns', () => {
  const id = { kind: 'id', regex: /\bA-\d+/g };

  it('searches only texts with the required text of a pattern', () => {
    expect(matchPatterns('A-1, A-22', [{ ...id, requiredText: 'A-' }])).toEqual([
      { kind: 'id', start: 0, end: 3 },
      { kind: 'id', start: 5, end: 9 },
    ]);
    expect(matchPatterns('A-1, A-22', [{ ...id, requiredText: 'B-' }])).toEqual([]);
  });

  it('prefers the first pattern of two at one position', () => {
    expect(matchPatterns('A-22', [{ kind: 'number', regex: /\d+/g }, id])).toEqual([{ kind: 'id', start: 0, end: 4 }]);
    expect(matchPatterns('A-22', [{ kind: 'text', regex: /A\S+/g }, id])).toEqual([{ kind: 'text', start: 0, end: 4 }]);
  });
});
