import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFolder } from './private-folder.ts';

const FILE = 'boundary-key';
const BYTES = 32;

/**
 * The key from which the boundaries around text of traces are derived: 32 random bytes, created once in a data folder. If it cannot
 * be stored, each call returns another one.
 */
export function loadBoundaryKey(home: string): Uint8Array {
  const file = join(home, FILE);
  const stored = readKeyFile(file);
  if (stored) return stored;
  const key = randomBytes(BYTES);
  try {
    createPrivateFolder(home);
    writeOnce(file, key);
  } catch {
    // A key works without being stored; the cache reports that nothing can be stored.
  }
  return readKeyFile(file) ?? key;
}

/** Null if there is none, or an incomplete one. */
function readKeyFile(file: string): Uint8Array | null {
  try {
    const key = readFileSync(file);
    return key.length === BYTES ? key : null;
  } catch {
    return null;
  }
}

/** Creates the file atomically. If several processes do so at the same time, the first one's key stays. */
function writeOnce(file: string, key: Uint8Array): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(draft, key, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch {
    // Another process was first. If the file is damaged, or the disk supports no links, the last key stays.
    if (readKeyFile(file) === null) renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
