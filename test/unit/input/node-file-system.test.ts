import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
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

  it('lists by name and follows links to files only', async () => {
    expect(await nodeFileSystem.list(join(folder, 'sub'))).toEqual([
      { name: 'c.jsonl', kind: 'file' },
      { name: 'circle', kind: 'other' },
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
