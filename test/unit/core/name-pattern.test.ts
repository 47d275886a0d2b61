import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNameTest, literalPattern } from '../../../src/core/name-pattern.ts';

describe('createNameTest', () => {
  it.each([
    ['delete_*', 'delete_file', true],
    ['delete_*', 'undelete_file', false],
    ['*_file', 'delete_file', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b', 'a', false],
    ['[a]{b}?', '[a]{b}?', true],
    ['2 \\* 3', '2 * 3', true],
    ['2 \\* 3', '2 x 3', false],
    ['C:\\runs', 'C:\\runs', true],
  ])('%s for %s: %s', (pattern, name, matches) => {
    expect(createNameTest(pattern)(name)).toBe(matches);
  });
});

it('a literal pattern is that of its name alone', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '*', '\\', '[', '{', ' ') });
  fc.assert(
    fc.property(name, name, (own, other) => {
      expect(createNameTest(literalPattern(own))(other)).toBe(own === other);
    }),
  );
});
