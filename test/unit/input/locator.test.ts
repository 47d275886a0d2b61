import { describe, expect, it } from 'vitest';
import { TextLocator } from '../../../src/input/locator.ts';

/** More than is kept as it is. */
const LARGE = 17_000_000;

const locationOf = (locator: TextLocator, file: string, pointer: string) =>
  locator.locate(file, [pointer]).get(pointer);

describe('the texts of many files', () => {
  it('give the same ranges after later texts as before', () => {
    const locator = new TextLocator();
    locator.addText({ file: 'a.json', lines: false }, '{\n  "größe": "東京 🙂", "x": 1\n}');
    locator.addText({ file: 'b.jsonl', lines: true }, '{"x": 1}\n{"x": 2}\n');
    const before = [locationOf(locator, 'a.json', '/x'), locationOf(locator, 'b.jsonl', '/1/x')];
    expect(before).toMatchObject([
      { line: 2, column: 26 },
      { line: 2, column: 7 },
    ]);
    locator.addText({ file: 'large.json', lines: false }, ' '.repeat(LARGE));
    expect([locationOf(locator, 'a.json', '/x'), locationOf(locator, 'b.jsonl', '/1/x')]).toEqual(before);
  });

  it('are those that were added last for a file', () => {
    const locator = new TextLocator();
    const file = { file: 'a.json', lines: false };
    const addHalf = (name: string) => locator.addText({ file: name, lines: false }, ' '.repeat(LARGE / 2));
    locator.addText(file, '{"x": 1}');
    addHalf('b.json');
    locator.addText(file, '\n\n{"x": 1}');
    addHalf('c.json');
    expect(locationOf(locator, 'a.json', '/x')?.line).toBe(3);
  });

  it('keep half a surrogate pair', () => {
    const locator = new TextLocator();
    locator.addText({ file: 'a.json', lines: false }, '{"\ud800": 1}');
    locator.addText({ file: 'large.json', lines: false }, ' '.repeat(LARGE));
    expect(locationOf(locator, 'a.json', '/\ud800')?.line).toBe(1);
  });
});
