import { fileURLToPath } from 'node:url';
import { resolvePointers as positionsOf } from '../../core/pointer-ranges.ts';
import type { Pointer } from '../../core/session.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { selfAndAncestors } from '../../input/locator.ts';
import { parseFile } from '../../input/parse-file.ts';
import type { FileLocation } from '../../protocol/messages.ts';
import { toRange } from './session-view.ts';

/**
 * The current location of a value, or the start of its nearest existing ancestor; null when the file is not valid
 * JSON.
 *
 * @throws the error of the file system when the file cannot be read.
 */
export async function resolvePointer(files: FileSystem, uri: string, pointer: Pointer): Promise<FileLocation | null> {
  const file = fileURLToPath(uri);
  const { document, text } = parseFile(file, await files.read(file));
  if (!document || text === null) return null;
  const wanted = [...selfAndAncestors(pointer)];
  const found = positionsOf(text, wanted, document);
  for (const candidate of wanted) {
    const position = found.get(candidate);
    if (!position) continue;
    const range = toRange(position);
    return { uri, range: candidate === pointer ? range : { start: range.start, end: range.start } };
  }
  return null;
}
