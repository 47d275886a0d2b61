import type { Report } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { formatScore, formatScoreWithScale } from '../../core/score-text.ts';
import { severityOfLabel } from '../../core/severity.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { metricByName } from '../../metrics/index.ts';
import { correctedShareTexts } from '../../report-model/corrected-share.ts';
import { lowerIsBetter } from '../../report-model/metric-results.ts';
import type { CountedResult, CountedResults } from '../../report-model/run-coverage.ts';
import { formatValue, unitOf } from '../../runs/compare/figures.ts';
import { padEnd, padStart, sanitizeLine, truncate, width } from '../terminal-text.ts';
import { reasonLines } from './layout.ts';
import type { TableStyle, TextTone } from './style.ts';

const VALUE = 12;
const COUNT = 13;
/** Room for the threshold and whether it is missed. */
const NOTE = 16;

/**
 * A row for each metric that was scored: the mean, how many results it is over, and the threshold; those that miss it first. One that
 * the user named and that has no score has a row that says why.
 */
export function* meanLines(report: Report, byMetric: CountedResults, style: TableStyle): Generator<string> {
  const {
    metrics,
    undecided,
    run: { ownThresholds = [], namedMetrics = [] },
  } = report;
  const scored = Object.entries(metrics)
    .filter(([, { status, label }]) => status === 'scored' && (label === null || severityOfLabel(label) === null))
    .sort(([, a], [, b]) => Number(b.passed === false) - Number(a.passed === false));
  const unscored = [...new Set(namedMetrics.map((name) => metricByName(name)?.name ?? name))].flatMap((name) => {
    const results = byMetric.get(name) ?? [];
    const isScored = results.some(({ status }) => status === 'scored');
    return isScored || !results[0] ? [] : [[name, results[0]] as const];
  });
  if (scored.length === 0 && unscored.length === 0) return;
  yield '';
  const room = style.columns - VALUE - COUNT - NOTE - 2;
  const names = Math.min(room, Math.max(22, ...scored.map(([name]) => width(sanitizeLine(name)))));
  const titles = `${'mean'.padStart(VALUE)}${'over'.padStart(COUNT)}  threshold`;
  yield `${style.paint(padEnd('Metrics', names + 2), 'strong')}${style.paint(titles, 'quiet')}`;
  for (const [name, result] of scored) {
    yield rowLine(name, result, { columns: names, isOwnThreshold: ownThresholds.includes(name) }, style);
  }
  for (const { metric, text } of correctedShareTexts(report)) {
    yield* reasonLines('  ', `${sanitizeLine(metric)}: ${sanitizeLine(text)}`, Number.POSITIVE_INFINITY, style);
  }
  const alike = Map.groupBy(unscored, ([, result]) => unscoredText(result, undecided));
  for (const [text, entries] of alike) {
    const names = entries.map(([name]) => sanitizeLine(name)).join(', ');
    yield* reasonLines('  ', `${names}: ${text}`, style.verbose ? Number.POSITIVE_INFINITY : 2, style);
  }
}

/** Why a metric has no score, unless the gates say it already. */
function unscoredText({ status, score, scale, reason }: CountedResult, undecided: Report['undecided']): string {
  const value = score === null ? '' : ` (${formatScoreWithScale(score, scale)})`;
  const isKnown = reason === null || undecided.some((entry) => entry.reason.includes(reason));
  return `${STATUS_TEXT[status]}${value}${isKnown ? '' : `: ${sanitizeLine(reason)}`}`;
}

const STATUS_TEXT: Readonly<Record<Result['status'], string>> = {
  scored: 'scored',
  vacuous: 'nothing to judge',
  not_applicable: 'not applicable',
  needs_judge: 'needs a judge',
  needs_embedder: 'needs an embedder',
  needs_reference: 'needs a reference',
  needs_attempts: 'needs other attempts',
  error: 'failed',
  cancelled: 'cancelled',
};

interface RowOptions {
  readonly columns: number;
  /** Whether the user set the threshold: a built-in one only marks a score as low. */
  readonly isOwnThreshold: boolean;
}

function rowLine(name: string, result: Result, { columns, isOwnThreshold }: RowOptions, style: TableStyle): string {
  const { threshold, passed, scale } = result;
  const tone: TextTone = passed === false ? 'bad' : 'normal';
  const limit = threshold === null ? '' : `${lowerIsBetter(name) ? '≤' : '≥'} ${formatScore(threshold, scale)}`;
  const notes = [
    limit,
    ...(passed === false ? [isOwnThreshold ? 'missed' : 'low'] : []),
    ...contactText(result),
  ].filter((note) => note !== '');
  const figure = `${padEnd(truncate(sanitizeLine(name), columns), columns)}${padStart(meanText(name, result), VALUE)}`;
  const count = padStart(countText(name, result), COUNT);
  const note = truncate(notes.join(', '), style.columns - columns - VALUE - COUNT - 4);
  const end = style.paint(note, passed === false ? 'bad' : 'quiet');
  return `  ${style.paint(figure, tone)}${style.paint(count, 'quiet')}  ${end}`.trimEnd();
}

/** Of a metric that is 0 or 1, and of a rate, a percentage. */
function meanText(name: string, { score, label, scale }: Result): string {
  if (score === null) return truncate(sanitizeLine(label ?? ''), VALUE - 1);
  const unit = unitOf(name);
  if (unit !== 'score') return formatValue(score, unit);
  const metric = metricByName(name);
  if (metric?.scale === 'binary' || metric?.scope === 'run') return `${Math.round(100 * score)} %`;
  return formatScoreWithScale(Number(score.toFixed(2)), scale);
}

/** What the mean is over: `46 turns`; of a metric of the user's own, only the number. */
function countText(name: string, { metadata: { n, sessions, unknown } }: Result): string {
  const scope = metricByName(name)?.scope;
  if (typeof n === 'number') return scope === 'turn' || scope === 'session' ? pluralize(n, scope) : String(n);
  if (typeof sessions !== 'number') return '';
  return pluralize(sessions - (typeof unknown === 'number' ? unknown : 0), 'session');
}

function contactText({ metadata: { first_contact_rate: rate } }: Result): string[] {
  return typeof rate === 'number' ? [`${Math.round(100 * rate)} % at first contact`] : [];
}
