import { join } from 'node:path';
import { sanitizeLine } from '../core/sanitize.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { describeSystemError } from '../input/system-error.ts';

/** Why the recorded runs cannot be read, as a sentence with a remedy. Null where they can, and where the folder is not there yet. */
export async function describeUnreadableFolder(folder: string): Promise<string | null> {
  try {
    await nodeFileSystem.list(join(folder, 'runs'));
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    return `The data folder ${sanitizeLine(folder)} cannot be read: ${describeSystemError(error)}. TURNWISE_HOME names another one.`;
  }
}
