import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  padEnd,
  padStart,
  sanitizeLine,
  truncate,
  truncateStart,
  width,
  wrap,
} from '../../../src/reports/terminal-text.ts';
import { githubToken } from '../../support/github-token.ts';

describe('plain', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['cursor movements', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
    ['the C1 form of an escape', 'a\u009b31mb', 'ab'],
    ['a link', '\u001b]8;;http://evil\u0007click\u001b]8;;\u0007', 'click'],
    ['a window title that never ends', 'a\u001b]0;title', 'a'],
    ['a character set', 'a\u001b(0b', 'ab'],
    ['a bell and a backspace', 'a\u0007b\u0008c', 'abc'],
    ['a carriage return that overwrites', 'passed\rfailed', 'passed failed'],
    ['line breaks and tabs', ' a\n\n b\tc\u2028d ', 'a b c d'],
    ['a turned direction', 'a\u202Eb\u2066c\u200Fd', 'abcd'],
    ['what shows nothing', 'a\u200Bb\uFEFFc\u{E0041}d\u00ADe', 'abcde'],
    ['half a surrogate pair', 'a\uD800b', 'a\uFFFDb'],
    ['an emoji of several parts, which stays', '👩‍👩‍👧', '👩‍👩‍👧'],
  ])('sanitizes %s', (_, text, expected) => expect(sanitizeLine(text)).toBe(expected));

  it('removes all control characters from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitizeLine(text)).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        expect(sanitizeLine(text).isWellFormed()).toBe(true);
      }),
    );
  });

  it('shows no secret, also with invisible characters in it, and at the end of what is shown', () => {
    const secret = githubToken(3);
    expect(sanitizeLine(`It is ${secret}.`)).toBe('It is [REDACTED GitHub token].');
    expect(sanitizeLine(`It is ${secret.slice(0, 9)}\u200b\u001b[31m${secret.slice(9)}.`)).toBe(
      'It is [REDACTED GitHub token].',
    );
    expect(sanitizeLine(`${'x '.repeat(990)}${secret}`)).not.toContain(secret.slice(0, 6));
  });

  it('does not scan all of a long text', () => expect(sanitizeLine('x'.repeat(50_000_000)).length).toBeLessThan(3000));
});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['日本語', 6],
    ['한국어', 6],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['ﾊﾝ', 2],
    ['▮▯✗✓·…', 6],
    ['', 0],
  ])('of %s is %i', (text, columns) => expect(width(text)).toBe(columns));
});

describe('truncate', () => {
  it.each([
    ['short', 10, 'short'],
    ['please refund the order', 15, 'please refund…'],
    ['please refundtheorder', 15, 'please refundt…'],
    ['日本語の文章です', 9, '日本語の…'],
    ['日本語の文章です', 8, '日本語…'],
    ['abc', 1, '…'],
  ])('%s to %i columns', (text, columns, expected) => expect(truncate(text, columns)).toBe(expected));

  it('keeps the end of a path', () => {
    expect(truncateStart('samples/long/refund.json', 12)).toBe('…refund.json');
    expect(truncateStart('refund.json', 12)).toBe('refund.json');
  });
});

describe('wrap', () => {
  it('breaks between words', () =>
    expect(wrap('the same call again and again', 12)).toEqual(['the same', 'call again', 'and again']));
  it('breaks a word that is too long', () => expect(wrap('ab aaaaaaaaaa', 4)).toEqual(['ab', 'aaaa', 'aaaa', 'aa']));

  it('stays within its columns and loses no letter', () => {
    const text = fc.string({ unit: 'grapheme' }).map(sanitizeLine);
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 40 }), (words, columns) => {
        const lines = wrap(words, columns);
        for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.replaceAll(' ', ''));
        expect(width(truncate(words, columns))).toBeLessThanOrEqual(columns);
        expect(width(truncateStart(words, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('padding', () => {
  it('counts columns', () => {
    expect(padEnd('日', 4)).toBe('日  ');
    expect(padStart('日', 4)).toBe('  日');
    expect(padStart('long', 2)).toBe('long');
  });
});
