import type { Document } from '../core/document.ts';
import type { Problem } from '../core/problem.ts';
import type { Session, TurnReference } from '../core/session.ts';

/** One trace format: how to recognise a document of it, and how to read one. */
export interface Format {
  /** Kebab-case; what `--input-format` takes and `source.format` says. */
  readonly name: string;
  readonly title: string;
  /** What people who have such a file call it. */
  readonly description: string;
  /** Why the document is of this format, as a phrase; null when it is not. Looks at types of values, not at names alone. */
  detect(document: Document): string | null;
  /**
   * Never throws, whatever the value: what does not fit is left out with a warning. A promise where the reader is
   * loaded on demand.
   */
  read(document: Document): ReadResult | Promise<ReadResult>;
  /**
   * `session-id`: several documents (one trace per turn) make one session; they are joined by session id, in the
   * order of their start.
   */
  readonly joins?: 'session-id';
  /** Keys of which every document with expectations has one; absent where the format never gives expectations. */
  readonly expectationKeys?: readonly string[];
  /** Only coding agents write it. */
  readonly coding?: true;
}

/** A format that reads without waiting for a reader to load. */
export interface SyncFormat extends Format {
  read(document: Document): ReadResult;
}

export interface ReadResult {
  readonly sessions: readonly Session[];
  /** Sessions that were expected and not run; they are paired with runs of the same input. */
  readonly expectations?: readonly Expectation[];
  readonly problems: readonly Problem[];
}

/** One case of an evaluation set: what a session should have been. */
export interface Expectation {
  readonly id: string;
  readonly pointer: string;
  /** `input` is the user's text; pairs by position, or by these texts where nothing else fits. */
  readonly turns: readonly {
    readonly pointer: string;
    readonly input: string | null;
    readonly reference: TurnReference;
  }[];
}
