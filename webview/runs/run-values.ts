import * as l10n from '@vscode/l10n';
import type { ComparedMetric } from '../../src/core/run-comparison.ts';
import type { TrendSubject } from '../../src/core/run-trend.ts';
import { formatCost, formatDuration, formatValue } from '../format.ts';

/** Units of comparisons and of trends. */
type RunUnit = ComparedMetric['unit'] | TrendSubject['unit'];

/** `0.82`, `82%`, `$0.17`, `1,204`, `2.1 s` */
export function formatRunValue(value: number, unit: RunUnit, scale: readonly [number, number | null] | null): string {
  switch (unit) {
    case 'score':
      return formatValue(value, scale);
    case 'share':
      return `${roundTo(100 * value, 1)}%`;
    case 'usd':
      return value < 0 ? `−$${costText(-value)}` : `$${costText(value)}`;
    case 'ms':
      return value < 0 ? `−${formatDuration(-value)}` : formatDuration(value);
    case 'tokens':
      return Math.round(value).toLocaleString('en');
    case 'count':
      return roundTo(value, 1);
  }
}

/** `+0.12`, `−21 points`, `0`: with its sign, also where it rounds to nothing. */
export function formatDifference(value: number, unit: RunUnit, scale: readonly [number, number | null] | null): string {
  const size = Math.abs(value);
  const text = unit === 'share' ? l10n.t('{0} points', roundTo(100 * size, 1)) : formatRunValue(size, unit, scale);
  return `${value < 0 ? '−' : value > 0 ? '+' : ''}${text}`;
}

/** `+0.05 to +0.21`, `−31 to −11 points` */
export function formatDifferenceRange(
  [low, high]: readonly [number, number],
  unit: RunUnit,
  scale: readonly [number, number | null] | null,
): string {
  if (unit !== 'share') {
    return l10n.t('{0} to {1}', formatDifference(low, unit, scale), formatDifference(high, unit, scale));
  }
  const points = (value: number) => formatDifference(100 * value, 'count', null);
  return l10n.t('{0} to {1} points', points(low), points(high));
}

/** Two significant digits below a dollar. */
function costText(cost: number): string {
  return cost < 1 ? cost.toLocaleString('en', { maximumSignificantDigits: 2 }) : formatCost(cost);
}

function roundTo(value: number, digits: number): string {
  return (Math.round(value * 10 ** digits) / 10 ** digits).toLocaleString('en');
}

/** `Nov 23, 09:10` */
export function formatRunTime(startedAt: string): string {
  const date = new Date(startedAt);
  if (Number.isNaN(date.getTime())) return startedAt;
  return date.toLocaleString('en', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  });
}

export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** `refund.json:12` */
export function locationOf({ file, line }: Readonly<{ file: string; line: number | null }>): string {
  return line === null ? file : `${file}:${line}`;
}

/** These say whether sessions succeeded; the last one stands first. */
const FIRST = ['verdict', 'correct'];

/** Orders metrics by name: what says whether sessions succeeded stands first. */
export function bySuccess(a: string, b: string): number {
  return FIRST.indexOf(b) - FIRST.indexOf(a);
}
