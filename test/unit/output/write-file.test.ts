import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, link, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkWritable, isOneOf, WouldReplaceInput, writeFile } from '../../../src/output/write-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WRITER = join(import.meta.dirname, '../../../src/output/write-file.ts');

async function* failing(): AsyncGenerator<string> {
  yield 'half';
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

describe('writeFile', () => {
  it('creates a file, and replaces one with its mode', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'a.txt');
    await writeFile(path, 'one');
    expect(await readFile(path, 'utf8')).toBe('one');
    await chmod(path, 0o640);
    await writeFile(path, ['t', 'wo']);
    expect(await readFile(path, 'utf8')).toBe('two');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder.path)).toEqual(['a.txt']);
  });

  it.each([true, false])('leaves everything as it was when writing fails; the file exists: %s', async (exists) => {
    await using folder = await temporaryFolder(exists ? { 'a.txt': 'old' } : {});
    const path = join(folder.path, 'a.txt');
    await expect(writeFile(path, failing())).rejects.toMatchObject({ code: 'ENOSPC' });
    if (!exists) await expect(writeFile(path, failing(), { isNew: true })).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await readdir(folder.path)).toEqual(exists ? ['a.txt'] : []);
    if (exists) expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('creates only what does not exist, where that is asked for', async () => {
    await using folder = await temporaryFolder({ 'a.txt': 'old' });
    const path = join(folder.path, 'a.txt');
    await expect(writeFile(path, 'new', { isNew: true })).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it.skipIf(process.platform === 'win32')('follows links, also to what does not exist yet', async () => {
    await using folder = await temporaryFolder({ 'real/a.txt': 'old' });
    const at = (name: string) => join(folder.path, name);
    await symlink('real/a.txt', at('link'));
    await symlink('next', at('dangling'));
    await symlink('real/new.txt', at('next'));
    await writeFile(at('link'), 'new');
    await writeFile(at('dangling'), 'created');
    expect(await readFile(at('real/a.txt'), 'utf8')).toBe('new');
    expect(await readFile(at('real/new.txt'), 'utf8')).toBe('created');
    expect((await readdir(folder.path)).sort()).toEqual(['dangling', 'link', 'next', 'real']);
    await symlink('circle', at('circle'));
    await expect(writeFile(at('circle'), 'x')).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it.skipIf(process.platform === 'win32')('replaces no input, whatever leads to it', async () => {
    await using folder = await temporaryFolder({ 'trace.json': '[]', 'sub/x': '' });
    const at = (name: string) => join(folder.path, name);
    await symlink('trace.json', at('link'));
    await link(at('trace.json'), at('hard'));
    for (const name of ['trace.json', 'sub/../trace.json', 'link', 'hard']) {
      await expect(writeFile(at(name), 'x', { inputs: [at('trace.json')] })).rejects.toThrow(WouldReplaceInput);
    }
    expect(await readFile(at('trace.json'), 'utf8')).toBe('[]');
    expect(await isOneOf(at('other.json'), [at('trace.json')])).toBe(false);
    await writeFile(at('other.json'), 'x', { inputs: [at('trace.json')] });
  });

  it.runIf(process.platform === 'linux')('writes to pipes and devices directly', async () => {
    await using folder = await temporaryFolder();
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const [text] = await Promise.all([readFile(pipe, 'utf8'), writeFile(pipe, ['a', 'b'])]);
    expect(text).toBe('ab');
    await writeFile('/dev/null', 'x');
    await expect(writeFile('/dev/full', 'x')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it('leaves nothing behind when the process ends meanwhile', async () => {
    await using folder = await temporaryFolder({ 'a.txt': 'old' });
    const script = `
      import { readdirSync } from 'node:fs';
      import { writeFile } from ${JSON.stringify(pathToFileURL(WRITER).href)};
      async function* text() {
        yield 'half';
        await new Promise((resolve) => setTimeout(resolve, 50));
        process.stdout.write(String(readdirSync('.').length));
        process.exit(130);
      }
      await writeFile('a.txt', text());`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder.path });
    expect({ status: child.status, files: String(child.stdout) }).toEqual({ status: 130, files: '2' });
    expect(await readdir(folder.path)).toEqual(['a.txt']);
    expect(await readFile(join(folder.path, 'a.txt'), 'utf8')).toBe('old');
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() !== 0)('respects what is read-only', async () => {
    await using folder = await temporaryFolder({ 'a.txt': 'old' });
    const path = join(folder.path, 'a.txt');
    await chmod(path, 0o444);
    await expect(writeFile(path, 'new')).rejects.toMatchObject({ code: 'EACCES' });
    await chmod(path, 0o644);
    await chmod(folder.path, 0o555);
    // Only the file can be written.
    await writeFile(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    await expect(writeFile(join(folder.path, 'b.txt'), 'new')).rejects.toMatchObject({ code: 'EACCES' });
    await chmod(folder.path, 0o755);
  });
});

describe('checkWritable', () => {
  it.each([
    ['a file', 'a.txt', null],
    ['a new file', 'new.txt', null],
    ['a folder', 'sub', 'EISDIR'],
    ['a file in a missing folder', 'no/a.txt', 'ENOENT'],
    ['a file below a file', 'a.txt/b.txt', 'ENOTDIR'],
  ])('tells whether %s can be written', async (_, name, code) => {
    await using folder = await temporaryFolder({ 'a.txt': '' });
    await mkdir(join(folder.path, 'sub'));
    const checked = checkWritable(join(folder.path, name));
    if (code === null) await checked;
    else await expect(checked).rejects.toMatchObject({ code });
    expect((await readdir(folder.path)).sort()).toEqual(['a.txt', 'sub']);
  });
});
