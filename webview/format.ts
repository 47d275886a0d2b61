import type { Severity } from '../src/core/severity.ts';
import type { ReportHeader } from '../src/protocol/report.ts';
import type { ReportScore } from '../src/protocol/report-values.ts';
import type { ShapeStyle } from './components/shape-icon.tsx';

/** `1 turn`, `1,204 turns`. */
export function formatCount(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** A number on a scale with two decimals; counts and times as they are. */
export function formatValue(value: ReportScore['value'], scale: ReportScore['scale']): string {
  if (typeof value === 'string') return value;
  return scale && scale[1] === null ? (Math.round(value * 10) / 10).toLocaleString('en') : value.toFixed(2);
}

/** As `figure`, with the unit where the metric is a time. */
export function formatScore({ metric, value, scale }: Pick<ReportScore, 'metric' | 'value' | 'scale'>): string {
  return metric === 'response_time' && typeof value === 'number' ? formatDuration(value) : formatValue(value, scale);
}

/** `30 ms`, `0.3 s`, `12 s`, `4 min 10 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60).toLocaleString('en')} min ${Math.round(seconds % 60)} s`;
}

/** In whatever currency the configured price is: `0.17`; of what would come to nothing so, two figures: `0.00042`. */
export function formatCost(cost: number, decimals = 2): string {
  if (cost === 0 || cost >= 10 ** -decimals) return cost.toFixed(decimals);
  return cost.toLocaleString('en', { maximumSignificantDigits: 2 });
}

export type Tone = 'good' | 'doubtful' | 'bad';

/** A risk is good, doubtful or bad by its thirds. */
export function riskTone(risk: number): Tone {
  if (risk < 1 / 3) return 'good';
  return risk < 2 / 3 ? 'doubtful' : 'bad';
}

export const SEVERITY_TONES = {
  critical: 'bad',
  high: 'bad',
  medium: 'doubtful',
  low: 'quiet',
} as const satisfies Record<Severity, ShapeStyle['tone']>;

export const VERDICTS = {
  passed: { shape: 'tick', tone: 'good' },
  failed: { shape: 'cross', tone: 'bad' },
  undecided: { shape: 'question', tone: 'doubtful' },
} as const satisfies Record<ReportHeader['verdict'], ShapeStyle>;
