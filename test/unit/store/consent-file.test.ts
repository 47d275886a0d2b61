import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConsentFile } from '../../../src/store/consent-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('stored consent', () => {
  it('applies to one folder and one host, and the last answer counts', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'not', 'there', 'yet');
    const file = new ConsentFile(home);
    expect(await file.find('/a', 'h')).toBeNull();
    await file.append({ folder: '/a', host: 'h', answer: 'allow' });
    expect(await file.find('/a', 'h')).toBe('allow');
    for (const [path, host] of [
      ['/a', 'other'],
      ['/a/b', 'h'],
      ['/', 'h'],
    ] as const) {
      expect(await file.find(path, host)).toBeNull();
    }
    await file.append({ folder: '/a', host: 'h', answer: 'never' });
    expect(await new ConsentFile(home).find('/a', 'h')).toBe('never');
    await file.delete();
    await file.delete();
    expect(await file.find('/a', 'h')).toBeNull();
  });

  it('for all folders replaces earlier answers for one folder, and gives way to later ones', async () => {
    await using folder = await temporaryFolder();
    const file = new ConsentFile(folder.path);
    await file.append({ folder: '/a', host: 'h', answer: 'never' });
    await file.append({ folder: null, host: 'h', answer: 'allow' });
    expect([await file.find('/a', 'h'), await file.find('/b', 'h'), await file.find('/b', 'i')]).toEqual([
      'allow',
      'allow',
      null,
    ]);
    await file.append({ folder: '/a', host: 'h', answer: 'never' });
    expect([await file.find('/a', 'h'), await file.find('/b', 'h')]).toEqual(['never', 'allow']);
    expect(await file.list()).toEqual([
      { folder: null, host: 'h', answer: 'allow' },
      { folder: '/a', host: 'h', answer: 'never' },
    ]);
    await file.append({ folder: '/a', host: 'i', answer: 'allow' });
    await file.revoke('h');
    expect([await file.find('/a', 'h'), await file.find('/b', 'h')]).toEqual([null, null]);
    expect(await file.list()).toEqual([{ folder: '/a', host: 'i', answer: 'allow' }]);
  });

  it('is not lost when several windows answer at once', async () => {
    await using folder = await temporaryFolder();
    const hosts = Array.from({ length: 40 }, (_, i) => `host-${i}`);
    await Promise.all(
      hosts.map((host) => new ConsentFile(folder.path).append({ folder: '/a', host, answer: 'allow' })),
    );
    const result = await Promise.all(hosts.map((host) => new ConsentFile(folder.path).find('/a', host)));
    expect(new Set(result)).toEqual(new Set(['allow']));
  });

  it('ignores truncated and invalid lines', async () => {
    await using folder = await temporaryFolder();
    const file = new ConsentFile(folder.path);
    await writeFile(
      file.path,
      '{"folder":"/a","host":"h","answer":"maybe"}\n[]\n{"folder":"/a","host":"h","answer":"all',
    );
    expect(await file.find('/a', 'h')).toBeNull();
    await file.append({ folder: '/a', host: 'h', answer: 'allow' });
    await appendFile(file.path, '{"folder":"/a","ho');
    expect(await file.find('/a', 'h')).toBe('allow');
  });

  it('allows nothing where it cannot be read', async () => {
    await using folder = await temporaryFolder();
    const file = new ConsentFile(folder.path);
    await mkdir(file.path);
    expect(await file.find('/a', 'h')).toBeNull();
    await expect(file.append({ folder: '/a', host: 'h', answer: 'allow' })).rejects.toThrow('EISDIR');
  });
});
