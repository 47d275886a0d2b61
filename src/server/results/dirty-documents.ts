import type { TextDelta } from '../../protocol/text-delta.ts';

/** What is open in an editor and not as on disk. No text is kept: what was edited since is. */
export class DirtyDocuments {
  readonly #dirty = new Map<string, TextDelta[]>();

  isDirty(path: string): boolean {
    return this.#dirty.has(path);
  }

  /** What was edited since the text was that of the file. */
  edits(path: string): readonly TextDelta[] {
    return this.#dirty.get(path) ?? [];
  }

  addEdits(path: string, edits: Iterable<TextDelta>): void {
    const before = this.#dirty.get(path) ?? [];
    for (const edit of edits) before.push(edit);
    this.#dirty.set(path, before);
  }

  /** Its text is that of the file: it was saved, undone or closed. */
  markClean(path: string): void {
    this.#dirty.delete(path);
  }
}
