import { describe, expect, it } from 'vitest';
import { resolvePointer } from '../../../../src/server/results/resolve-pointer.ts';
import { memoryFileSystem } from '../../input/memory-file-system.ts';

const files = memoryFileSystem({
  '/a b.json': '\uFEFF{\n  "turns": [\n    { "text": "Grüße 🎈" }\n  ]\n}',
  '/lines.jsonl': '{"a": 1}\n{"a": 2}\n',
  '/broken.json': '{"a": ',
});

const at = (line: number, character: number, endLine = line, endCharacter = character) => ({
  start: { line, character },
  end: { line: endLine, character: endCharacter },
});

describe('resolvePointer', () => {
  it.each([
    ['a value, zero-based, in UTF-16 code units', 'file:///a%20b.json', '/turns/0/text', at(2, 14, 2, 24)],
    ['a line of JSON Lines', 'file:///lines.jsonl', '/1/a', at(1, 6, 1, 7)],
    ['the beginning of what held a value that is gone', 'file:///a%20b.json', '/turns/7/text', at(1, 11)],
    ['the beginning of the file when nothing is left', 'file:///a%20b.json', '/sessions/0', at(0, 0)],
  ])('finds %s', async (_, uri, pointer, range) => {
    expect(await resolvePointer(files, uri, pointer)).toEqual({ uri, range });
  });

  it('finds nothing in a file that is not JSON', async () => {
    expect(await resolvePointer(files, 'file:///broken.json', '/a')).toBeNull();
  });

  it("rejects with the system's error when the file is gone", async () => {
    await expect(resolvePointer(files, 'file:///gone.json', '')).rejects.toThrow('ENOENT');
  });
});
