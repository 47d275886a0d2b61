import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFile } from '../../../src/input/parse-file.ts';
import { bytesOf } from './memory-file-system.ts';

const parsed = (content: string | Uint8Array, file = 'trace.json') => parseFile(file, bytesOf(content));
const first = (content: string | Uint8Array, file?: string) => parsed(content, file).problems[0];

describe('a JSON document', () => {
  it('is read without its byte order mark', () => {
    expect(parsed('\uFEFF{"a": 1}')).toMatchObject({ document: { value: { a: 1 }, lines: false }, text: '{"a": 1}' });
  });

  it.each([
    ['null', null],
    ['[]', []],
    ['"a string"', 'a string'],
    ['{"a":\r\n1}\r\n', { a: 1 }],
    ['{"lone": "\\ud800"}', { lone: '\ud800' }],
    [' \n {"indented": true}', { indented: true }],
  ])('is parsed: %j', (text, value) => {
    expect(parsed(text)).toMatchObject({ document: { value, lines: false }, problems: [] });
  });

  it('keeps the key __proto__', () => {
    const { document } = parsed('{"__proto__": {"polluted": true}}');
    expect(Object.keys(document?.value ?? {})).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('turns integers that a number would round into strings of digits', () => {
    const text =
      '{"id": 299736297362973629736297362973, "below": -9007199254740993, "safe": 9007199254740991, "us": 1714000000000000, "f": 0.12345678901234567, "e": 1e30, "text": "299736297362973629736297362973"}';
    expect(parsed(text).document?.value).toEqual({
      id: '299736297362973629736297362973',
      below: '-9007199254740993',
      safe: 9007199254740991,
      us: 1714000000000000,
      f: 0.12345678901234566,
      e: 1e30,
      text: '299736297362973629736297362973',
    });
  });

  it('may be nested a thousand levels deep', () => {
    expect(parsed('['.repeat(1000) + ']'.repeat(1000)).problems).toEqual([]);
    expect(parsed(`[${'[]'.repeat(2000).replaceAll('][', '],[')}]`).problems).toEqual([]);
  });
});

describe('invalid JSON', () => {
  it.each([
    ['empty', '', 'empty-file', null, 'The file is empty'],
    ['white space', ' \r\n', 'empty-file', null, 'The file is empty'],
    ['only a byte order mark', '\uFEFF', 'empty-file', null, 'The file is empty'],
    ['truncated in a list', '[1,\n 2', 'truncated', 2, 'line 2, column 3'],
    ['truncated in a string', '{"a": "tex', 'truncated', 1, 'truncated'],
    ['truncated in a word', '{"a": tru', 'truncated', 1, 'truncated'],
    ['truncated after a key', '{\n"a":\n\n', 'truncated', 2, 'truncated'],
    ['NaN', '{"a": 1,\n "b": NaN}', 'not-a-number', 2, 'Line 2, column 7: NaN'],
    ['Infinity', '[Infinity]', 'not-a-number', 1, 'Infinity is not valid JSON'],
    ['negative infinity', '[-Infinity]', 'not-a-number', 1, '-Infinity is not valid JSON'],
    ['a missing comma', '[1\n 2]', 'invalid-json', 2, 'Line 2, column 2: expected a comma'],
    ['a missing colon', '{"a" 1}', 'invalid-json', 1, 'Line 1, column 6: expected a colon'],
    ['an unknown word', '{"a": None}', 'invalid-json', 1, 'Line 1, column 7: "None" is not JSON'],
    ['a trailing comma', '{"a": 1,\n}', 'invalid-json', 2, 'trailing comma'],
    ['single quotes', "{'a': 1}", 'invalid-json', 1, 'json.dumps'],
    ['a wrong escape', '{"a": "b\\x"}', 'invalid-json', 1, 'Line 1, column 10: unknown escape'],
    ['a raw line break in a string', '{"a": "b\nc"}', 'invalid-json', 1, 'Line 1, column 9: unterminated string'],
    ['something behind the end', '[1]\n]', 'invalid-json', 2, 'unexpected content after'],
    ['comments', '// settings\n{"a": 1}', 'json-with-comments', 1, 'comments are not allowed'],
    ['plain text', 'Hello there', 'invalid-json', 1, '"Hello" is not JSON'],
    [
      'too deep',
      `[\n${'['.repeat(1000)}${']'.repeat(1000)}]`,
      'too-deep',
      2,
      'Line 2: values are nested more than 1000',
    ],
    ['far too deep and truncated', '{"a":'.repeat(100_000), 'too-deep', 1, 'nested'],
    ['one broken line', '{"a": 1}}\n', 'invalid-json', 1, 'unexpected content after'],
  ])('is reported with its line: %s', (_, text, code, line, words) => {
    expect(parsed(text).document).toBeNull();
    expect(parsed(text).problems).toHaveLength(1);
    expect(first(text)).toMatchObject({ severity: 'error', file: 'trace.json', code, line });
    expect(first(text)?.message).toContain(words);
  });

  it.each([
    ['gzip', [0x1f, 0x8b, 8, 0], 'compressed with gzip'],
    ['ZIP', [0x50, 0x4b, 3, 4, 0], 'ZIP archive'],
    ['UTF-16 with a mark', [0xff, 0xfe, 0x7b, 0], 'UTF-16'],
    ['big-endian UTF-16', [0, 0x7b, 0, 0x22], 'UTF-16'],
    ['SQLite', [...bytesOf('SQLite format 3\0')], 'an SQLite database'],
    ['binary', [0xcf, 0xfa, 0xed, 0xfe, 0, 1], 'binary'],
  ])('is reported as a known binary format: %s', (_, bytes, words) => {
    expect(first(new Uint8Array(bytes))).toMatchObject({ code: 'not-text', line: null });
    expect(first(new Uint8Array(bytes))?.message).toContain(words);
  });

  it.each([
    ['a Latin-1 letter', [0xe9, 0x22, 0x7d, 0x0a], '0xE9'],
    ['a surrogate', [0xed, 0xa0, 0x80, 0x22, 0x7d], '0xED'],
    ['an overlong slash', [0xc0, 0xaf, 0x22, 0x7d, 0x0a], '0xC0'],
    ['a byte above Unicode', [0xf4, 0x90, 0x80, 0x80, 0x22], '0xF4'],
    ['a continuation alone', [0x80, 0x22, 0x7d, 0x0a], '0x80'],
  ])('is reported as invalid UTF-8, with its line: %s', (_, bytes, words) => {
    const problem = first(new Uint8Array([...bytesOf('{\n"ü": "'), ...bytes]));
    expect(problem).toMatchObject({ code: 'not-utf-8', line: 2 });
    expect(problem?.message).toContain(words);
  });

  it('is invalid UTF-8 when the last bytes are not the start of a character', () => {
    expect(first(new Uint8Array([...bytesOf('{"a": "'), 0xe9, 0x22]))?.code).toBe('not-utf-8');
    expect(first(new Uint8Array([...bytesOf('{"a": "'), 0xff]))?.code).toBe('not-utf-8');
  });

  it('is read up to a truncated last character', () => {
    const bytes = bytesOf('{"a": 1}\n{"a": "ü').slice(0, -1);
    expect(parsed(bytes)).toMatchObject({
      document: { value: [{ a: 1 }, undefined], lines: true },
      problems: [{ code: 'truncated', line: 2 }],
    });
  });
});

describe('JSON Lines', () => {
  it.each([
    ['by the name', '{"a": 1}\n', 'trace.jsonl', [{ a: 1 }]],
    ['by the name in capitals', '{"a": 1}\n', 'trace.NDJSON', [{ a: 1 }]],
    ['by two objects', '{"a": 1}\n{"a": 2}', 'trace.json', [{ a: 1 }, { a: 2 }]],
    ['with \\r\\n', '{"a": 1}\r\n{"a": 2}\r\n', 'trace.json', [{ a: 1 }, { a: 2 }]],
    [
      'with blank lines',
      '\n{"a": 1}\n \n{"a": 2}\n\n',
      'trace.json',
      [undefined, { a: 1 }, undefined, { a: 2 }, undefined],
    ],
    ['with other values among objects', '{"a": 1}\n[2]\n{"a": 3}', 'trace.json', [{ a: 1 }, [2], { a: 3 }]],
    ['from standard input', '{"a": 1}\n{"a": 2}', '-', [{ a: 1 }, { a: 2 }]],
  ])('are detected %s', (_, text, file, value) => {
    expect(parsed(text, file)).toMatchObject({ document: { value, lines: true }, problems: [] });
  });

  it('keeps valid lines and reports broken ones', () => {
    const { document, problems } = parsed('{"a": 1}\r\n{bad\r\n{"a": NaN}\r\n{"a": 4}\r\n{"a": "cut');
    expect(document?.value).toEqual([{ a: 1 }, undefined, undefined, { a: 4 }, undefined]);
    expect(problems.map(({ line, code, severity }) => [line, code, severity])).toEqual([
      [2, 'invalid-json', 'error'],
      [3, 'not-a-number', 'error'],
      [5, 'truncated', 'error'],
    ]);
    expect(problems[1]?.message).toMatch(/^Line 3, column 7: NaN/);
  });

  it('is detected by the only complete line of a truncated file', () => {
    expect(parsed('{"a": 1}\n{"a"').document?.value).toEqual([{ a: 1 }, undefined]);
  });

  it.each([
    ['an indented document that was cut off', '[\n  {"a": 1},\n  {"a": 2}\n  {}\n  {}\n'],
    ['one object behind a broken line', 'oops\n{"a": 1}'],
    ['two lists', '[1]\n[2]'],
  ])('are not detected in %s', (_, text) => {
    expect(parsed(text).document).toBeNull();
  });

  it('is read as one JSON document despite a .jsonl name', () => {
    expect(parsed('{\n"a": 1\n}', 'trace.jsonl')).toMatchObject({ document: { value: { a: 1 }, lines: false } });
    expect(parsed('[{"a": 1}]', 'trace.jsonl')).toMatchObject({ document: { value: [{ a: 1 }], lines: false } });
  });

  it('lists the first broken lines and counts the rest', () => {
    const { document, problems } = parsed(`{"a": 1}\n${'{oops\n'.repeat(50_000)}{"a": 2}\n`, 'trace.jsonl');
    expect(document?.value).toHaveLength(50_002);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toContain('49980 more lines are broken (50000 of 50002');
  });

  it('uses no memory for blank lines', () => {
    expect(parsed(`${'\n'.repeat(10_000_000)}{"a": 1}\n`, 'trace.jsonl').document?.value).toHaveLength(10_000_001);
  });

  it('handles large integers and nesting per line', () => {
    const deep = '['.repeat(1001) + ']'.repeat(1001);
    const { document, problems } = parsed(`{"id": 12345678901234567890}\n${deep}\n${'{"a":['.repeat(600)}\n{"a": 1}`);
    expect(document?.value).toEqual([{ id: '12345678901234567890' }, undefined, undefined, { a: 1 }]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ['too-deep', 2],
      ['too-deep', 3],
    ]);
  });
});

describe('any bytes', () => {
  it('give either a document or a problem with a sentence', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' })), fc.boolean(), (content, lines) => {
        const { document, text, problems } = parsed(content, lines ? 'a.jsonl' : 'a.json');
        if (document === null) expect(problems).toHaveLength(1);
        else expect(text).not.toBeNull();
        for (const { message } of problems) expect(message).toMatch(/[.)]$/);
      }),
      { numRuns: 500 },
    );
  });

  it('give the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parsed(text).document?.value).toEqual(JSON.parse(text));
      }),
    );
  });
});
