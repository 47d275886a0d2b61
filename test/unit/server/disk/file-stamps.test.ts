import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../../src/input/file-system.ts';
import { FileStamps, UNREADABLE_HASH } from '../../../../src/server/disk/file-stamps.ts';
import { memoryFileSystem, systemError } from '../../input/memory-file-system.ts';
import { ChangingFiles } from '../sync/changing-files.ts';

const A = '/a.json';
const LATER = () => Number.MAX_SAFE_INTEGER;

/** Files that count how often they are read, and do not say when they were written. */
function counting(files: FileSystem) {
  const reads: string[] = [];
  const counted: FileSystem = {
    ...files,
    stat: (path) => files.stat(path),
    list: (path) => files.list(path),
    read(path) {
      reads.push(path);
      return files.read(path);
    },
  };
  return { counted, reads };
}

describe('a file on disk', () => {
  it('has the same hash while it has the same bytes', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const disk = new FileStamps(files, LATER);
    const first = (await disk.get(A))?.hash;
    files.write(A, 'two');
    expect((await disk.get(A))?.hash).not.toBe(first);
    files.write(A, 'one');
    expect((await disk.get(A))?.hash).toBe(first);
  });

  it('is checked once for all requests that wait', async () => {
    const { counted, reads } = counting(memoryFileSystem({ [A]: 'one', '/b.json': 'two' }));
    const disk = new FileStamps(counted, LATER);
    const looks = [disk.get('/b.json'), disk.get(A), disk.get(A), disk.get(A)];
    await Promise.all(looks);
    expect(reads).toEqual(['/b.json', A]);
  });

  it('is checked again for a request during a check', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const reading = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const slow: FileSystem = {
      stat: (path) => files.stat(path),
      list: (path) => files.list(path),
      leadsOutside: async () => false,
      async read(path) {
        const bytes = await files.read(path);
        isRead.resolve();
        await reading.promise;
        return bytes;
      },
    };
    const disk = new FileStamps(slow, LATER);
    const before = disk.get(A);
    await isRead.promise;
    files.write(A, 'two');
    const after = disk.get(A);
    reading.resolve();
    expect((await before)?.hash).not.toBe((await after)?.hash);
    expect(files.reads).toEqual([A, A]);
  });

  it('is not read again while size and time are the same', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const disk = new FileStamps(files, LATER);
    const stamp = await disk.get(A);
    expect(await disk.get(A)).toEqual(stamp);
    expect(files.reads).toEqual([A]);
    disk.clear();
    await disk.get(A);
    expect(files.reads).toEqual([A, A]);
  });

  it('is read again when it was written just before it was read, since clocks tick in steps', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const { modified = 0 } = (await files.stat(A)) ?? {};
    const disk = new FileStamps(files, () => modified + 5);
    await disk.get(A);
    await disk.get(A);
    expect(files.reads).toEqual([A, A]);
  });

  it('has no stamp where it is missing or a folder', async () => {
    const disk = new FileStamps(memoryFileSystem({ '/folder/a.json': '' }));
    expect([await disk.get('/none.json'), await disk.get('/folder')]).toEqual([null, null]);
  });

  it('has a stamp where it cannot be read or is too large', async () => {
    const { counted, reads } = counting(memoryFileSystem({ [A]: systemError('EACCES') }));
    expect(await new FileStamps(counted).get(A)).toMatchObject({ hash: UNREADABLE_HASH });
    const large: FileSystem = { ...counted, stat: async () => ({ kind: 'file', size: 2 ** 31 }) };
    expect(await new FileStamps(large).get(A)).toMatchObject({ hash: UNREADABLE_HASH, size: 2 ** 31 });
    expect(reads).toEqual([A]);
  });
});
