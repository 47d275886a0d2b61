import type { TurnReport } from '../../core/report.ts';
import { scoreOf } from '../../report-model/metric-results.ts';
import { mostRelevantMetrics } from '../../report-model/relevant-metrics.ts';
import { isShortfall } from '../../report-model/shortfall.ts';
import { padEnd, padStart, sanitizeLine, truncate, wrap } from '../terminal-text.ts';
import { METRIC_WIDTH, metricHeadings } from './columns.ts';
import { type ProblemListOptions, turnProblems } from './problems.ts';
import { cell, meter, meterWidth, riskTone } from './score-text.ts';
import type { SessionSummary } from './session-summary.ts';
import type { TableStyle } from './style.ts';

const METRIC_COLUMNS = 4;
const TEXT_WIDTH = 22;
const RISK_CELLS = 5;
const INDENT = '  ';

/**
 * A row for each turn, at most `limit`, with its failures below: for a judged session with reasons and locations, otherwise
 * only their labels, beside the most relevant scores.
 */
export function* turnLines(
  view: SessionSummary,
  style: TableStyle,
  limit: number,
  how: Omit<ProblemListOptions, 'style' | 'indent'>,
): Generator<string> {
  const { turns } = view.report;
  const labels = labelsByTurn(view);
  const failing = (turn: TurnReport) => labels.has(turn.index) || Object.values(turn.metrics).some(isShortfall);
  const telling = style.terminal && turns.length <= limit ? turns : turns.filter(failing);
  const listed = telling.slice(0, limit);
  if (listed.length > 0) {
    const withRisk = turns.some(({ metrics }) => scoreOf(metrics, 'turn_risk') !== null);
    const number = Math.max(2, String(turns.at(-1)?.index ?? 0).length);
    const left = INDENT.length + number + 2;
    const room = style.columns - left - (withRisk ? 2 + meterWidth(RISK_CELLS, style) : 0);
    const columns = Math.min(METRIC_COLUMNS, Math.floor((room - TEXT_WIDTH) / (METRIC_WIDTH + 2)));
    const metrics = view.judged ? [] : mostRelevantMetrics(turns, columns);
    const text = room - metrics.length * (METRIC_WIDTH + 2);
    yield* metricHeadings(metrics, withRisk, left + text, style);
    for (const turn of listed) {
      const cells = metrics.map((name) => `  ${cell(turn.metrics[name], METRIC_WIDTH, style)}`).join('');
      const turnRisk = scoreOf(turn.metrics, 'turn_risk');
      const last = turnRisk === null ? '' : `  ${meter(turnRisk, RISK_CELLS, riskTone(turnRisk), style)}`;
      const index = style.paint(padStart(String(turn.index + 1), number), 'quiet');
      const input = padEnd(truncate(turnInput(view, turn), text), text);
      yield `${INDENT}${index}  ${input}${cells}${last}`.trimEnd();
      if (view.judged) yield* turnProblems(view, turn, { ...how, style, indent: ' '.repeat(left) });
      else yield* labelLines(labels.get(turn.index) ?? [], left, style);
    }
  }
  const left = turns.length - listed.length;
  if (left > 0 && style.terminal)
    yield style.paint(`${INDENT}and ${left} more turns; --session ID shows them`, 'quiet');
}

function turnInput({ inputs }: SessionSummary, turn: TurnReport): string {
  const input = inputs[turn.index];
  if (input === undefined) return sanitizeLine(turn.id);
  return input === null ? '(agent speaks first)' : sanitizeLine(input) || '(empty)';
}

/** Labels of failures by index of the turn. */
function labelsByTurn({ failures }: SessionSummary): Map<number, Set<string>> {
  const labels = new Map<number, Set<string>>();
  for (const { turn, label } of failures) {
    const known = labels.get(turn);
    if (known) known.add(sanitizeLine(label));
    else labels.set(turn, new Set([sanitizeLine(label)]));
  }
  return labels;
}

function* labelLines(labels: Iterable<string>, indent: number, style: TableStyle): Generator<string> {
  const names = [...labels];
  if (names.length === 0) return;
  for (const line of wrap(`✗ ${names.join(' · ')}`, style.columns - indent)) {
    yield `${' '.repeat(indent)}${style.paint(line, 'bad')}`;
  }
}
