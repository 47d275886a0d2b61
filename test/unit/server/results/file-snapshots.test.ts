import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../../src/input/file-system.ts';
import { FileSnapshots } from '../../../../src/server/results/file-snapshots.ts';
import { FileTexts } from '../../../../src/server/results/file-texts.ts';
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

describe('a value in a file', () => {
  it.each([
    ['a value, zero-based, in UTF-16 code units', 'file:///a%20b.json', '/turns/0/text', at(2, 14, 2, 24)],
    ['a line of JSON Lines', 'file:///lines.jsonl', '/1/a', at(1, 6, 1, 7)],
    ['the beginning of what held a value that is gone', 'file:///a%20b.json', '/turns/7/text', at(1, 11)],
    ['the beginning of the file when nothing is left', 'file:///a%20b.json', '/sessions/0', at(0, 0)],
  ])('is located: %s', async (_, uri, pointer, range) => {
    expect(await new FileSnapshots(new FileTexts(files).find).locate(uri, pointer)).toEqual({ uri, range });
  });

  it('is not located in a file that is not JSON', async () => {
    expect(await new FileSnapshots(new FileTexts(files).find).locate('file:///broken.json', '/a')).toBeNull();
  });

  it("rejects with the system's error when the file is gone", async () => {
    await expect(new FileSnapshots(new FileTexts(files).find).locate('file:///gone.json', '')).rejects.toThrow(
      'ENOENT',
    );
  });
});

describe('a snapshot of a file', () => {
  const version = (text: string, modified: number | undefined) => ({ text, modified });

  function changing(first: ReturnType<typeof version>) {
    let current = first;
    let reads = 0;
    const files: FileSystem = {
      stat: async () => ({
        kind: 'file',
        size: current.text.length,
        ...(current.modified === undefined ? {} : { modified: current.modified }),
      }),
      read: async () => {
        reads += 1;
        return new TextEncoder().encode(current.text);
      },
      list: async () => [],
      leadsOutside: async () => false,
    };
    return {
      snapshots: new FileSnapshots(new FileTexts(files, () => 1_000_000).find),
      write: (next: ReturnType<typeof version>) => {
        current = next;
      },
      reads: () => reads,
    };
  }

  it('is parsed once per version, for lines and for evidence', async () => {
    const file = changing(version('{"a": 1}', 1));
    const place = await file.snapshots.locate('file:///a.json', '/a');
    await file.snapshots.locate('file:///a.json', '');
    const evidenceAt = await file.snapshots.locateEvidence('/a.json', [{ pointer: '/a', note: '' }]);
    expect(evidenceAt({ pointer: '/a', note: '' })).toEqual(place);
    expect(file.reads()).toBe(1);
  });

  it('is replaced when the file has changed', async () => {
    const file = changing(version('{"a": 1}', 1));
    await file.snapshots.locate('file:///a.json', '/a');
    file.write(version('{\n"a": 1}', 2));
    expect((await file.snapshots.locate('file:///a.json', '/a'))?.range.start.line).toBe(1);
    expect(file.reads()).toBe(2);
  });

  it.each([
    ['the file system has no times', undefined],
    ['the file was written just before it was read', 999_995],
  ])('is not reused when %s', async (_, modified) => {
    const file = changing(version('{"a": 1}', modified));
    await file.snapshots.locate('file:///a.json', '/a');
    await file.snapshots.locate('file:///a.json', '/a');
    expect(file.reads()).toBe(2);
  });
});
