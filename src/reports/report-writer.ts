import type { Report } from '../core/report.ts';
import type { Pointer } from '../core/session.ts';
import type { RunRecord } from '../runs/run-store.ts';

/** Finds the lines of values in the evaluated files: all pointers of a file in one pass over it. */
export interface PointerLineLocator {
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, { readonly line: number }>;
}

/** The messages of the user by the id of their session, by turn; null where there is none. Long ones are cut. */
export type UserMessages = ReadonlyMap<string, readonly (string | null)[]>;

/** Where a report is read, and what it can draw on beside the report itself; a kind of report uses what it needs. */
export interface ReportOptions {
  /** Without them, turns are named by their ids. */
  readonly userMessages?: UserMessages;
  /** Without it, the evidence of scores is named without its lines. */
  readonly locator?: PointerLineLocator;
  /** Everything that the report has, where a kind of report is a selection. */
  readonly verbose?: boolean;
  /** Without results that say nothing, where a kind of report has all of them. */
  readonly compact?: boolean;
  /** The recorded run, for a kind of report that shows the sessions themselves. */
  readonly record?: Pick<RunRecord, 'sessions' | 'transcripts'> | null;
  /** What finds the run again on the command line; null or absent where it is not recorded. */
  readonly runReference?: string | null;
  /** The line to begin with, one-based, where a kind of report comes in pages. */
  readonly from?: number | undefined;
  /** True for a person at a terminal; false for a pipe or a file. */
  readonly terminal: boolean;
  readonly color: boolean;
  /** Width of the output in columns. */
  readonly columns: number;
}

/** The text of a report, whole or in pieces. */
export type ReportText = string | Iterable<string> | AsyncIterable<string>;

/** A kind of report, such as `json`. */
export interface ReportWriter {
  /** What `--report` and `--format` call it. */
  readonly name: string;
  /** What it is for, in a few words. */
  readonly title: string;
  /** Extension of a file with this report, with its dot. */
  readonly extension: string;
  readonly mediaType: string;
  write(report: Report, options: ReportOptions): ReportText;
}
