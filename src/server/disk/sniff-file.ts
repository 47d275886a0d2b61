import type { FileSystem } from '../../input/file-system.ts';
import { looksLikeTrace, SNIFF_BYTES } from '../../input/trace-sniff.ts';

/** Whether a file looks like a trace, by its beginning. A file that cannot be read does not. */
export async function sniffFile(files: FileSystem, path: string): Promise<boolean> {
  try {
    const head = await (files.readStart?.(path, SNIFF_BYTES) ?? files.read(path));
    return looksLikeTrace(path, head.subarray(0, SNIFF_BYTES));
  } catch {
    return false;
  }
}
