import type { FileRange } from '../protocol/messages.ts';
import { type TextDelta, toTextDelta } from '../protocol/text-delta.ts';

interface DocumentEdits {
  readonly uri: string;
  readonly edits: readonly TextDelta[];
  readonly isDirty: boolean;
}

interface EditLogEntry {
  /** All since the text was that of the file. */
  readonly edits: TextDelta[];
  isDirty: boolean;
  /** How many of the edits have been told. */
  sent: number;
}

const START = { line: 0, character: 0 };

/** Changes nothing, and says that the text is not that of the file. */
const UNKNOWN_EDIT: TextDelta = { range: { start: START, end: START }, lines: 0, lastLength: 0 };

/** What was edited in documents since they were as on disk, and what of it the server does not know yet. */
export class EditLog {
  readonly #entries = new Map<string, EditLogEntry>();

  add(uri: string, changes: readonly { readonly range: FileRange; readonly text: string }[], isDirty: boolean): void {
    const entry = this.#entry(uri);
    for (const change of changes) entry.edits.push(toTextDelta(change.range, change.text));
    entry.isDirty = isDirty;
  }

  /** A document is not as on disk, and nobody saw how it came to be so. */
  addUnknown(uri: string): void {
    const entry = this.#entry(uri);
    entry.edits.push(UNKNOWN_EDIT);
    entry.isDirty = true;
  }

  /** A document was closed: its text is that of the file, whatever was edited. */
  close(uri: string): void {
    const entry = this.#entries.get(uri);
    if (entry) entry.isDirty = false;
  }

  /** What was not told yet; it counts as told now. */
  takeUnsent(): DocumentEdits[] {
    const taken: DocumentEdits[] = [];
    for (const [uri, entry] of this.#entries) {
      const { edits, isDirty, sent: told } = entry;
      if (edits.length > told || !isDirty) taken.push({ uri, edits: edits.slice(told), isDirty });
      entry.sent = edits.length;
      if (!isDirty) this.#entries.delete(uri);
    }
    return taken;
  }

  /** Nobody has been told of anything: what `take` answers next is for somebody new, who knows the files as on disk. */
  reset(): void {
    for (const [uri, entry] of this.#entries) {
      entry.sent = 0;
      if (!entry.isDirty) this.#entries.delete(uri);
    }
  }

  #entry(uri: string): EditLogEntry {
    const entry = this.#entries.get(uri) ?? { edits: [], isDirty: true, sent: 0 };
    this.#entries.set(uri, entry);
    return entry;
  }
}
