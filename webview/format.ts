import * as l10n from '@vscode/l10n';
import type { Headline } from '../src/core/report.ts';
import { formatScoreWithScale } from '../src/core/score-text.ts';
import type { Severity } from '../src/core/severity.ts';
import type { RiskLevel } from '../src/core/statuses.ts';
import type { ReportHeader } from '../src/protocol/report.ts';
import type { ReportScore } from '../src/protocol/report-values.ts';
import type { ShapeStyle } from './components/shape-icon.tsx';

const COUNT_LABELS = {
  argument: (isOne, count) => (isOne ? l10n.t('{0} argument', count) : l10n.t('{0} arguments', count)),
  attempt: (isOne, count) => (isOne ? l10n.t('{0} attempt', count) : l10n.t('{0} attempts', count)),
  call: (isOne, count) => (isOne ? l10n.t('{0} call', count) : l10n.t('{0} calls', count)),
  character: (isOne, count) => (isOne ? l10n.t('{0} character', count) : l10n.t('{0} characters', count)),
  difference: (isOne, count) => (isOne ? l10n.t('{0} difference', count) : l10n.t('{0} differences', count)),
  document: (isOne, count) => (isOne ? l10n.t('{0} document', count) : l10n.t('{0} documents', count)),
  'further character': (isOne, count) =>
    isOne ? l10n.t('{0} further character', count) : l10n.t('{0} further characters', count),
  gate: (isOne, count) => (isOne ? l10n.t('{0} gate', count) : l10n.t('{0} gates', count)),
  label: (isOne, count) => (isOne ? l10n.t('{0} label', count) : l10n.t('{0} labels', count)),
  metric: (isOne, count) => (isOne ? l10n.t('{0} metric', count) : l10n.t('{0} metrics', count)),
  'more argument': (isOne, count) => (isOne ? l10n.t('{0} more argument', count) : l10n.t('{0} more arguments', count)),
  'more call': (isOne, count) => (isOne ? l10n.t('{0} more call', count) : l10n.t('{0} more calls', count)),
  'more character': (isOne, count) =>
    isOne ? l10n.t('{0} more character', count) : l10n.t('{0} more characters', count),
  'more document': (isOne, count) => (isOne ? l10n.t('{0} more document', count) : l10n.t('{0} more documents', count)),
  'more kind': (isOne, count) => (isOne ? l10n.t('{0} more kind', count) : l10n.t('{0} more kinds', count)),
  'more line': (isOne, count) => (isOne ? l10n.t('{0} more line', count) : l10n.t('{0} more lines', count)),
  'more location': (isOne, count) => (isOne ? l10n.t('{0} more location', count) : l10n.t('{0} more locations', count)),
  'more occurrence': (isOne, count) =>
    isOne ? l10n.t('{0} more occurrence', count) : l10n.t('{0} more occurrences', count),
  'more problem': (isOne, count) => (isOne ? l10n.t('{0} more problem', count) : l10n.t('{0} more problems', count)),
  'more step': (isOne, count) => (isOne ? l10n.t('{0} more step', count) : l10n.t('{0} more steps', count)),
  'more score': (isOne, count) => (isOne ? l10n.t('{0} more score', count) : l10n.t('{0} more scores', count)),
  'more term': (isOne, count) => (isOne ? l10n.t('{0} more term', count) : l10n.t('{0} more terms', count)),
  'more turn': (isOne, count) => (isOne ? l10n.t('{0} more turn', count) : l10n.t('{0} more turns', count)),
  session: (isOne, count) => (isOne ? l10n.t('{0} session', count) : l10n.t('{0} sessions', count)),
  observation: (isOne, count) => (isOne ? l10n.t('{0} observation', count) : l10n.t('{0} observations', count)),
  problem: (isOne, count) => (isOne ? l10n.t('{0} problem', count) : l10n.t('{0} problems', count)),
  pair: (isOne, count) => (isOne ? l10n.t('{0} pair of sessions', count) : l10n.t('{0} pairs of sessions', count)),
  result: (isOne, count) => (isOne ? l10n.t('{0} result', count) : l10n.t('{0} results', count)),
  task: (isOne, count) => (isOne ? l10n.t('{0} task', count) : l10n.t('{0} tasks', count)),
  time: (isOne, count) => (isOne ? l10n.t('{0} time', count) : l10n.t('{0} times', count)),
  token: (isOne, count) => (isOne ? l10n.t('{0} token', count) : l10n.t('{0} tokens', count)),
  turn: (isOne, count) => (isOne ? l10n.t('{0} turn', count) : l10n.t('{0} turns', count)),
} as const satisfies Record<string, (isOne: boolean, count: string) => string>;

/** `1 turn`, `1,204 turns`. */
export function formatCount(count: number, what: keyof typeof COUNT_LABELS): string {
  return COUNT_LABELS[what](count === 1, count.toLocaleString('en'));
}

/** Two decimals for a number on a bounded scale, one for counts and times. */
export function formatValue(value: ReportScore['value'], scale: ReportScore['scale']): string {
  if (typeof value === 'string') return value;
  return scale && scale[1] === null ? (Math.round(value * 10) / 10).toLocaleString('en') : value.toFixed(2);
}

/** A score with the end of its scale, or the unit if the metric is a time: `0.40 / 1`, `0.3 s`. */
export function formatScore({ metric, value, scale }: Pick<ReportScore, 'metric' | 'value' | 'scale'>): string {
  if (typeof value === 'string') return value;
  return metric === 'response_time' ? formatDuration(value) : formatScoreWithScale(value, scale);
}

/** `30 ms`, `0.3 s`, `12 s`, `4 min 10 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60).toLocaleString('en')} min ${Math.round(seconds % 60)} s`;
}

/** A cost without its currency: `0.17`. Costs that would round to zero have two significant digits: `0.00042`. */
export function formatCost(cost: number, decimals = 2): string {
  if (cost === 0 || cost >= 10 ** -decimals) return cost.toFixed(decimals);
  return cost.toLocaleString('en', { maximumSignificantDigits: 2 });
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

export const HEADLINE_STYLES = {
  failed: { shape: 'cross', tone: 'bad' },
  undecided: { shape: 'question', tone: 'quiet' },
  problems: { shape: 'warning', tone: 'doubtful' },
  'not-run': { shape: 'dash', tone: 'quiet' },
  clean: { shape: 'circle', tone: 'quiet' },
  succeeded: { shape: 'tick', tone: 'good' },
} as const satisfies Record<Headline['kind'], ShapeStyle>;

export const RISK_LABELS = {
  low: l10n.t('Low'),
  elevated: l10n.t('Elevated'),
  high: l10n.t('High'),
} as const satisfies Record<RiskLevel, string>;

export const SEVERITY_LABELS = {
  critical: l10n.t('Critical'),
  high: l10n.t('High'),
  medium: l10n.t('Medium'),
  low: l10n.t('Low'),
} as const satisfies Record<Severity, string>;
