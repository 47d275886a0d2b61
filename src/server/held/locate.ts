import { fileURLToPath } from 'node:url';
import { resolvePointers as positionsOf } from '../../core/pointer-ranges.ts';
import type { Pointer } from '../../core/session.ts';
import type { Files } from '../../input/files.ts';
import { upwards } from '../../input/locator.ts';
import { parse } from '../../input/parse.ts';
import type { Place } from '../../protocol/messages.ts';
import { rangeOf } from './rows.ts';

/**
 * Where a value stands in a file as it is now, or where what held it begins when it is gone; null when the file is no JSON.
 *
 * @throws the system's error when the file cannot be read.
 */
export async function locate(files: Files, uri: string, pointer: Pointer): Promise<Place | null> {
  const file = fileURLToPath(uri);
  const { document, text } = parse(file, await files.read(file));
  if (!document || text === null) return null;
  const wanted = [...upwards(pointer)];
  const found = positionsOf(text, wanted, document);
  for (const candidate of wanted) {
    const position = found.get(candidate);
    if (!position) continue;
    const range = rangeOf(position);
    return { uri, range: candidate === pointer ? range : { start: range.start, end: range.start } };
  }
  return null;
}
