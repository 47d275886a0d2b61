import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPrivateFolder } from '../../../src/store/private-folder.ts';
import { openStore } from '../../../src/store/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('createPrivateFolder', () => {
  it.skipIf(process.platform === 'win32')('creates parents too, for its user alone', async () => {
    await using folder = await temporaryFolder();
    chmodSync(folder.path, 0o755);
    createPrivateFolder(join(folder.path, 'a', 'b', 'c'));
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder.path, path)).mode & 0o777).toBe(0o700);
    expect(statSync(folder.path).mode & 0o777).toBe(0o755);
  });

  it('keeps an existing folder', async () => {
    await using folder = await temporaryFolder({ 'existing/file': 'text' });
    createPrivateFolder(join(folder.path, 'existing'));
    createPrivateFolder('/');
    expect(existsSync(join(folder.path, 'existing', 'file'))).toBe(true);
  });

  it.each(['file', 'file/below', 'file/below/that'])('throws if a file is in the way: %s', async (path) => {
    await using folder = await temporaryFolder();
    writeFileSync(join(folder.path, 'file'), '');
    expect(() => createPrivateFolder(join(folder.path, path))).toThrow(/EEXIST|ENOTDIR|ENOENT/);
  });

  // Node itself never comes back from there.
  it.skipIf(process.platform !== 'linux')('terminates where nothing can be created', async () => {
    expect(() => createPrivateFolder('/proc/nope')).toThrow('ENOENT');
    expect(() => createPrivateFolder('/proc/nope/below')).toThrow('ENOENT');
    const warnings: string[] = [];
    using store = openStore('/proc/nope', { warn: (sentence) => warnings.push(sentence) });
    expect(store.boundaryKey).toHaveLength(32);
    await store.answerCache.put('key', 'answer');
    expect(await store.answerCache.get('key')).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^Answers cannot be cached in \/proc\/nope: ENOENT/)]);
  });
});
