import type { Severity } from '../src/core/severity.ts';
import type { ReportHeader } from '../src/protocol/report.ts';
import type { Score } from '../src/protocol/report-values.ts';
import type { Look } from './components/mark.tsx';

/** `1 turn`, `1,204 turns`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** A number on a scale with two decimals; counts and times as they are. */
export function figure(value: Score['value'], scale: Score['scale']): string {
  if (typeof value === 'string') return value;
  return scale && scale[1] === null ? (Math.round(value * 10) / 10).toLocaleString('en') : value.toFixed(2);
}

/** As `figure`, with the unit where the metric is a time. */
export function figureOf({ metric, value, scale }: Pick<Score, 'metric' | 'value' | 'scale'>): string {
  return metric === 'response_time' && typeof value === 'number' ? duration(value) : figure(value, scale);
}

/** `30 ms`, `0.3 s`, `12 s`, `4 min 10 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60).toLocaleString('en')} min ${Math.round(seconds % 60)} s`;
}

/** In whatever currency the configured price is: `0.17`; of what would come to nothing so, two figures: `0.00042`. */
export function money(cost: number, decimals = 2): string {
  if (cost === 0 || cost >= 10 ** -decimals) return cost.toFixed(decimals);
  return cost.toLocaleString('en', { maximumSignificantDigits: 2 });
}

export type Tone = 'good' | 'doubtful' | 'bad';

/** A risk is good, doubtful or bad by its thirds. */
export function toneOfRisk(risk: number): Tone {
  if (risk < 1 / 3) return 'good';
  return risk < 2 / 3 ? 'doubtful' : 'bad';
}

export const TONE_OF_SEVERITY = {
  critical: 'bad',
  high: 'bad',
  medium: 'doubtful',
  low: 'quiet',
} as const satisfies Record<Severity, Look['tone']>;

export const VERDICTS = {
  passed: { shape: 'tick', tone: 'good' },
  failed: { shape: 'cross', tone: 'bad' },
  undecided: { shape: 'question', tone: 'doubtful' },
} as const satisfies Record<ReportHeader['verdict'], Look>;
