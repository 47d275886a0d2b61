import type { FileRange } from '../protocol/messages.ts';
import { type TextDelta, toTextDelta } from '../protocol/text-delta.ts';

interface DocumentEdits {
  readonly uri: string;
  readonly edits: readonly TextDelta[];
  readonly isDirty: boolean;
}

interface EditLogEntry {
  /** All edits since the document matched its file. */
  readonly edits: TextDelta[];
  isDirty: boolean;
  /** How many of the edits were sent to the server. */
  sent: number;
}

const START = { line: 0, character: 0 };

/** An empty edit, which marks a document as dirty. */
const UNKNOWN_EDIT: TextDelta = { range: { start: START, end: START }, lines: 0, lastLength: 0 };

/** The edits of dirty documents, and which of them the server has not received yet. */
export class EditLog {
  readonly #entries = new Map<string, EditLogEntry>();

  add(uri: string, changes: readonly { readonly range: FileRange; readonly text: string }[], isDirty: boolean): void {
    const entry = this.#entry(uri);
    for (const change of changes) entry.edits.push(toTextDelta(change.range, change.text));
    entry.isDirty = isDirty;
  }

  /** A document is dirty, with unknown edits. */
  addUnknown(uri: string): void {
    const entry = this.#entry(uri);
    entry.edits.push(UNKNOWN_EDIT);
    entry.isDirty = true;
  }

  /** A document was closed, so that its file counts again. */
  close(uri: string): void {
    const entry = this.#entries.get(uri);
    if (entry) entry.isDirty = false;
  }

  /** Returns the unsent edits and marks them as sent. */
  takeUnsent(): DocumentEdits[] {
    const taken: DocumentEdits[] = [];
    for (const [uri, entry] of this.#entries) {
      const { edits, isDirty, sent } = entry;
      if (edits.length > sent || !isDirty) taken.push({ uri, edits: edits.slice(sent), isDirty });
      entry.sent = edits.length;
      if (!isDirty) this.#entries.delete(uri);
    }
    return taken;
  }

  /** Marks all edits as unsent, for a server that was just started and knows only the files on disk. */
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
