import type { Pointer } from '../../core/session.ts';
import type { Locator, TextRange } from '../../input/load.ts';

/** Where values stand, by file and pointer: plain data, without the texts of the files. */
export type Positions = ReadonlyMap<string, ReadonlyMap<Pointer, TextRange>>;

/** Positions that were resolved where the texts are. */
export class PositionTable implements Locator {
  readonly #byFile = new Map<string, Map<Pointer, TextRange>>();

  add(positions: Positions): void {
    for (const [file, ofFile] of positions) {
      const known = this.#byFile.get(file) ?? new Map();
      this.#byFile.set(file, known);
      for (const [pointer, range] of ofFile) known.set(pointer, range);
    }
  }

  locate(file: string): ReadonlyMap<Pointer, TextRange> {
    return this.#byFile.get(file) ?? new Map();
  }
}
