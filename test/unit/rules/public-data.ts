import type { Session } from '../../../src/core/session.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { sharedData, sharedTraceFolders } from '../../support/shared-data.ts';

/** Reads the sessions of a file or folder of the labelled public data; null where the data is not there. */
export function sessionsOf(relativePath: string): (() => Promise<readonly Session[]>) | null {
  const path = sharedData(relativePath);
  return path === null ? null : () => sessionsAt([path]);
}

/** Reads the sessions of all folders of traces in the public data; null where the data is not there. */
export function sessionsOfTraceFolders(): (() => Promise<readonly Session[]>) | null {
  const folders = sharedTraceFolders();
  return folders && (() => sessionsAt(folders));
}

async function sessionsAt(paths: readonly string[]): Promise<readonly Session[]> {
  return (await load(paths, nodeFileSystem, { signal: new AbortController().signal })).sessions;
}
