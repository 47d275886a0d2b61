import type { ComparedMetric } from '../../core/run-comparison.ts';
import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import { isTraceFigure } from '../../report-model/metric-results.ts';
import { CORRECT, VERDICT } from './compared-settings.ts';

/** Something that a session has one number of. */
export interface Figure extends Pick<ComparedMetric, 'lowerIsBetter' | 'unit' | 'scale'> {
  readonly name: string;
  /** Null where the session has none. */
  of(row: RecordedSession): number | null;
}

/** What the sessions of these runs are compared by: whether they succeed, what they cost, and their metrics. */
export function figuresOf(runs: readonly RecordedRun[]): Figure[] {
  const metrics = new Map<string, Figure>();
  for (const { manifest } of runs) {
    for (const { name, scope, template } of manifest.plan.metrics) {
      if (scope === 'scenario' || scope === 'run' || template.implied) continue;
      const { lowerIsBetter, range } = template;
      metrics.set(name, {
        name,
        // Effort has no threshold of its own, but less of it for the same is better.
        lowerIsBetter: lowerIsBetter || isTraceFigure(name),
        unit: unitOf(name),
        scale: range && [range[0], range[1]],
        of: ({ scores }) => (Object.hasOwn(scores, name) ? (scores[name] ?? null) : null),
      });
    }
  }
  return [...OF_SESSIONS.filter(({ name }) => !metrics.has(name)), ...metrics.values()];
}

/** Of metrics that are no scores. */
const UNITS: ReadonlyMap<string, Figure['unit']> = new Map([
  ['response_time', 'ms'],
  ['token_usage', 'tokens'],
  ['tool_call_count', 'count'],
  ['model_call_count', 'count'],
]);

/** What the values of a metric are counted in. */
export function unitOf(metric: string): Figure['unit'] {
  return UNITS.get(metric) ?? 'score';
}

const SHARE = { lowerIsBetter: false, unit: 'share', scale: [0, 1] } as const;
const EFFORT = { lowerIsBetter: true, scale: null } as const;

const OF_SESSIONS: readonly Figure[] = [
  { name: CORRECT, ...SHARE, of: ({ correct }) => (correct === null ? null : Number(correct)) },
  { name: VERDICT, ...SHARE, of: ({ verdict }) => (verdict === 'undecided' ? null : Number(verdict === 'passed')) },
  { name: 'cost', ...EFFORT, unit: 'usd', of: ({ cost }) => cost },
  { name: 'tokens', ...EFFORT, unit: 'tokens', of: ({ tokens }) => tokens },
  { name: 'duration', ...EFFORT, unit: 'ms', of: ({ durationMs }) => durationMs },
  { name: 'turns', ...EFFORT, unit: 'count', of: ({ turns }) => turns },
];

/** The mean over the sessions that have a value, so that every task weighs the same; null where none has one. */
export function meanOf(
  figure: Figure,
  rows: readonly RecordedSession[],
): { readonly mean: number; readonly n: number } | null {
  let sum = 0;
  let n = 0;
  for (const row of rows) {
    const value = figure.of(row);
    if (value === null) continue;
    sum += value;
    n += 1;
  }
  return n === 0 ? null : { mean: sum / n, n };
}

/** The greatest difference that two values can have; null without bounds. */
export function spanOf({ scale }: Pick<Figure, 'scale'>): number | null {
  return scale && scale[1] !== null ? scale[1] - scale[0] : null;
}

/**
 * A difference that would matter: of scales and shares a tenth; of costs, tokens and times a fifth of what they were.
 *
 * @param before the mean of the first run
 */
export function relevantDifference(figure: Pick<Figure, 'scale'>, before: number): number {
  const span = spanOf(figure);
  return span === null ? 0.2 * Math.abs(before) : 0.1 * span;
}

/** A value as text: `0.81`, `81 %`, `$0.42`, `1,200 tokens`, `2.1 s`. */
export function formatValue(value: number, unit: Figure['unit']): string {
  switch (unit) {
    case 'share':
      return `${percent(value)} %`;
    case 'usd':
      return `${value < 0 ? '-' : ''}$${number(Math.abs(value))}`;
    case 'tokens':
      return `${number(value)} tokens`;
    case 'ms':
      return Math.abs(value) < 1000 ? `${number(value)} ms` : `${number(value / 1000)} s`;
    case 'score':
    case 'count':
      return number(value);
  }
}

/** A difference of values as text: of shares in points, since percent would be taken as relative. */
export function formatDifference(value: number, unit: Figure['unit']): string {
  return unit === 'share' ? `${percent(value)} points` : formatValue(value, unit);
}

/** Two values as text, with their unit once: `-25 to -12 points`. */
export function formatInterval(
  [low, high]: readonly [number, number],
  unit: Figure['unit'],
  isDifference: boolean,
): string {
  const format = isDifference ? formatDifference : formatValue;
  const [from, to] = [format(low, unit), format(high, unit)];
  const word = /\s\D+$/.exec(to)?.[0];
  return `${word && from.endsWith(word) ? from.slice(0, -word.length) : from} to ${to}`;
}

/** Two digits after the point below 10, none from 1,000 on; small ones with two significant digits. */
function number(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.01) return Number(value.toPrecision(2)).toString();
  const maximumFractionDigits = size < 10 ? 2 : size < 1000 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits });
}

function percent(share: number): string {
  return (100 * share).toLocaleString('en', { maximumFractionDigits: 1 });
}
