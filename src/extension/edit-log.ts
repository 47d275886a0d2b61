import type { Range } from '../protocol/messages.ts';

/** A change of a text, without the text. */
interface Edit {
  readonly range: Range;
  /** Line breaks in what was put there. */
  readonly lines: number;
  /** Characters behind the last of them, in UTF-16 code units. */
  readonly lastLength: number;
}

interface Edits {
  readonly uri: string;
  readonly edits: readonly Edit[];
  readonly isDirty: boolean;
}

interface Entry {
  /** All since the text was that of the file. */
  readonly edits: Edit[];
  isDirty: boolean;
  /** How many of the edits have been told. */
  told: number;
}

const START = { line: 0, character: 0 };

/** Changes nothing, and says that the text is not that of the file. */
const UNKNOWN: Edit = { range: { start: START, end: START }, lines: 0, lastLength: 0 };

/** What was edited in documents since they were as on disk, and what of it the server does not know yet. */
export class EditLog {
  readonly #entries = new Map<string, Entry>();

  add(uri: string, changes: readonly { readonly range: Range; readonly text: string }[], isDirty: boolean): void {
    const entry = this.#entry(uri);
    for (const change of changes) entry.edits.push(editOf(change));
    entry.isDirty = isDirty;
  }

  /** A document is not as on disk, and nobody saw how it came to be so. */
  addUnknown(uri: string): void {
    const entry = this.#entry(uri);
    entry.edits.push(UNKNOWN);
    entry.isDirty = true;
  }

  /** A document was closed: its text is that of the file, whatever was edited. */
  close(uri: string): void {
    const entry = this.#entries.get(uri);
    if (entry) entry.isDirty = false;
  }

  /** What was not told yet; it counts as told now. */
  take(): Edits[] {
    const taken: Edits[] = [];
    for (const [uri, entry] of this.#entries) {
      const { edits, isDirty, told } = entry;
      if (edits.length > told || !isDirty) taken.push({ uri, edits: edits.slice(told), isDirty });
      entry.told = edits.length;
      if (!isDirty) this.#entries.delete(uri);
    }
    return taken;
  }

  /** Nobody has been told of anything: what `take` answers next is for somebody new, who knows the files as on disk. */
  startAnew(): void {
    for (const [uri, entry] of this.#entries) {
      entry.told = 0;
      if (!entry.isDirty) this.#entries.delete(uri);
    }
  }

  #entry(uri: string): Entry {
    const entry = this.#entries.get(uri) ?? { edits: [], isDirty: true, told: 0 };
    this.#entries.set(uri, entry);
    return entry;
  }
}

/** Reads what was put there once, and splits nothing: it may be very long. */
function editOf({ range: { start, end }, text }: { readonly range: Range; readonly text: string }): Edit {
  let lines = 0;
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A carriage return belongs to its line break.
    if (code !== LINE_FEED && (code !== CARRIAGE_RETURN || text.charCodeAt(at + 1) === LINE_FEED)) continue;
    lines += 1;
    last = at + 1;
  }
  return {
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    lines,
    lastLength: text.length - last,
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
