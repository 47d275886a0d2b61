import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, moveRange } from '../../../src/extension/format-json.ts';

const format = (text: string): string => [...formatJson(text)].join('');

describe('formatJson', () => {
  it('puts every value on its own line', () => {
    expect(format('{"a":[1,{}],"b":[],"c":"x, {y}"}')).toBe(
      ['{', '  "a": [', '    1,', '    {}', '  ],', '  "b": [],', '  "c": "x, {y}"', '}', ''].join('\n'),
    );
  });

  it('gives the output of JSON.stringify for any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t', ' \r'), (value, space) => {
        expect(format(JSON.stringify(value, null, space))).toBe(`${JSON.stringify(value, null, 2)}\n`);
      }),
    );
  });

  it('keeps numbers and strings as written', () => {
    const text = '[12345678901234567890,1.0,1e5,"\\u00e9\\"\\\\"]';
    expect(format(text)).toBe(`[\n  12345678901234567890,\n  1.0,\n  1e5,\n  "\\u00e9\\"\\\\"\n]\n`);
  });

  it('separates consecutive documents with an empty line', () => {
    expect(format('{"a":1}\n{"b":2}\n3 4\n')).toBe('{\n  "a": 1\n}\n\n{\n  "b": 2\n}\n\n3\n\n4\n');
  });

  it.each([
    ['a text that does not end', '["abc', '[\n  "abc\n'],
    ['a backslash at the end', '"abc\\', '"abc\\\n'],
    ['too many ends', '1]]', '1\n]\n]\n'],
    ['nothing', '', '\n'],
  ])('keeps what is no JSON: %s', (_, text, expected) => {
    expect(format(text)).toBe(expected);
  });

  it('limits the indentation of deeply nested values', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const copy = format(deep);
    expect(copy.length).toBeLessThan(deep.length * 100);
    expect(copy.replaceAll(/\s/g, '')).toBe(deep);
  });

  it('yields pieces, so that other work can run in between', () => {
    const pieces = [...formatJson(`[${'"0123456789",'.repeat(50_000)}1]`)];
    expect(pieces.length).toBeGreaterThan(5);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  });
});

describe('moveRange', () => {
  const text = '{"a":[1,{"b":"x, {y}"}],"c":[]}\n{"d" : 2}';

  it.each(['[1,{"b":"x, {y}"}]', '"x, {y}"', 'y', '2', '{"d" : 2}', '"c":[]'])(
    'finds the same value in the formatted text: %s',
    (value) => {
      const copy = format(text);
      const start = text.indexOf(value);
      const moved = moveRange(text, copy, { start, end: start + value.length });
      expect(copy.slice(moved.start, moved.end).replaceAll(/\s/g, '')).toBe(value.replaceAll(/\s/g, ''));
    },
  );

  it('moves a cursor between tokens to the next one, and one behind all of them to the end', () => {
    const copy = format('[1, 2]');
    expect(moveRange('[1, 2]', copy, { start: 3, end: 3 })).toEqual({
      start: copy.indexOf('2'),
      end: copy.indexOf('2'),
    });
    expect(moveRange('[1, 2] ', copy, { start: 7, end: 7 })).toEqual({ start: copy.length, end: copy.length });
  });

  it('keeps every part of a text in place, JSON or not', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.nat(), fc.nat(), (text, from, to) => {
        const [start = 0, end = 0] = [from % (text.length + 1), to % (text.length + 1)].sort((a, b) => a - b);
        const copy = format(text);
        const moved = moveRange(text, copy, { start, end });
        expect(copy.slice(moved.start, moved.end).replaceAll(/\s/g, '')).toBe(
          text.slice(start, end).replaceAll(/\s/g, ''),
        );
      }),
    );
  });
});
