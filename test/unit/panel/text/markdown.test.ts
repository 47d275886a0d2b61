import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, locationLink } from '../../../../src/panel/text/markdown.ts';
import { visibleText } from '../../../../src/panel/text/visible-text.ts';
import { githubToken } from '../../../support/github-token.ts';

/** Pieces of which Markdown, and what editors make of it, do something. */
const MARKED = [
  ...[
    '![a](http://e/x.png)',
    '[a](command:x)',
    '[x]: http://a',
    '[^1]',
    '<http://a.b>',
    '<img src=x>',
    '&lt;',
    '&#65;',
  ],
  ...['`', '```', '*', '**', '_', '~~', '|', '$x$', '$(bug)', '# ', '- ', '+ ', '1. ', '2) ', '> ', '---', '\\', '!'],
  ...['http://evil.com', 'www.evil.com', 'WWW.Evil.com', 'a@b.co', 'mailto:a@b.co', 'file:///etc', 'javascript:x(1)'],
  ...[
    '\n',
    '\r\n\r\n',
    '    ',
    '\t',
    '\u2028',
    '\u202E',
    '\u0000',
    '\u001B[31m',
    '\uFEFF',
    'word',
    ' ',
    '😀',
    '\uD800',
  ],
];

const hostile = fc.oneof(
  fc.array(fc.constantFrom(...MARKED), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
);

describe('text as Markdown', () => {
  it.each([
    ['![x](https://e/x.png)', '\\!\\[x\\](https\\://e/x.png)'],
    ['[run](command:workbench.x)', '\\[run\\](command:workbench.x)'],
    ['<b>&amp;</b>', '\\<b\\>\\&amp;\\</b\\>'],
    ['see www.evil.com or a@b.co', 'see www\\.evil.com or a\\@b.co'],
    ['$(bug) `code` **bold**', '\\$(bug) \\`code\\` \\*\\*bold\\*\\*'],
    ['# a\n\n- b\n1. c', '\\# a - b 1. c'],
    ['- a', '\\- a'],
    ['12. a', '12\\. a'],
    ['0.25', '0.25'],
    ['\u202Eabc\u0007', '⟨U+202E⟩abc⟨U+0007⟩'],
    ['order_id = 4-2 (ok).', 'order\\_id = 4-2 (ok).'],
  ])('%j is %j', (text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown);
  });

  it('contains no markup, link or second line', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const left = escapeMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, '');
        expect(left).not.toMatch(/[\\`*_{}[\]<>&~!#|$@\p{Cc}\u202A-\u202E\u2066-\u2069\u2028\u2029]/u);
        expect(left).not.toMatch(/:\/\/|www\./i);
        expect(escapeMarkdown(text)).not.toMatch(/^\s|^(?:[+-]|\d{1,9}[.)](?:\s|$))/);
        expect(left.isWellFormed()).toBe(true);
      }),
    );
  });

  it('keeps the words of the text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeMarkdown(text).replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(visibleText(text, 600));
      }),
    );
  });

  it('has a limit', () => {
    expect(escapeMarkdown('a'.repeat(1_000_000))).toBe(`${'a'.repeat(600)}…`);
    expect(escapeMarkdown(`a${' '.repeat(1_000_000)}b`)).toBe('a…');
  });
});

describe('a link', () => {
  const place = (uri: string) => {
    const start = { line: 11, character: 4 };
    return { uri, range: { start, end: start } };
  };

  it('leads to a one-based line and column', () => {
    expect(locationLink(place('file:///t/a.json'), 'the call')).toBe('[the call](file:///t/a.json#L12,5)');
  });

  it('leads nowhere else, whatever its text', () => {
    expect(locationLink(place('file:///t/a.json'), '](command:x) [')).toBe(
      '[\\](command:x) \\[](file:///t/a.json#L12,5)',
    );
    expect(locationLink(place('file:///t/a.json'), '')).toBe('[here](file:///t/a.json#L12,5)');
  });

  it("is not ended by a file's name", () => {
    const uri = 'file:///t/a](command:x)&lt;b.json';
    expect(locationLink(place(uri), 'x')).toBe('[x](file:///t/a%5d%28command:x%29%26lt;b.json#L12,5)');
  });
});

describe('a text in the editor', () => {
  it('shows no secret, also where it would be cut in one', () => {
    const secret = githubToken(3);
    for (const longest of [20, 30, 45, 600]) {
      expect(visibleText(`It is ${secret}, keep it.`, longest)).not.toContain(secret.slice(0, 8));
      expect(escapeMarkdown(`It is ${secret}, keep it.`, longest)).not.toContain(secret.slice(4, 12));
    }
  });
});
