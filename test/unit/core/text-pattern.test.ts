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
  ])('looks in %j for six letters or digits', (text, expected) => {
    expect(runFinder(/[a-z\d]/, 6)(text)).toBe(expected);
  });

  it('finds what an expression finds that looks at every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), maxLength: 40 }), (text) => {
        expect(runFinder(/[ab1]/, 5)(text)).toBe(/[ab1]{5}/.test(text));
      }),
    );
  });

  it.each(['a', 'aaaa ', ' aaaa', 'aaaaa ', ' '])('looks at a text of %j in linear time', (unit) => {
    const find = runFinder(/a/, 6);
    expect(timeGrowth((text) => find(`${text.replaceAll('aaaaaa', 'aaaaa ')}`), unit)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});

describe('occurrences', () => {
  const id = { kind: 'id', regex: /\bA-\d+/g };

  it('looks only in texts with the mark of a pattern', () => {
    expect(matchPatterns('A-1, A-22', [{ ...id, requiredText: 'A-' }])).toEqual([
      { kind: 'id', start: 0, end: 3 },
      { kind: 'id', start: 5, end: 9 },
    ]);
    expect(matchPatterns('A-1, A-22', [{ ...id, requiredText: 'B-' }])).toEqual([]);
  });

  it('gives of two at one place the one whose pattern comes first', () => {
    expect(matchPatterns('A-22', [{ kind: 'number', regex: /\d+/g }, id])).toEqual([{ kind: 'id', start: 0, end: 4 }]);
    expect(matchPatterns('A-22', [{ kind: 'text', regex: /A\S+/g }, id])).toEqual([{ kind: 'text', start: 0, end: 4 }]);
  });
});
