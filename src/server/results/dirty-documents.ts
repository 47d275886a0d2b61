import type { TextDelta } from '../../protocol/text-delta.ts';

/** Documents with unsaved changes. Keeps the edits since the last save, not the text. */
export class DirtyDocuments {
  readonly #dirty = new Map<string, TextDelta[]>();

  isDirty(path: string): boolean {
    return this.#dirty.has(path);
  }

  /** The edits since the document matched its file. */
  edits(path: string): readonly TextDelta[] {
    return this.#dirty.get(path) ?? [];
  }

  addEdits(path: string, edits: Iterable<TextDelta>): void {
    const before = this.#dirty.get(path) ?? [];
    for (const edit of edits) before.push(edit);
    this.#dirty.set(path, before);
  }

  /** The document matches its file again: it was saved, undone or closed. */
  markClean(path: string): void {
    this.#dirty.delete(path);
  }
}
