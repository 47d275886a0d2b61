import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFolder } from './private-folder.ts';

const FILE = 'boundary-key';
const BYTES = 32;

/**
 * The key under which boundaries around the text of traces are drawn: 32 random bytes, made once in a data folder. Where
 * none can be kept, it is of this call alone.
 */
export function loadBoundaryKey(home: string): Uint8Array {
  const file = join(home, FILE);
  const kept = readKeyFile(file);
  if (kept) return kept;
  const made = randomBytes(BYTES);
  try {
    createPrivateFolder(home);
    writeOnce(file, made);
  } catch {
    // A boundary holds without being kept; that nothing can be kept is for the cache to say.
  }
  return readKeyFile(file) ?? made;
}

/** Null where there is none, or no whole one. */
function readKeyFile(file: string): Uint8Array | null {
  try {
    const key = readFileSync(file);
    return key.length === BYTES ? key : null;
  } catch {
    return null;
  }
}

/** The file appears whole, and if several processes make it at once, the first one's stays. */
function writeOnce(file: string, key: Uint8Array): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(draft, key, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch {
    // Another process was first; or what is there is damaged, or the disk knows no links, and then the last one's stays.
    if (readKeyFile(file) === null) renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
