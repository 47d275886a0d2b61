import type { Gate, Report } from '../../core/report.ts';
import { scaleRange } from '../../core/scale.ts';
import { worstSeverity } from '../../core/severity.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { metricByName } from '../../metrics/index.ts';
import { formatScore } from '../../report-model/score-text.ts';
import { sanitizeLine, wrap } from '../terminal-text.ts';
import type { TableStyle, TextTone } from './style.ts';

const MAX_OPEN_GATES = 20;

/**
 * Gates that are not met, each with its reason; those that are met, together where they ask the same; and what leaves the
 * run undecided whatever its gates say.
 */
export function* gateLines(report: Report, style: TableStyle): Generator<string> {
  const { gates } = report;
  yield '';
  yield style.paint('Gates', 'strong');
  if (gates.length === 0) yield '  none';
  const open = gates.filter(({ met }) => met !== true).sort((a, b) => Number(a.met === null) - Number(b.met === null));
  for (const gate of open.slice(0, MAX_OPEN_GATES)) yield* gateLine(gate, style);
  if (open.length > MAX_OPEN_GATES)
    yield style.paint(`  and ${pluralize(open.length - MAX_OPEN_GATES, 'more gate')} not met`, 'quiet');
  for (const { code, reason } of report.undecided) {
    if (code !== 'gate') yield* markedLine('?', 'doubtful', sanitizeLine(reason), style);
  }
  const met = new Map<string, Gate[]>();
  for (const gate of gates) {
    if (gate.met !== true) continue;
    const name = `${gate.scope} ${title(gate)}`;
    met.set(name, [...(met.get(name) ?? []), gate]);
  }
  for (const alike of met.values()) yield* metLine(alike, style);
  if (!gates.some(({ metric }) => metric !== 'severity')) yield* noteLines(NO_THRESHOLDS, style);
  yield* noteLines(ungatedFailures(report), style);
  yield* noteLines(ungatedOutcomes(report), style);
}

/** `loop_detection ≥ 0.50`, `no critical failure`. */
function title({ metric, threshold }: Gate): string {
  if (typeof threshold !== 'number')
    return threshold === 'critical' ? 'no critical failure' : `no failure of severity ${threshold} or above`;
  const definition = metricByName(metric);
  const range = definition ? scaleRange(definition.scale) : null;
  return `${metric} ${definition?.lowerIsBetter ? '≤' : '≥'} ${formatScore(threshold, range)}`;
}

function* gateLine(gate: Gate, style: TableStyle): Generator<string> {
  const [mark, tone]: [string, TextTone] = gate.met === null ? ['?', 'doubtful'] : ['✗', 'bad'];
  const subject = gate.subject === null ? '' : ` in ${sanitizeLine(gate.subject)}`;
  yield* markedLine(mark, tone, `${title(gate)}${subject}: ${sanitizeLine(gate.reason)}`, style);
}

function* metLine(alike: readonly Gate[], style: TableStyle): Generator<string> {
  const [first] = alike;
  if (!first) return;
  const reason =
    alike.length === 1
      ? `: ${sanitizeLine(first.reason)}`
      : ` in ${first.scope === 'session' ? pluralize(alike.length, 'session') : pluralize(alike.length, first.scope)}`;
  yield* markedLine('✓', 'good', `${title(first)}${reason}`, style);
}

function* markedLine(mark: string, tone: TextTone, text: string, style: TableStyle): Generator<string> {
  for (const [index, line] of wrap(text, style.columns - 4).entries())
    yield index === 0 ? `  ${style.paint(mark, tone)} ${line}` : `    ${line}`;
}

const NO_THRESHOLDS = 'No thresholds set: scores do not gate. Set one with --threshold METRIC=VALUE.';

/** Says that no gate covers the problems, so that a reader does not take a pass for "no problems". */
function ungatedFailures({ gates, failures }: Report): string {
  const severity = worstSeverity(failures.map((group) => group.severity));
  if (!severity || gates.some(({ metric, met }) => metric === 'severity' && met === false)) return '';
  return `Worst problem: ${severity}. No gate on it (--fail-on ${severity}).`;
}

/** Says that recorded outcomes do not gate. */
function ungatedOutcomes({ sessions }: Report): string {
  const failed = sessions.filter(({ metrics }) =>
    OUTCOMES.some((name) => metrics[name]?.source === 'imported' && (metrics[name]?.score ?? 1) < 1),
  );
  if (failed.length === 0) return '';
  return `Recorded outcome: ${failed.length} of ${pluralize(sessions.length, 'session')} did not succeed. It counts for pass@k, not for gates.`;
}

const OUTCOMES = ['reward', 'success'] as const;

function* noteLines(text: string, style: TableStyle): Generator<string> {
  if (text === '') return;
  for (const line of wrap(text, style.columns - 4)) yield `    ${style.paint(line, 'quiet')}`;
}
