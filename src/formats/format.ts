import type { Document } from '../core/document.ts';
import type { Problem } from '../core/problem.ts';
import type { Session, TurnReference } from '../core/session.ts';

/** One trace format: its detection and its reader. */
export interface Format {
  /** Kebab-case; the value of `--input-format` and of `source.format`. */
  readonly name: string;
  readonly title: string;
  /** How people who have such a file would describe it. */
  readonly description: string;
  /**
   * The reason why the document has this format, as a phrase; null if it does not. Checks types of values, not only
   * keys.
   */
  detect(document: Document): string | null;
  /** Never throws: invalid values are skipped with a warning. Returns a promise if the reader is loaded on demand. */
  read(document: Document): ReadResult | Promise<ReadResult>;
  /**
   * Reads JSON Lines a part at a time where each line is read by itself; null if, by its first part, a document is not of
   * that kind. Gives the same as `read`.
   */
  readParts?(first: Document): PartReader | null;
  /**
   * `session-id`: documents hold one trace per turn; sessions with the same id are joined in the order of their start.
   */
  readonly joins?: 'session-id';
  /** Every document with expectations has at least one of these keys; absent if the format never gives expectations. */
  readonly expectationKeys?: readonly string[];
  /** Written by coding agents only. */
  readonly coding?: true;
}

/** A format whose reader is always loaded. */
export interface SyncFormat extends Format {
  read(document: Document): ReadResult;
}

/** Reads the parts of one document, in their order. */
export interface PartReader {
  read(part: Document): readonly Session[];
  /** Of all parts; called after the last one. */
  problems(): readonly Problem[];
}

export interface ReadResult {
  readonly sessions: readonly Session[];
  /** Expected sessions, to be paired with their runs. */
  readonly expectations?: readonly Expectation[];
  readonly problems: readonly Problem[];
}

/** One case of an evaluation set: the expected session. */
export interface Expectation {
  readonly id: string;
  readonly pointer: string;
  /** `input` is the user's text. Turns are paired by position. */
  readonly turns: readonly {
    readonly pointer: string;
    readonly input: string | null;
    readonly reference: TurnReference;
  }[];
}
