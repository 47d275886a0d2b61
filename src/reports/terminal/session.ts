import type { SessionReport, TurnReport } from '../../core/report.ts';
import { meets, type Result } from '../../core/result.ts';
import { metricByName } from '../../metrics/index.ts';
import { padEnd, padStart, plain, truncate, truncateStart, width, wrap } from '../text.ts';
import { cell, figure, meter, meterWidth, riskTone } from './figure.ts';
import { type Style, verdictMark, verdictTone } from './style.ts';
import { keyFigure, type SessionView, scoreOf } from './view.ts';

/** Reasons that are shown under the name of a session; all failures follow with their lines further below. */
const REASONS = 3;
/** From here on a risk is explained though nothing failed. */
const TELLING_RISK = 0.5;
const METRIC_COLUMNS = 4;
const METRIC_WIDTH = 16;
const TEXT_WIDTH = 22;
const KEY_CELLS = 10;
const RISK_CELLS = 5;
const INDENT = '  ';

/** A session: its name and risk, why, its own figures, and a row per turn. At most `limit` rows; the telling ones first. */
export function* sessionLines(view: SessionView, style: Style, limit: number): Generator<string> {
  yield headerLine(view, style);
  yield* whyLines(view, style);
  yield* figureLines(view.report, style);
  yield* turnLines(view, style, limit);
}

/** `✗ traces/refund.json:3 · conv_42`, with the session's risk at the right. */
function headerLine({ report: session, failures }: SessionView, style: Style): string {
  const key = keyFigure(session);
  const columns = key ? key.label.length + 1 + meterWidth(KEY_CELLS, style) : 0;
  const room = style.columns - 2 - (key ? columns + 2 : 0);
  const name = nameOf(session, room);
  const mark = style.paint(
    verdictMark(session.verdict, failures.length),
    verdictTone(session.verdict, failures.length),
  );
  const line = `${mark} ${style.paint(key ? padEnd(name, room) : name, 'strong')}`;
  return key ? `${line}  ${key.label} ${meter(key.score, KEY_CELLS, riskTone(key.risk), style)}` : line;
}

/** Of a session's name, the id and the end of the path say most; the id only once. */
export function nameOf({ id, source, turns }: SessionReport, columns: number): string {
  const file = placeOf(source.file, turns[0]?.line ?? null);
  const session = names(file, plain(id)) ? '' : truncate(plain(id), Math.floor(columns / 2));
  return session === ''
    ? truncateStart(file, columns)
    : `${truncateStart(file, columns - width(session) - 3)} · ${session}`;
}

/** Whether a path says an id already, as a word of its own. */
export function names(path: string, id: string): boolean {
  const at = path.indexOf(id);
  const around = `${path[at - 1] ?? ''}${path[at + id.length] ?? ''}`;
  return at >= 0 && !/[\p{L}\p{N}]/u.test(around);
}

/** `path:line`, which terminals make clickable. */
export function placeOf(file: string, line: number | null): string {
  const path = file === '-' ? 'standard input' : plain(file);
  return line === null ? path : `${path}:${line}`;
}

/** Why it failed or is undecided; of one that passed: what was found all the same. */
function* whyLines(view: SessionView, style: Style): Generator<string> {
  const { verdict } = view.report;
  const label = verdict === 'passed' && view.failures.length > 0 ? 'but' : 'why';
  const blank = ' '.repeat(label.length);
  const room = style.columns - INDENT.length - label.length - 2;
  const reasons = [
    ...view.failures.map(({ occurrence }) => reasonLines(occurrence.reason, ` (turn ${occurrence.turn + 1})`, room)),
    ...(verdict === 'passed' ? [] : gateReasons(view).map((reason) => reasonLines(reason, '', room))),
  ];
  const risk = riskReason(view);
  if (reasons.length === 0 && risk !== null) reasons.push(reasonLines(risk, '', room));
  const distinct = [...new Map(reasons.map((lines) => [lines.join(' '), lines])).values()];
  for (const [index, lines] of distinct.slice(0, REASONS).entries()) {
    for (const [row, line] of lines.entries()) {
      yield `${INDENT}${index + row === 0 ? style.paint(label, 'quiet') : blank}  ${line}`;
    }
  }
  const left = distinct.length - REASONS;
  if (left > 0) yield `${INDENT}${blank}  ${style.paint(`and ${left} more`, 'quiet')}`;
}

/** Why the risk is high of a session in which nothing else stands out. */
function riskReason({ report }: SessionView): string | null {
  const risk = keyFigure(report);
  if (risk?.metric !== 'session_risk' || risk.score < TELLING_RISK) return null;
  return report.metrics.session_risk?.reason ?? null;
}

/** A reason on about two lines, with its turn at the end. */
function reasonLines(reason: string, suffix: string, room: number): string[] {
  const text = truncate(plain(reason).replace(/[.]$/, ''), Math.floor(1.8 * room) - suffix.length);
  return wrap(`${text}${suffix}`, room);
}

function gateReasons({ report, gates, runGates, failures }: SessionView): string[] {
  const open = gates.filter(({ met, metric }) => met !== true && (metric !== 'severity' || failures.length === 0));
  const own = open.map(({ metric, reason }) => `${metric}: ${plain(reason)}`);
  const shared = runGates.flatMap(({ metric, threshold }) => {
    const result = report.metrics[metric];
    if (!result || typeof threshold !== 'number') return [];
    if (result.score === null || result.status !== 'scored') {
      return result.status === 'not_applicable'
        ? []
        : [`${metric}: nothing scored${result.reason ? `, ${plain(result.reason)}` : ''}`];
    }
    if (meets(result.score, threshold, metricByName(metric)?.lowerIsBetter)) return [];
    return [`${metric} is ${figure(result.score, result.scale)}, ${figure(threshold, result.scale)} was asked for`];
  });
  return [...own, ...shared];
}

/** The session's own metrics: those that are not means over its turns, nor shown in the first line already. */
function* figureLines(session: SessionReport, style: Style): Generator<string> {
  const { metrics, turns } = session;
  const ofTurns = new Set(turns.flatMap((turn) => Object.keys(turn.metrics)));
  const key = keyFigure(session)?.metric;
  const figures = Object.entries(metrics).flatMap(([name, result]) => {
    if (ofTurns.has(name) || name === key || result.implied || result.status !== 'scored') return [];
    const value = result.score === null ? (result.label ?? '') : figure(result.score, result.scale);
    return [[`${name} ${value}`, result.passed === false] as const];
  });
  let line = '';
  let columns = 0;
  for (const [text, bad] of figures) {
    if (columns > 0 && columns + 3 + text.length > style.columns - INDENT.length) {
      yield `${INDENT}${line}`;
      [line, columns] = ['', 0];
    }
    line += `${columns === 0 ? '' : '   '}${style.paint(text, bad ? 'bad' : 'quiet')}`;
    columns += text.length + (columns === 0 ? 0 : 3);
  }
  if (columns > 0) yield `${INDENT}${line}`;
}

function* turnLines(view: SessionView, style: Style, limit: number): Generator<string> {
  const { turns } = view.report;
  const labels = labelsByTurn(view);
  const failing = (turn: TurnReport) => labels.has(turn.index) || Object.values(turn.metrics).some(fellShort);
  const telling = style.terminal && turns.length <= limit ? turns : turns.filter(failing);
  const shown = telling.slice(0, limit);
  if (shown.length > 0) {
    const withRisk = turns.some(({ metrics }) => scoreOf(metrics, 'turn_risk') !== null);
    const number = Math.max(2, String(turns.at(-1)?.index ?? 0).length);
    const fixed = INDENT.length + number + 2 + (withRisk ? 2 + meterWidth(RISK_CELLS, style) : 0);
    const room = style.columns - fixed;
    const columns = Math.min(METRIC_COLUMNS, Math.floor((room - TEXT_WIDTH) / (METRIC_WIDTH + 2)));
    const metrics = tellingMetrics(turns, columns);
    const text = room - metrics.length * (METRIC_WIDTH + 2);
    yield* headings(metrics, withRisk, INDENT.length + number + 2 + text, style);
    for (const turn of shown) {
      const cells = metrics.map((name) => `  ${cell(turn.metrics[name], METRIC_WIDTH, style)}`).join('');
      const turnRisk = scoreOf(turn.metrics, 'turn_risk');
      const last = turnRisk === null ? '' : `  ${meter(turnRisk, RISK_CELLS, riskTone(turnRisk), style)}`;
      const index = style.paint(padStart(String(turn.index + 1), number), 'quiet');
      const said = padEnd(truncate(inputOf(view, turn), text), text);
      yield `${INDENT}${index}  ${said}${cells}${last}`.trimEnd();
      const failures = labels.get(turn.index);
      if (failures) yield* labelLines(failures, INDENT.length + number + 2, style);
    }
  }
  const left = turns.length - shown.length;
  if (left > 0 && style.terminal)
    yield style.paint(`${INDENT}and ${left} more turns; --session and its id show them`, 'quiet');
}

function inputOf({ inputs }: SessionView, turn: TurnReport): string {
  const input = inputs[turn.index];
  if (input === undefined) return plain(turn.id);
  return input === null ? '(the agent began)' : plain(input) || '(nothing)';
}

/** Distinct names of what failed, by index of the turn. */
function labelsByTurn({ failures }: SessionView): Map<number, Set<string>> {
  const labels = new Map<number, Set<string>>();
  for (const { group, occurrence } of failures) {
    const known = labels.get(occurrence.turn);
    if (known) known.add(plain(group.label));
    else labels.set(occurrence.turn, new Set([plain(group.label)]));
  }
  return labels;
}

function* labelLines(labels: ReadonlySet<string>, indent: number, style: Style): Generator<string> {
  for (const line of wrap(`✗ ${[...labels].join(' · ')}`, style.columns - indent)) {
    yield `${' '.repeat(indent)}${style.paint(line, 'bad')}`;
  }
}

function fellShort(result: Result): boolean {
  return result.passed === false && !result.implied;
}

/**
 * The turn metrics that say most: first those with turns below their threshold, then by how near they came to it, then
 * by how much they differ between turns. A score without a threshold is no judgement, and is left to the JSON report.
 */
function tellingMetrics(turns: readonly TurnReport[], count: number): string[] {
  const found = new Map<string, { failing: number; margin: number; min: number; max: number }>();
  for (const { metrics } of turns) {
    for (const [name, { status, score, scale, threshold, passed, implied }] of Object.entries(metrics)) {
      if (name === 'turn_risk' || threshold === null || implied || !scale || scale[1] === null) continue;
      if (status !== 'scored' || score === null) continue;
      const share = (score - scale[0]) / (scale[1] - scale[0]);
      const margin = share - (threshold - scale[0]) / (scale[1] - scale[0]);
      const known = found.get(name) ?? { failing: 0, margin: 1, min: 1, max: 0 };
      known.failing += passed === false ? 1 : 0;
      known.margin = Math.min(known.margin, margin);
      known.min = Math.min(known.min, share);
      known.max = Math.max(known.max, share);
      found.set(name, known);
    }
  }
  return [...found]
    .sort(([, a], [, b]) => b.failing - a.failing || a.margin - b.margin || b.max - b.min - (a.max - a.min))
    .slice(0, Math.max(0, count))
    .map(([name]) => name);
}

/** Names of metrics over their columns; long ones on several lines, broken at underscores. */
function* headings(metrics: readonly string[], withRisk: boolean, indent: number, style: Style): Generator<string> {
  const names = metrics.map((name) => brokenName(name, METRIC_WIDTH));
  const height = Math.max(withRisk ? 1 : 0, ...names.map((lines) => lines.length));
  for (let row = 0; row < height; row += 1) {
    const cells = names.map((lines) => `  ${padEnd(lines[lines.length - height + row] ?? '', METRIC_WIDTH)}`).join('');
    const last = withRisk && row === height - 1 ? '  risk' : '';
    yield style.paint(`${' '.repeat(indent)}${cells}${last}`.trimEnd(), 'quiet');
  }
}

function brokenName(name: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of name.split(/(?<=_)/)) {
    const last = lines.at(-1);
    if (last !== undefined && width(last + word) <= columns) lines[lines.length - 1] = last + word;
    else lines.push(truncate(word, columns));
  }
  return lines;
}
