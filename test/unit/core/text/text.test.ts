import { expect, it } from 'vitest';
import { pluralize } from '../../../../src/core/text/pluralize.ts';
import { oneLine, truncate } from '../../../../src/core/text/truncate.ts';

it('cuts long text to the limit with an ellipsis, and never through a character', () => {
  expect(truncate('short', 5)).toBe('short');
  expect(truncate('longer', 5)).toBe('long…');
  expect(truncate('a😀bc', 3)).toBe('a\uFFFD…');
});

it('puts text on one line', () => {
  expect(oneLine('  one\n two\t\r\nthree ')).toBe('one two three');
});

it('counts one and several', () => {
  expect([pluralize(1, 'turn'), pluralize(0, 'turn'), pluralize(2, 'entry', 'entries')]).toEqual([
    '1 turn',
    '0 turns',
    '2 entries',
  ]);
});
