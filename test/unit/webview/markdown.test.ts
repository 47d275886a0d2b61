import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Inline, parseMarkdown } from '../../../webview/markdown.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../support/time-growth.ts';

/** Inlines on one line: `[strong:text]`. */
function written(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      switch (inline.type) {
        case 'text':
          return inline.text;
        case 'code':
          return `[code:${inline.text}]`;
        case 'link':
          return `[link:${inline.url}:${written(inline.children)}]`;
        default:
          return `[${inline.type}:${written(inline.children)}]`;
      }
    })
    .join('');
}

function shown(source: string): string[] {
  return parseMarkdown(source).map((block) => {
    switch (block.type) {
      case 'code':
        return `code:${block.text}`;
      case 'list':
        return `list:${block.items.map(({ marker, level, children }) => `${level}${marker}${written(children)}`).join('|')}`;
      default:
        return `${block.type}:${written(block.children)}`;
    }
  });
}

describe('parseMarkdown', () => {
  it.each([
    ['plain words', ['paragraph:plain words']],
    ['one\ntwo\n\nthree', ['paragraph:one\ntwo', 'paragraph:three']],
    ['# Title\ntext', ['heading:Title', 'paragraph:text']],
    ['#no title', ['paragraph:#no title']],
    [
      'a **strong** and *weak* and __strong__ and _weak_ word',
      ['paragraph:a [strong:strong] and [emphasis:weak] and [strong:strong] and [emphasis:weak] word'],
    ],
    ['**strong with *weak* in it**', ['paragraph:[strong:strong with [emphasis:weak] in it]']],
    ['snake_case_name and 2 * 3 * 4', ['paragraph:snake_case_name and 2 * 3 * 4']],
    ['`a *b* c` and ``x ` y``', ['paragraph:[code:a *b* c] and [code:x ` y]']],
    ['`unclosed', ['paragraph:`unclosed']],
    ['\\*not weak\\*', ['paragraph:*not weak*']],
    ['- a\n- b\n  more of b\n  - c **d**', ['list:0•a|0•b\n  more of b|1•c [strong:d]']],
    ['1. one\n2) two', ['list:01.one|02)two']],
    ['text\n- item', ['paragraph:text', 'list:0•item']],
    ['```js\nlet a = 1;\n\nb();\n```\nafter', ['code:let a = 1;\n\nb();', 'paragraph:after']],
    ['~~~\nnever closed', ['code:never closed']],
    ['see https://example.com/a?b=c.', ['paragraph:see [link:https://example.com/a?b=c:https://example.com/a?b=c].']],
    ['[here](https://example.com/x)', ['paragraph:[link:https://example.com/x:here]']],
    ['', []],
  ])('%j', (source, expected) => {
    expect(shown(source)).toEqual(expected);
  });

  it.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '[a](javascript:alert(1))',
    '[a](data:text/html,hi)',
    '[a](//example.com)',
    '[a](command:workbench.action.quit)',
    '[a][b]',
    '&lt;b&gt;',
    '| a | b |\n|---|---|',
    '> quoted',
  ])('%j stays as it was written', (source) => {
    expect(shown(source)).toEqual([`paragraph:${source}`]);
  });

  it('shows an image as a link with its URL', () => {
    expect(shown('![b](https://example.com/b.png)')).toEqual([
      'paragraph:![b]([link:https://example.com/b.png:https://example.com/b.png])',
    ]);
  });
});

/** Every piece of text, with its offset in the source. */
function* texts(blocks: readonly Block[]): Generator<{ text: string; at: number }> {
  for (const block of blocks) {
    if (block.type === 'code') yield block;
    else if (block.type === 'list') for (const { children } of block.items) yield* inlineTexts(children);
    else yield* inlineTexts(block.children);
  }
}

function* inlineTexts(inlines: readonly Inline[]): Generator<{ text: string; at: number }> {
  for (const inline of inlines) {
    if ('text' in inline) yield inline;
    else yield* inlineTexts(inline.children);
  }
}

const anything = fc.oneof(
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        '*',
        '**',
        '_',
        '`',
        '```',
        '\n',
        ' ',
        '- ',
        '1. ',
        '#',
        '[',
        '](',
        ')',
        'a',
        'https://b.c',
        '\\',
        '!',
        '~~~',
        '\r\n',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('parseMarkdown on arbitrary input', () => {
  it('gives every text its offset in the source', () => {
    fc.assert(
      fc.property(anything, (source) => {
        for (const { text, at } of texts(parseMarkdown(source))) expect(source.slice(at, at + text.length)).toBe(text);
      }),
    );
  });

  it('gives texts in ascending order without overlaps', () => {
    fc.assert(
      fc.property(anything, (source) => {
        let end = 0;
        for (const { text, at } of texts(parseMarkdown(source))) {
          expect(at).toBeGreaterThanOrEqual(end);
          end = at + text.length;
        }
      }),
    );
  });

  it('loses no letter', () => {
    fc.assert(
      fc.property(anything, (source) => {
        const message = [...texts(parseMarkdown(source))].map(({ text }) => text).join('');
        // The word after a fence is a language; a link has its URL besides its text.
        const letters = (text: string) => text.replace(/^ {0,3}(```|~~~).*$/gm, '').replace(/[^a-z]/g, '');
        expect(letters(message).length).toBeLessThanOrEqual(source.length);
        if (!/```|~~~|\]\(/.test(source)) expect(letters(message)).toBe(letters(source));
      }),
    );
  });

  it.each([
    '*a ',
    '**a *b',
    '[',
    '`',
    '` `` ',
    '[a](',
    '_',
    '**[a** ',
    '- ',
    '***a** ',
    'https://',
    '\\',
    ' \n',
    '- a\n',
    '`a',
  ])('%j, very often, is read in linear time', (part) => {
    expect(timeGrowth(parseMarkdown, part)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});
