import picocolors from 'picocolors';
import type { HeadlineKind } from '../../report-model/headline-counts.ts';
import type { ReportOptions } from '../report-writer.ts';

export type TextTone = 'good' | 'doubtful' | 'bad' | 'quiet' | 'strong' | 'normal';

export interface TableStyle {
  readonly columns: number;
  readonly terminal: boolean;
  /** Whether every turn, score and observation is shown. */
  readonly verbose: boolean;
  paint(text: string, tone: TextTone): string;
}

const MIN_COLUMNS = 60;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 120;

export function createTableStyle({
  color,
  columns,
  terminal,
  verbose = false,
}: Pick<ReportOptions, 'color' | 'columns' | 'terminal' | 'verbose'>): TableStyle {
  const { green, yellow, red, dim, bold } = picocolors.createColors(color);
  const paints = { good: green, doubtful: yellow, bad: red, quiet: dim, strong: bold, normal: (text: string) => text };
  return {
    terminal,
    verbose,
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns)),
    paint: (text, tone) => (text === '' ? '' : paints[tone](text)),
  };
}

/** The shape says the kind of a headline, its colour only repeats it. */
export const HEADLINE_STYLE: Readonly<Record<HeadlineKind, { readonly mark: string; readonly tone: TextTone }>> = {
  failed: { mark: '✗', tone: 'bad' },
  undecided: { mark: '?', tone: 'normal' },
  problems: { mark: '!', tone: 'doubtful' },
  'not-run': { mark: '○', tone: 'normal' },
  clean: { mark: '○', tone: 'normal' },
  succeeded: { mark: '✓', tone: 'good' },
};
