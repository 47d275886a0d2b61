import picocolors from 'picocolors';
import type { ProblemOccurrence } from '../../core/report.ts';
import type { Status } from '../../core/result.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { ReportOptions } from '../report-writer.ts';

export type TextTone = 'good' | 'doubtful' | 'bad' | 'quiet' | 'strong' | 'normal';

export interface TableStyle {
  readonly columns: number;
  readonly terminal: boolean;
  paint(text: string, tone: TextTone): string;
  /** Statuses of results without a score, for the legend; filled while the table is written. */
  readonly statusesShown: Set<Status>;
  /** Failures that were printed with their reasons, so that none is printed twice; filled while the table is written. */
  readonly explainedFailures: Set<ProblemOccurrence>;
}

const MIN_COLUMNS = 60;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 120;

export function createTableStyle({
  color,
  columns,
  terminal,
}: Pick<ReportOptions, 'color' | 'columns' | 'terminal'>): TableStyle {
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

/** A session that passed its gates despite failures has a mark of its own. */
export function verdictMark(verdict: Verdict, failures: number): string {
  return verdict === 'passed' && failures > 0 ? '!' : VERDICT_MARK[verdict];
}

export function verdictTone(verdict: Verdict, failures: number): TextTone {
  return verdict === 'passed' && failures > 0 ? 'doubtful' : VERDICT_TONE[verdict];
}
