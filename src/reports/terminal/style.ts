import picocolors from 'picocolors';
import type { ProblemOccurrence } from '../../core/report.ts';
import type { Status } from '../../core/result.ts';
import type { Pointer } from '../../core/session.ts';
import type { Verdict } from '../../core/verdict.ts';

/** Where values stand in the files that were evaluated: all that are asked for in one pass over a file. */
export interface PointerLineLocator {
  locate(file: string, pointers: Iterable<Pointer>): ReadonlyMap<Pointer, { readonly line: number }>;
}

/** How a report is shown where it is read. */
export interface TableOptions {
  readonly color: boolean;
  /** Width of the terminal; lines are no longer, but for a path that is. */
  readonly columns: number;
  /** True: for a person at a terminal. False: for a pipe or a file, which gets less, and no bars. */
  readonly terminal: boolean;
  /** Finds lines in the files that were evaluated; without it, the places of scores are named without. */
  readonly locator?: PointerLineLocator;
}

export type TextTone = 'good' | 'doubtful' | 'bad' | 'quiet' | 'strong' | 'normal';

export interface TableStyle {
  readonly columns: number;
  readonly terminal: boolean;
  paint(text: string, tone: TextTone): string;
  /** States without a score that were shown, for the line that explains their marks; filled while the table is written. */
  readonly statusesShown: Set<Status>;
  /** Failures that were told with their reasons, so that none is told twice; filled likewise. */
  readonly explainedFailures: Set<ProblemOccurrence>;
}

const MIN_COLUMNS = 60;
/** Longer lines are harder to read, not more telling. */
const MAX_COLUMNS = 120;

export function createTableStyle({ color, columns, terminal }: TableOptions): TableStyle {
  const { green, yellow, red, dim, bold } = picocolors.createColors(color);
  const paints = { good: green, doubtful: yellow, bad: red, quiet: dim, strong: bold, normal: (text: string) => text };
  return {
    terminal,
    statusesShown: new Set(),
    explainedFailures: new Set(),
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns)),
    paint: (text, tone) => (text === '' ? '' : paints[tone](text)),
  };
}

const VERDICT_MARK: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', undecided: '?' };
const VERDICT_TONE: Readonly<Record<Verdict, TextTone>> = { passed: 'good', failed: 'bad', undecided: 'doubtful' };

/** What passed with failures passed its gates, and is not fine for that: it has a mark of its own. */
export function verdictMark(verdict: Verdict, failures: number): string {
  return verdict === 'passed' && failures > 0 ? '!' : VERDICT_MARK[verdict];
}

export function verdictTone(verdict: Verdict, failures: number): TextTone {
  return verdict === 'passed' && failures > 0 ? 'doubtful' : VERDICT_TONE[verdict];
}
