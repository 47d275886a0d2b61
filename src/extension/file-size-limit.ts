import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** VS Code gives extensions no text that is longer: nothing can be shown in it. */
const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;

/** Whether nothing can be shown in a file when it is open. One that is not there is not too large. */
export async function exceedsSizeLimit(uri: string): Promise<boolean> {
  try {
    return (await stat(fileURLToPath(uri))).size > MAX_DOCUMENT_BYTES;
  } catch {
    return false;
  }
}
