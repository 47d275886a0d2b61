import type { Document } from '../core/document.ts';
import type { Pointer } from '../core/session.ts';

/** How much of a list detection looks at, so that its cost does not grow with the file. */
const SAMPLE_SIZE = 200;

/** The values of a document that may each be a record: the entries of a list or the lines of a file, else the value. */
export function* records(document: Document): Generator<readonly [Pointer, unknown]> {
  if (!Array.isArray(document.value)) {
    yield ['', document.value];
    return;
  }
  for (const [index, value] of document.value.entries()) {
    // A line that is blank or broken; whoever parsed the file has said so.
    if (value !== undefined) yield [`/${index}`, value];
  }
}

/** The first records of a document, or of a list inside it. */
export function sample(value: unknown, size = SAMPLE_SIZE): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  return value.slice(0, size).filter((entry) => entry !== undefined);
}

/** At least one, and no fewer than half: a malformed entry must not hide what the others are. */
export function mostly(values: readonly unknown[], test: (value: unknown) => boolean): boolean {
  const fitting = values.filter(test).length;
  return fitting > 0 && fitting * 2 >= values.length;
}
