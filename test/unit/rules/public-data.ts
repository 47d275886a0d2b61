import type { Session } from '../../../src/core/session.ts';
import { load } from '../../../src/input/load.ts';
import { nodeFileSystem } from '../../../src/input/node-file-system.ts';
import { sharedData } from '../../support/shared-data.ts';

/** Reads the sessions of a file or folder of the labelled public data; null where the data is not there. */
export function sessionsOf(relativePath: string): (() => Promise<readonly Session[]>) | null {
  const path = sharedData(relativePath);
  if (path === null) return null;
  return async () => (await load([path], nodeFileSystem, { signal: new AbortController().signal })).sessions;
}
