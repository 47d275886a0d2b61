import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExecutedArguments } from '../../../../src/formats/spans/python-literal.ts';

it.each<[string, unknown]>([
  ["{'city': 'Alaska'}", { city: 'Alaska' }],
  [`{'a': 1, "b": [True, False, None], 'c': (1, -2.5e3)}`, { a: 1, b: [true, false, null], c: [1, -2500] }],
  [String.raw`{'quote': 'it\'s', "n": "a\nb", 'u': '\u00e9\x41\U0001F642'}`, { quote: "it's", n: 'a\nb', u: 'éA🙂' }],
  ["{'a': {'b': ['c',],},}", { a: { b: ['c'] } }],
  ['{}', {}],
  ['{"a": 1}', { a: 1 }],
  ["{'a': <object at 0x1>}", "{'a': <object at 0x1>}"],
  ["{'a': 1", "{'a': 1"],
  ["{'a': 1} {'b': 2}", "{'a': 1} {'b': 2}"],
  ['{1: 2}', '{1: 2}'],
  ["{'a' 1}", "{'a' 1}"],
  ["['a']", "['a']"],
  [`${"{'a': ".repeat(100)}1${'}'.repeat(100)}`, `${"{'a': ".repeat(100)}1${'}'.repeat(100)}`],
])('%s', (text, value) => {
  expect(parseExecutedArguments(text)).toEqual(value);
});

it('parseExecutedArguments keeps hostile keys as data', () => {
  expect(Object.keys(Object(parseExecutedArguments("{'__proto__': 1}")))).toEqual(['__proto__']);
});

it('parseExecutedArguments never throws', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    "'",
    '"',
    '\\',
    ',',
    ':',
    '1',
    '-',
    'True',
    'None',
    'a',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => void parseExecutedArguments(`{${pieces.join('')}`)),
  );
});
