import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadBoundaryKey } from '../../../src/store/boundary-key.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the boundary key', () => {
  it('has 32 bytes, and differs between installations', async () => {
    await using item = await temporaryFolder();
    await using other = await temporaryFolder();
    const key = loadBoundaryKey(item.path);
    expect(key).toHaveLength(32);
    expect(loadBoundaryKey(item.path)).toEqual(key);
    expect(loadBoundaryKey(other.path)).not.toEqual(key);
  });

  it('is the only content of its file', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'data', 'turnwise');
    const key = loadBoundaryKey(home);
    expect(readdirSync(home)).toEqual(['boundary-key']);
    expect(new Uint8Array(readFileSync(join(home, 'boundary-key')))).toEqual(new Uint8Array(key));
  });

  it.skipIf(process.platform === 'win32')('is for its user alone', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'turnwise');
    chmodSync(folder.path, 0o755);
    loadBoundaryKey(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'boundary-key')).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'short', 'longer than thirty-two bytes, which no key is'])(
    'is made again when it is damaged: %j',
    async (text) => {
      await using folder = await temporaryFolder({ 'boundary-key': text });
      const key = loadBoundaryKey(folder.path);
      expect(key).toHaveLength(32);
      expect(loadBoundaryKey(folder.path)).toEqual(key);
      expect(readdirSync(folder.path)).toEqual(['boundary-key']);
    },
  );

  it('differs per call if it cannot be stored', async () => {
    await using folder = await temporaryFolder();
    const home = join(folder.path, 'file');
    writeFileSync(home, '');
    const key = loadBoundaryKey(home);
    expect(key).toHaveLength(32);
    expect(loadBoundaryKey(home)).not.toEqual(key);
  });
});
