import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentencesOf } from '../../../../src/metrics/shared/sentences.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../../support/time-growth.ts';

describe('sentencesOf', () => {
  it.each<[what: string, text: string, sentences: readonly string[]]>([
    ['nothing', ' \n\t', []],
    ['one', 'It arrives today', ['It arrives today']],
    ['several', 'It left. It arrives today! Anything else?', ['It left.', 'It arrives today!', 'Anything else?']],
    ['figures and names', 'It costs $3.50 at example.com. Done.', ['It costs $3.50 at example.com.', 'Done.']],
    [
      'abbreviations',
      'Mr. Smith lives in the U.S. Army base, e.g. Fort A. He left.',
      ['Mr. Smith lives in the U.S. Army base, e.g. Fort A.', 'He left.'],
    ],
    ['"no", which is none', 'The answer is no. We tried.', ['The answer is no.', 'We tried.']],
    ['a paragraph on several lines', 'It left\non Monday. It\r\narrives.', ['It left on Monday.', 'It arrives.']],
    ['paragraphs without full stops', 'Hello\n\nIt arrives', ['Hello', 'It arrives']],
    ['a heading', '## Your order\nIt left.', ['Your order', 'It left.']],
    [
      'a list',
      'Two things:\n- It left. It is late.\n* It costs\n  3 EUR.\n• Done',
      ['Two things:', 'It left.', 'It is late.', 'It costs 3 EUR.', 'Done'],
    ],
    ['a numbered list', '1. Open it. Wait.\n2) Close it.', ['1. Open it.', 'Wait.', '2) Close it.']],
    ['a year that begins a line', '2024. That is the year.', ['2024. That is the year.']],
    ['a quotation', '> It left.\n> > It arrives.', ['It left.', 'It arrives.']],
    ['a table', '| day | price |\n|:--|--:|\n| Mon. | 3 |', ['| day | price |', '| Mon. | 3 |']],
    ['lines that are drawn', 'It left.\n\n---\n***\nDone.', ['It left.', 'Done.']],
    ['a block of code', 'Run:\n```js\na. B. C\n\n- d\n```\nDone.', ['Run:', 'a. B. C\n\n- d', 'Done.']],
    ['a block of code without an end', 'Run:\n~~~\na. B\n```', ['Run:', 'a. B\n```']],
    ['a block of code in a list', '- Run:\n    ```\n    a. B\n    ```\n- Done.', ['Run:', 'a. B', 'Done.']],
    ['code on a line', 'Use ```a```. Then:\n```b```\nDone.', ['Use ```a```.', 'Then: ```b``` Done.']],
    ['an empty block of code', 'It left.\n```\n```', ['It left.']],
    ['nothing but a drawn line', ' --- ', ['---']],
    ['a picture', '👍', ['👍']],
    ['Japanese', '晴れです。雨でしょう。', ['晴れです。', '雨でしょう。']],
  ])('splits %s', (_, text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it('loses no character and gives no empty sentence', () => {
    const pieces = fc.constantFrom(
      'It left. ',
      'a',
      ' ',
      '\n',
      '- ',
      '1. ',
      '# ',
      '> ',
      '| x |',
      '\n\n',
      '```\n',
      'Mr. ',
      '雨。',
      '---\n',
    );
    const letters = (text: string) => text.replace(/[^\p{L}]/gu, '');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
        const text = all.join('');
        const sentences = sentencesOf(text);
        for (const sentence of sentences) expect(sentence).toBe(sentence.trim());
        expect(sentences).not.toContain('');
        expect(sentences.length === 0).toBe(text.trim() === '');
        // Text after backticks that open a block is the name of a language.
        if (!text.includes('```')) expect(letters(sentences.join(''))).toBe(letters(text));
      }),
    );
  });

  it.each(['a ', '> ', 'Mr. ', '1. ', '# ', '* ', '| ', '\n', 'a. B. '])('takes linear time for %j', (unit) => {
    expect(timeGrowth(sentencesOf, unit)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});
