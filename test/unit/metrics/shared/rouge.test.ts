import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rouge1 } from '../../../../src/metrics/shared/rouge.ts';

const words = (text: string, other = '') => rouge1(text, other).candidate;

describe('words of a text', () => {
  it.each([
    [
      'English is stemmed from four letters on',
      'He was USING cats, dogs-and_things 2x',
      'he was use cat dog and thing 2x',
    ],
    ['signs outside ASCII are no letters', '“naive” – costs 5€ ✓', 'naiv cost 5'],
    ['a letter outside ASCII keeps words whole', 'Cafés are running', 'cafés are running'],
    ['compatibility forms are folded', 'Ｈｅｌｌｏ ﬁne', 'hello fine'],
    ['Han, kana and Hangul go by character', '東京タワー seoul 서울', '東 京 タ ワ ー seoul 서 울'],
    ['Thai goes by letter with its marks', 'ที่นี่', 'ที่ นี่'],
    ['Cyrillic goes by word', 'Привет, мир_2', 'привет мир 2'],
  ])('%s', (_, text, expected) => {
    expect(words(text).join(' ')).toBe(expected.normalize('NFKC'));
  });

  it('are split the same way in both texts if either has a non-ASCII letter', () => {
    expect(words('running', 'é')).toEqual(['running']);
    expect(rouge1('running café', 'running').f1).toBeCloseTo(2 / 3);
  });
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.constantFrom('the', 'cats', 'cat', 'Ünder', '世界', 'ไทย', '!', '\ud800'), { maxLength: 12 })
    .map((all) => all.join(' ')),
);

describe('rouge1', () => {
  it('stays between 0 and 1 and swaps precision and recall with the texts', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [forth, back] = [rouge1(a, b), rouge1(b, a)];
        for (const figure of [forth.precision, forth.recall, forth.f1]) {
          expect(figure).toBeGreaterThanOrEqual(0);
          expect(figure).toBeLessThanOrEqual(1);
        }
        expect([back.precision, back.recall]).toEqual([forth.recall, forth.precision]);
        expect(back.f1).toBeCloseTo(forth.f1, 12);
      }),
    );
  });

  it('is 1 for a text and itself in any word order, unless it has no words', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (all) => {
        expect(rouge1(all.join(' '), all.toReversed().join(', ')).f1).toBe(1);
      }),
    );
    expect(rouge1('', '').f1).toBe(0);
    expect(rouge1('!', '!').f1).toBe(0);
  });
});
