import { computeSpread, type Figures } from './figures.ts';

/** Counts are shown without their unit. */
type Count = 'frames' | 'scenarios' | 'updates';
export type Unit = 'ms' | 'MB' | 'kB' | Count;

export interface Row {
  readonly title: string;
  readonly unit: Unit;
  /** The value from the figures of one run; undefined if it was not measured. */
  readonly of: (item: Figures) => number | undefined;
  /** The maximum. */
  readonly aim?: number;
}

export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A table in Markdown. */
export function formatTable({ title, rows }: Group, runs: readonly Figures[]): string {
  const lines = rows.map((row) => lineOf(row, runs));
  return [`| ${title} | median | from – to | target | |`, '|---|---|---|---|---|', ...lines].join('\n');
}

function lineOf({ title, unit, of, aim }: Row, runs: readonly Figures[]): string {
  const spread = computeSpread(runs.flatMap((run) => of(run) ?? []));
  if (!spread) return `| ${title} | not measured | | ${aim === undefined ? '' : `≤ ${figure(aim, unit)}`} | |`;
  const { median, least, most } = spread;
  const range = runs.length > 1 ? `${number(least)} – ${number(most)}` : '';
  const cells = [title, figure(median, unit), range, aim === undefined ? '' : `≤ ${figure(aim, unit)}`];
  return `| ${[...cells, verdict(median, unit, aim)].join(' | ')} |`;
}

function verdict(median: number, unit: Unit, aim: number | undefined): string {
  if (aim === undefined) return '';
  return median <= aim ? 'met' : `**missed** by ${figure(median - aim, unit)}`;
}

function figure(value: number, unit: Unit): string {
  const isCount = unit === 'frames' || unit === 'scenarios' || unit === 'updates';
  return isCount ? number(value) : `${number(value)} ${unit}`;
}

/** Without insignificant digits. */
function number(value: number): string {
  return Math.abs(value) < 10 ? String(Math.round(value * 10) / 10) : Math.round(value).toLocaleString('en-US');
}
