import { describe, expect, it } from 'vitest';
import { setJsonValue } from '../../../../src/server/edits/json-edit.ts';

describe('setJsonValue', () => {
  it.each<[what: string, text: string, path: (string | number)[], value: unknown, expected: string]>([
    [
      'a key behind one that is written on a line',
      '{\n  "a": [1,  2],\n  "gates": { "b": 1 }\n}\n',
      ['rules', 'x'],
      'high',
      '{\n  "a": [1,  2],\n  "gates": { "b": 1 },\n  "rules": {\n    "x": "high"\n  }\n}\n',
    ],
    [
      'a key behind one of several lines, with tabs and Windows line breaks',
      '{\r\n\t"a": {\r\n\t\t"b":1\r\n\t}\r\n}',
      ['rules', 'x'],
      'off',
      '{\r\n\t"a": {\r\n\t\t"b":1\r\n\t},\r\n\t"rules": {\r\n\t\t"x": "off"\r\n\t}\r\n}',
    ],
    [
      'a key behind one with a comment',
      '{\n  "a": 1 // one\n  /* two */\n}',
      ['b'],
      2,
      '{\n  "a": 1,\n  "b": 2 // one\n  /* two */\n}',
    ],
    [
      'the first key of what is empty, among others',
      '{\n  "rules": {},\n  "a": { "b": 1 }\n}',
      ['rules', 'x'],
      'off',
      '{\n  "rules": {\n    "x": "off"\n  },\n  "a": { "b": 1 }\n}',
    ],
    ['the first key of all', '{}', ['rules', 'x'], 'off', '{\n  "rules": {\n    "x": "off"\n  }\n}'],
    [
      'an element behind one that is written on a line',
      '{\n  "turns": [\n    { "index": 1,  "note": "" }\n  ]\n}',
      ['turns', 1],
      { index: 2 },
      '{\n  "turns": [\n    { "index": 1,  "note": "" },\n    {\n      "index": 2\n    }\n  ]\n}',
    ],
    [
      'what stands on one line stays there',
      '{ "a": 1,\n  "rules": { "y": "off" }\n}',
      ['rules', 'x'],
      'low',
      '{ "a": 1,\n  "rules": { "y": "off","x": "low" }\n}',
    ],
    [
      'another value where one is',
      '{\n  "rules": { "x":"off" }, "a": { "b": 1 }\n}',
      ['rules', 'x'],
      'low',
      '{\n  "rules": { "x":"low" }, "a": { "b": 1 }\n}',
    ],
  ])('writes %s', (_what, text, path, value, expected) => {
    expect(setJsonValue(text, path, value)).toBe(expected);
  });
});
