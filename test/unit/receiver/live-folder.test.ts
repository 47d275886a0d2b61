import { appendFile, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileOf } from '../../../src/receiver/live-file.ts';
import { LiveFolder } from '../../../src/receiver/live-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LIMITS = { maxBytes: 1000, keepMs: 60_000 };
const [A, B] = [fileOf('a'), fileOf('b')];

function lineOf(trace: string, text = ''): string {
  const traceId = trace.repeat(32);
  return `${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId, name: text }] }] }] })}\n`;
}

/** Makes a file look as if it had last changed so long ago. */
async function age(path: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await utimes(path, then, then);
}

describe('the folder of live sessions', () => {
  it('deletes files that are too old, and no others', async () => {
    await using folder = await temporaryFolder({ [A]: lineOf('a'), [B]: lineOf('b'), 'mine.otlp.jsonl': '{}\n' });
    await age(join(folder.path, A), 2 * LIMITS.keepMs);
    await age(join(folder.path, 'mine.otlp.jsonl'), 2 * LIMITS.keepMs);
    const live = await LiveFolder.open(folder.path, LIMITS);
    await live.deleteOld();
    expect((await readdir(folder.path)).sort()).toEqual([B, 'mine.otlp.jsonl'].sort());
    expect([live.takeDeleted(), live.takeDeleted()]).toEqual([[A], []]);
  });

  it('deletes the oldest files for new ones, but none in use', async () => {
    await using folder = await temporaryFolder({ [A]: 'a'.repeat(400), [B]: 'b'.repeat(400), mine: 'c'.repeat(5000) });
    await age(join(folder.path, A), 20_000);
    await age(join(folder.path, B), 10_000);
    const live = await LiveFolder.open(folder.path, LIMITS);
    expect(live.bytes).toBe(800);
    expect(await live.makeRoom(500, new Set([A]))).toBe(true);
    expect((await readdir(folder.path)).sort()).toEqual([A, 'mine'].sort());
    expect(live.takeDeleted()).toEqual([B]);
    expect(await live.makeRoom(700, new Set([A]))).toBe(false);
    expect((await readdir(folder.path)).sort()).toEqual([A, 'mine'].sort());
  });

  it('deletes nothing for what can never fit', async () => {
    await using folder = await temporaryFolder({ [A]: 'a'.repeat(400), [B]: 'b'.repeat(400) });
    const live = await LiveFolder.open(folder.path, LIMITS);
    expect(await live.makeRoom(1001, new Set())).toBe(false);
    expect(await live.makeRoom(700, new Set([A]))).toBe(false);
    expect((await readdir(folder.path)).sort()).toEqual([A, B].sort());
    expect(live.takeDeleted()).toEqual([]);
  });

  it('has nothing to move from a file that somebody has deleted', async () => {
    await using folder = await temporaryFolder({ [A]: lineOf('a') });
    const live = await LiveFolder.open(folder.path, LIMITS);
    await rm(join(folder.path, A));
    expect(await live.move('a'.repeat(32), A, B)).toBe(true);
    expect(await readdir(folder.path)).toEqual([]);
    expect(live.bytes).toBe(0);
  });

  it('begins a new line where a crash has left a part of one', async () => {
    await using folder = await temporaryFolder();
    const live = await LiveFolder.open(folder.path, LIMITS);
    await live.append(A, lineOf('a'));
    await appendFile(join(folder.path, A), '{"resourceSp');
    await live.append(A, lineOf('b'));
    expect(await readFile(join(folder.path, A), 'utf8')).toBe(`${lineOf('a')}{"resourceSp\n${lineOf('b')}`);
  });

  it('moves the lines of a trace, and says when nothing is left', async () => {
    await using folder = await temporaryFolder({ [A]: lineOf('a', '1') + lineOf('b') + lineOf('a', '2') });
    const live = await LiveFolder.open(folder.path, LIMITS);
    const size = live.bytes;
    expect(await live.move('a'.repeat(32), A, B)).toBe(false);
    expect(await readFile(join(folder.path, B), 'utf8')).toBe(lineOf('a', '1') + lineOf('a', '2'));
    expect(await live.move('b'.repeat(32), A, B)).toBe(true);
    expect(await readdir(folder.path)).toEqual([B]);
    expect(live.bytes).toBe(size);
  });

  it('knows which traces an earlier process has written where', async () => {
    await using folder = await temporaryFolder({ [A]: lineOf('a') + lineOf('b'), [B]: `broken\n${lineOf('c')}` });
    const live = await LiveFolder.open(folder.path, LIMITS);
    expect([...(await live.traces())]).toEqual([
      ['a'.repeat(32), A],
      ['b'.repeat(32), A],
      ['c'.repeat(32), B],
    ]);
  });

  it('writes through no link', async () => {
    await using folder = await temporaryFolder();
    await using elsewhere = await temporaryFolder({ target: 'mine\n' });
    await symlink(join(elsewhere.path, 'target'), join(folder.path, A));
    const live = await LiveFolder.open(folder.path, LIMITS);
    await expect(live.append(A, lineOf('a'))).rejects.toThrow('ELOOP');
    expect(await readFile(join(elsewhere.path, 'target'), 'utf8')).toBe('mine\n');
    await writeFile(join(folder.path, B), '');
    await live.append(B, lineOf('b'));
  });
});
