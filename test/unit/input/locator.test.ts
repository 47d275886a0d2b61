import { describe, expect, it } from 'vitest';
import type { PartialFile } from '../../../src/input/file-system.ts';
import { TextLocator } from '../../../src/input/locator.ts';

/** More than is kept of texts that can be read again. */
const LARGE = 17_000_000;

const locationOf = (locator: TextLocator, file: string, pointer: string) =>
  locator.locate(file, [pointer]).get(pointer);

describe('the texts of many files', () => {
  it('give the same ranges after later texts as before', () => {
    const locator = new TextLocator();
    const [json, lines] = ['{\n  "größe": "東京 🙂", "x": 1\n}', '{"x": 1}\n{"x": 2}\n'];
    const reads: string[] = [];
    locator.addText(
      { file: 'a.json', lines: false },
      json,
      sourceOf(json, () => reads.push('a.json')),
    );
    locator.addText(
      { file: 'b.jsonl', lines: true },
      lines,
      sourceOf(lines, () => reads.push('b.jsonl')),
    );
    const before = [locationOf(locator, 'a.json', '/x'), locationOf(locator, 'b.jsonl', '/1/x')];
    expect(before).toMatchObject([
      { line: 2, column: 26 },
      { line: 2, column: 7 },
    ]);
    expect(reads).toEqual([]);
    locator.addText({ file: 'large.json', lines: false }, ' '.repeat(LARGE), sourceOf(''));
    expect([locationOf(locator, 'a.json', '/x'), locationOf(locator, 'b.jsonl', '/1/x')]).toEqual(before);
    expect(reads).toEqual(['a.json', 'b.jsonl']);
  });

  it('are those that were added last for a file', () => {
    const locator = new TextLocator();
    const file = { file: 'a.json', lines: false };
    const addHalf = (name: string) =>
      locator.addText({ file: name, lines: false }, ' '.repeat(LARGE / 2), sourceOf(''));
    locator.addText(file, '{"x": 1}', sourceOf('{"x": 1}'));
    addHalf('b.json');
    locator.addText(file, '\n\n{"x": 1}', sourceOf('\n\n{"x": 1}'));
    addHalf('c.json');
    expect(locationOf(locator, 'a.json', '/x')?.line).toBe(3);
  });

  it('are kept where they cannot be read again', () => {
    const locator = new TextLocator();
    locator.addText({ file: '-', lines: false }, '{"x": 1}');
    locator.addText({ file: 'large.json', lines: false }, ' '.repeat(LARGE), sourceOf(''));
    expect(locationOf(locator, '-', '/x')?.line).toBe(1);
  });

  it('give no ranges where the file was changed meanwhile', () => {
    const locator = new TextLocator();
    const changed = sourceOf('{"x": 1}', () => {
      throw new Error('it was changed');
    });
    locator.addText({ file: 'a.json', lines: false }, '{"x": 1}', changed);
    locator.addText({ file: 'large.json', lines: false }, ' '.repeat(LARGE), sourceOf(''));
    expect(locationOf(locator, 'a.json', '/x')).toBeUndefined();
  });
});

function sourceOf(text: string, onRead: () => void = () => {}): PartialFile {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    read(start, end) {
      onRead();
      return bytes.subarray(start, end);
    },
  };
}
