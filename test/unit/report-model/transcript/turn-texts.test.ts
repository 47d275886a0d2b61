import { describe, expect, it } from 'vitest';
import { argumentsText, resultText } from '../../../../src/report-model/transcript/turn-texts.ts';

describe('formatted arguments and results', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

  it.each([
    [{}, ''],
    [{ id: 'A-1', amount: 42.5, tags: ['a'] }, 'id: "A-1", amount: 42.5, tags: ["a"]'],
    ['not json', 'not json'],
    [JSON.parse('{"__proto__": 1}'), '__proto__: 1'],
    [{ deep }, 'deep: (nested deeper than can be shown)'],
  ])('of a call %#', (input, expected) => {
    expect(argumentsText(input)).toBe(expected);
  });

  it.each([
    ['text', 'text'],
    [{ a: 1 }, '{"a":1}'],
    [null, 'null'],
    [deep, '(nested deeper than can be shown)'],
  ])('of a result %#', (value, expected) => {
    expect(resultText(value)).toBe(expected);
  });
});
