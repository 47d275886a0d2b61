import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../../../../src/input/file-system.ts';
import { Disk, UNREADABLE } from '../../../../src/server/disk/disk.ts';
import { memoryFileSystem, systemError } from '../../input/memory-file-system.ts';
import { ChangingFiles } from '../following/changing-files.ts';

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
  it('has the same hash as long as it has the same bytes', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const disk = new Disk(files, LATER);
    const first = (await disk.look(A))?.hash;
    files.write(A, 'two');
    expect((await disk.look(A))?.hash).not.toBe(first);
    files.write(A, 'one');
    expect((await disk.look(A))?.hash).toBe(first);
  });

  it('is looked at once for all who ask before that', async () => {
    const { counted, reads } = counting(memoryFileSystem({ [A]: 'one', '/b.json': 'two' }));
    const disk = new Disk(counted, LATER);
    const looks = [disk.look('/b.json'), disk.look(A), disk.look(A), disk.look(A)];
    await Promise.all(looks);
    expect(reads).toEqual(['/b.json', A]);
  });

  it('is looked at again for who asks while it is read: it may have changed since', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const reading = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const slow: FileSystem = {
      stat: (path) => files.stat(path),
      list: (path) => files.list(path),
      async read(path) {
        const bytes = await files.read(path);
        isRead.resolve();
        await reading.promise;
        return bytes;
      },
    };
    const disk = new Disk(slow, LATER);
    const before = disk.look(A);
    await isRead.promise;
    files.write(A, 'two');
    const after = disk.look(A);
    reading.resolve();
    expect((await before)?.hash).not.toBe((await after)?.hash);
    expect(files.reads).toEqual([A, A]);
  });

  it('is not read again when its size and time say that it is the same', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const disk = new Disk(files, LATER);
    const stamp = await disk.look(A);
    expect(await disk.look(A)).toEqual(stamp);
    expect(files.reads).toEqual([A]);
    disk.clear();
    await disk.look(A);
    expect(files.reads).toEqual([A, A]);
  });

  it('is read again when it was written just before it was read: clocks of file systems go in steps', async () => {
    const files = new ChangingFiles({ [A]: 'one' });
    const { modified = 0 } = (await files.stat(A)) ?? {};
    const disk = new Disk(files, () => modified + 5);
    await disk.look(A);
    await disk.look(A);
    expect(files.reads).toEqual([A, A]);
  });

  it('is nothing where nothing is, or a folder', async () => {
    const disk = new Disk(memoryFileSystem({ '/folder/a.json': '' }));
    expect([await disk.look('/none.json'), await disk.look('/folder')]).toEqual([null, null]);
  });

  it('is there all the same when it cannot be read, and when it is too large to be', async () => {
    const { counted, reads } = counting(memoryFileSystem({ [A]: systemError('EACCES') }));
    expect(await new Disk(counted).look(A)).toMatchObject({ hash: UNREADABLE });
    const large: FileSystem = { ...counted, stat: async () => ({ kind: 'file', size: 2 ** 31 }) };
    expect(await new Disk(large).look(A)).toMatchObject({ hash: UNREADABLE, size: 2 ** 31 });
    expect(reads).toEqual([A]);
  });
});
