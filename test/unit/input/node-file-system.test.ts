import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandGlobs } from '../../../src/input/expand-globs.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { walkInputs } from '../../../src/input/walk-inputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-files-'));
const never = new AbortController().signal;

beforeAll(() => {
  for (const name of ['sub', 'node_modules', 'x[1]']) mkdirSync(join(folder, name));
  for (const name of ['b.json', 'a.json', 'sub/c.jsonl', 'node_modules/d.json', 'a.turnwise.json', 'x[1]/e.json']) {
    writeFileSync(join(folder, name), '{}');
  }
  symlinkSync(join(folder, 'a.json'), join(folder, 'link.json'));
  symlinkSync(join(folder, 'nowhere.json'), join(folder, 'dead.json'));
  symlinkSync(folder, join(folder, 'sub', 'circle'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('nodeFileSystem', () => {
  it('gives the kind of a path', async () => {
    const modified = 1_700_000_000_500;
    utimesSync(join(folder, 'a.json'), modified / 1000, modified / 1000);
    expect(await nodeFileSystem.stat(join(folder, 'a.json'))).toEqual({ kind: 'file', size: 2, modified });
    expect(await nodeFileSystem.stat(folder)).toMatchObject({ kind: 'directory' });
    expect(await nodeFileSystem.stat(join(folder, 'nothing'))).toBeNull();
    expect(await nodeFileSystem.stat(join(folder, 'a.json', 'x'))).toBeNull();
  });

  it('rejects with the system error', async () => {
    await expect(nodeFileSystem.read(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(nodeFileSystem.list(join(folder, 'a.json'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('reads all of a file, or its start', async () => {
    const path = join(folder, 'long.txt');
    const text = 'x'.repeat(9 * 2 ** 20);
    writeFileSync(path, text);
    expect(Buffer.from(await nodeFileSystem.read(path)).toString()).toBe(text);
    expect(await nodeFileSystem.readStart?.(path, 3)).toEqual(new Uint8Array([0x78, 0x78, 0x78]));
    await expect(nodeFileSystem.read(path, AbortSignal.abort())).rejects.toThrow(/abort/i);
    rmSync(path);
  });

  it('reads files that claim to be empty, but not without end', async () => {
    if (process.platform !== 'linux') return;
    expect((await nodeFileSystem.read('/proc/self/status')).length).toBeGreaterThan(100);
    await expect(nodeFileSystem.read('/proc/self/pagemap')).rejects.toThrow('it has no end, or grows while it is read');
  });

  it.skipIf(process.platform === 'win32')('reads no device and no folder', async () => {
    await expect(nodeFileSystem.read('/dev/zero')).rejects.toThrow('it is a pipe or a device, not a file');
    await expect(nodeFileSystem.readStart?.('/dev/zero', 1)).rejects.toThrow('it is a pipe or a device');
    await expect(nodeFileSystem.read(folder)).rejects.toThrow('it is a folder');
  });

  it('rejects a file beyond the limit without reading it', async () => {
    const path = join(folder, 'huge.txt');
    writeFileSync(path, '');
    truncateSync(path, 600 * 2 ** 20);
    await expect(nodeFileSystem.read(path)).rejects.toMatchObject({ size: 600 * 2 ** 20 });
    rmSync(path);
  });

  it('tells links that lead out of a folder from those that stay in it', async () => {
    const leads = (name: string, root: string) => nodeFileSystem.leadsOutside(join(folder, name), join(folder, root));
    expect(await leads('link.json', '.')).toBe(false);
    expect(await leads('link.json', 'sub')).toBe(true);
    expect(await leads('sub/circle/a.json', 'sub')).toBe(true);
    expect(await leads('dead.json', '.')).toBe(false);
    // A folder whose name begins like another's.
    mkdirSync(join(folder, 'sub2'));
    expect(await leads('sub2', 'sub')).toBe(true);
    rmSync(join(folder, 'sub2'), { recursive: true });
  });

  it('lists by name and follows links to files only', async () => {
    expect(await nodeFileSystem.list(join(folder, 'sub'))).toEqual([
      { name: 'c.jsonl', kind: 'file' },
      { name: 'circle', kind: 'other', isLink: true },
    ]);
    const { files } = await walkInputs([folder], nodeFileSystem, never);
    const names = files.map(({ file }) => file.slice(folder.length + 1));
    expect(names).toEqual([
      'a.json',
      'a.turnwise.json',
      'b.json',
      'dead.json',
      'link.json',
      'sub/c.jsonl',
      'x[1]/e.json',
    ]);
  });
});

describe('expandGlobs', () => {
  it.each([
    ['*.json', ['a.json', 'b.json', 'link.json']],
    ['./*.json', ['a.json', 'b.json', 'link.json']],
    ['**/*.json{,l}', ['a.json', 'b.json', 'link.json', 'sub/c.jsonl', 'x[1]/e.json']],
    ['sub/*', ['sub/c.jsonl']],
  ])('finds the files of %s, by name', async (pattern, expected) => {
    const { paths, problems } = await expandGlobs([pattern], nodeFileSystem, folder);
    expect(paths.filter((path) => path !== 'dead.json' && !path.includes('circle'))).toEqual(expected);
    expect(problems).toEqual([]);
  });

  it('gives absolute paths for absolute globs', async () => {
    expect((await expandGlobs([`${folder}/b*.json`], nodeFileSystem, '/')).paths).toEqual([join(folder, 'b.json')]);
  });

  it('keeps other inputs, in order', async () => {
    const inputs = ['z.json', '-', join(folder, 'x[1]'), 'a.json'];
    expect(await expandGlobs(inputs, nodeFileSystem, folder)).toEqual({ paths: inputs, problems: [] });
  });

  it('reports a glob without matches', async () => {
    const { paths, problems } = await expandGlobs(['no*.json', 'a.json'], nodeFileSystem, folder);
    expect(paths).toEqual(['a.json']);
    expect(problems).toMatchObject([{ file: 'no*.json', severity: 'error', code: 'not-found' }]);
  });
});
