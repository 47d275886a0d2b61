import type { Gate, ResultsByMetric, SessionReport, TurnReport } from '../../core/report.ts';
import type { Result } from '../../core/result.ts';
import { formatScore, formatScoreWithScale } from '../../core/score-text.ts';
import { severityOfLabel } from '../../core/severity.ts';
import { metricResult, ownResults, SESSION_RISK, TURN_RISK } from '../../report-model/metric-results.ts';
import { riskLevel } from '../../report-model/risk-level.ts';
import { turnsCoverage } from '../../report-model/run-coverage.ts';
import { scoreCap } from '../../report-model/score-cap.ts';
import { judgedShortfalls, type Shortfall } from '../../report-model/shortfall.ts';
import { padEnd, padStart, sanitizeLine, truncate } from '../terminal-text.ts';
import { flowLines, markedLines, quietLines, reasonLines } from './layout.ts';
import type { EvidenceLocation } from './locations.ts';
import { problemLines } from './problems.ts';
import type { SessionSummary } from './session-summary.ts';
import type { TableStyle } from './style.ts';

/** All that is known of a session: what is open, its own scores, and each turn with its problems and scores. */
export function* sessionDetailLines(
  view: SessionSummary,
  locate: EvidenceLocation,
  style: TableStyle,
): Generator<string> {
  const { report, gates } = view;
  for (const reason of openReasons(report, gates))
    yield* markedLines('  ', '?', 'doubtful', sanitizeLine(reason), style);
  const printed = yield* judgedShortfallLines(report.metrics, '  ', locate, style);
  yield* scoreLines(report.metrics, '  ', new Set([...printed, SESSION_RISK]), style, report);
  for (const turn of report.turns) yield* turnLines(view, turn, locate, style);
}

function openReasons({ undecided = [] }: SessionReport, gates: readonly Gate[]): readonly string[] {
  const open = gates.filter(({ met }) => met === null).map(({ metric, reason }) => `${metric}: ${reason}`);
  return [...new Set([...undecided, ...open])];
}

function* turnLines(
  view: SessionSummary,
  turn: TurnReport,
  locate: EvidenceLocation,
  style: TableStyle,
): Generator<string> {
  const number = padStart(String(turn.index + 1), 4);
  const indent = ' '.repeat(number.length + 2);
  const risk = riskLevel(metricResult(turn.metrics, TURN_RISK));
  const note = risk ? `risk ${risk}` : '';
  const room = style.columns - indent.length - 2 - note.length;
  const input = padEnd(truncate(turnInput(view, turn), room), note === '' ? 0 : room);
  yield `${style.paint(number, 'quiet')}  ${input}${note === '' ? '' : `  ${style.paint(note, 'quiet')}`}`.trimEnd();
  for (const problem of view.problems) if (problem.turn === turn.index) yield* problemLines(indent, problem, style);
  const printed = yield* judgedShortfallLines(turn.metrics, indent, locate, style);
  yield* scoreLines(turn.metrics, indent, new Set([...printed, TURN_RISK]), style);
}

function turnInput({ inputs }: SessionSummary, turn: TurnReport): string {
  const input = inputs[turn.index];
  if (input === undefined) return sanitizeLine(turn.id);
  return input === null ? '(agent speaks first)' : sanitizeLine(input) || '(empty)';
}

/** Scores of a judge below their thresholds, with their reasons. @returns their names. */
function* judgedShortfallLines(
  metrics: ResultsByMetric,
  indent: string,
  locate: EvidenceLocation,
  style: TableStyle,
): Generator<string, readonly string[]> {
  const judged = judgedShortfalls(metrics);
  for (const shortfall of judged) {
    const { result } = shortfall;
    const band = result.band ? ` · ${sanitizeLine(result.band.name)}` : '';
    const cap = scoreCap(result);
    const capped = cap
      ? ` · capped by ${cap.rules.join(', ') || 'findings'}, the judge gave ${formatScore(cap.judged, result.scale)}`
      : '';
    yield* markedLines(indent, '!', 'doubtful', `${shortfallText(shortfall)}${band}${capped}`, style);
    // If the judge's own score passes, its reason names no problem; the finding is listed as one.
    const reason = cap ? (cap.judgedPasses ? null : cap.reason) : result.reason;
    if (reason) yield* reasonLines(`${indent}  `, sanitizeLine(reason), Number.POSITIVE_INFINITY, style);
    const location = locate(result);
    if (location !== null) yield `${indent}  ${location}`;
  }
  return judged.map(({ metric }) => metric);
}

/** Limit of the low scores that are named under a headline. */
const LOW_SCORES = 3;

/** The judged scores of a session below their thresholds, the farthest first, on one line. */
export function* lowScoreLines({ metrics, turns }: SessionReport, style: TableStyle): Generator<string> {
  const ofTurns = turns.flatMap(({ index, metrics: own }) =>
    judgedShortfalls(own).map((one) => ({ ...one, text: `${shortfallText(one)} (turn ${index + 1})` })),
  );
  const all = [...judgedShortfalls(metrics).map((one) => ({ ...one, text: shortfallText(one) })), ...ofTurns];
  if (all.length === 0) return;
  const named = all.sort((a, b) => b.distance - a.distance).slice(0, LOW_SCORES);
  const left = all.length - named.length;
  const more = left > 0 ? `, and ${left} more` : '';
  yield* quietLines('  ', `low scores: ${named.map(({ text }) => text).join(', ')}${more}`, style);
}

/** `helpfulness 2 / 5, below 3.50`; `above` for metrics where lower is better. */
function shortfallText({ metric, result: { scale }, score, threshold }: Shortfall): string {
  const side = score > threshold ? 'above' : 'below';
  return `${sanitizeLine(metric)} ${formatScoreWithScale(score, scale)}, ${side} ${formatScore(threshold, scale)}`;
}

/**
 * All scores, with their scales. A mean over turns gives its number of turns if not all were scored.
 *
 * @param printed names of the metrics that are printed elsewhere.
 */
function* scoreLines(
  metrics: ResultsByMetric,
  indent: string,
  printed: ReadonlySet<string>,
  style: TableStyle,
  session?: SessionReport,
): Generator<string> {
  const items = ownResults(metrics).flatMap(([name, result]) => {
    const value = valueText(result);
    if (value === null || printed.has(name)) return [];
    const text = `${sanitizeLine(name)} ${value}${session ? coverageText(name, session) : ''}`;
    return [{ text, tone: result.passed === false ? ('bad' as const) : ('quiet' as const) }];
  });
  yield* flowLines(indent, items, style);
}

/** In brackets if there was nothing to judge; null without a score. Labels of failures are listed as problems. */
function valueText({ status, score, label, scale }: Result): string | null {
  if (status === 'vacuous' && score !== null) return `(${formatScoreWithScale(score, scale)})`;
  if (status !== 'scored') return null;
  if (score !== null) return formatScoreWithScale(score, scale);
  return label === null || severityOfLabel(label) !== null ? null : sanitizeLine(label);
}

/** ` (2 of 5)`: scored turns of the turns to score; empty if all were scored. */
function coverageText(name: string, { turns }: SessionReport): string {
  const { scored, of } = turnsCoverage(turns, name);
  return scored === of ? '' : ` (${scored} of ${of})`;
}
