import type { Document } from '../core/document.ts';
import type { Pointer } from '../core/session.ts';

/** Maximum number of entries that detection looks at, so that its cost does not grow with the file. */
export const SAMPLE_SIZE = 200;

/** The records of a document: the entries of a list, the lines of a file, or the value itself. */
export function* records(document: Document): Generator<readonly [Pointer, unknown]> {
  if (!Array.isArray(document.value)) {
    yield ['', document.value];
    return;
  }
  const { firstLine = 0 } = document;
  for (const [index, value] of document.value.entries()) {
    // A blank or broken line; parsing has reported it.
    if (value !== undefined) yield [`/${firstLine + index}`, value];
  }
}

/** The first records of a document or list, however many blank or broken lines come before them. */
export function sample(value: unknown, size = SAMPLE_SIZE): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  const entries: unknown[] = [];
  for (let index = 0; index < value.length && entries.length < size; index += 1) {
    if (value[index] !== undefined) entries.push(value[index]);
  }
  return entries;
}

/**
 * Whether at least half of the values, and at least one, pass the test. A malformed entry must not prevent detection.
 */
export function mostly(values: readonly unknown[], test: (value: unknown) => boolean): boolean {
  const fitting = values.filter(test).length;
  return fitting > 0 && fitting * 2 >= values.length;
}
