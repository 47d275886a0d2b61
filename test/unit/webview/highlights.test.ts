import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revealHiddenCharacters, splitHiddenCharacters } from '../../../webview/hidden-characters.ts';
import { findOccurrences, splitByHighlights } from '../../../webview/highlights.ts';

const kind = fc.constantFrom('chosen', 'found', 'cited');
const range = fc
  .tuple(fc.nat(30), fc.nat(30), kind)
  .map(([a, b, item]) => ({ from: Math.min(a, b), to: Math.max(a, b), kind: item }));

describe('splitByHighlights', () => {
  it('splits a text without losing characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(20), fc.array(range), (text, at, ranges) => {
        const parts = splitByHighlights(text, at, ranges);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        let next = at;
        for (const part of parts) {
          expect(part.at).toBe(next);
          next += part.text.length;
        }
      }),
    );
  });

  it('gives each character the highlight with the highest precedence', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(20), fc.array(range), (text, at, ranges) => {
        for (const part of splitByHighlights(text, at, ranges)) {
          for (let place = part.at; place < part.at + part.text.length; place += 1) {
            const over = ranges.filter(({ from, to }) => from <= place && place < to).map((range) => range.kind);
            const first = (['chosen', 'found', 'cited'] as const).find((item) => over.includes(item)) ?? null;
            expect(part.kind).toBe(first);
          }
        }
      }),
    );
  });
});

describe('findOccurrences', () => {
  it('ignores case and treats the query literally', () => {
    expect(findOccurrences('Refund, REFUND.', 'refund')).toEqual([
      { from: 0, to: 6, kind: 'found' },
      { from: 8, to: 14, kind: 'found' },
    ]);
    expect(findOccurrences('a.b (c)* a-b', 'a.b')).toHaveLength(1);
    for (const sought of ['(c)*', '[', '\\', '^$', '{1}', '-b', '/', '\uD800'])
      findOccurrences(`x ${sought} y`, sought);
    expect(findOccurrences('x [ y', '[')).toHaveLength(1);
    expect(findOccurrences('anything', '')).toEqual([]);
  });

  it('limits the number of matches', () => {
    expect(findOccurrences('a'.repeat(100_000), 'a').length).toBeLessThan(1000);
  });
});

const UNSEEN = ['\u202E', '\u001B', '\u{E0041}'];

describe('splitHiddenCharacters', () => {
  it('names hidden characters, so that none changes the text direction', () => {
    expect(revealHiddenCharacters('a\u202Eb\u001B[31mc\uFEFF\u0085')).toBe('a⟨RLO⟩b⟨ESC⟩[31mc⟨BOM⟩⟨U+0085⟩');
    expect(revealHiddenCharacters('a\tb\nc \uD83D\uDC68\u200D\uD83D\uDC69')).toBe(
      'a\tb\nc \uD83D\uDC68\u200D\uD83D\uDC69',
    );
  });

  it('keeps the offsets and the text around hidden characters', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '\n', ...UNSEEN)), (characters) => {
        const text = characters.join('');
        for (const { text: part, isHidden, at } of splitHiddenCharacters(text)) {
          if (isHidden) expect(UNSEEN.some((character) => text.startsWith(character, at))).toBe(true);
          else expect(text.slice(at, at + part.length)).toBe(part);
        }
      }),
    );
  });

  it('shows a lone surrogate as a replacement character', () => {
    expect(splitHiddenCharacters('a\uD800b').map(({ text }) => text)).toEqual(['a\uFFFDb']);
  });
});
