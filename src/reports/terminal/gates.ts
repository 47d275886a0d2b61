import { GATES_OFF } from '../../core/gates-off.ts';
import type { Gate, Report } from '../../core/report.ts';
import { scaleRange } from '../../core/scale.ts';
import { formatScore } from '../../core/score-text.ts';
import { worstSeverity } from '../../core/severity.ts';
import { listSome } from '../../core/text/lists.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { metricByName } from '../../metrics/index.ts';
import { alertText } from '../../report-model/alert-text.ts';
import { uncalibratedText } from '../../report-model/uncalibrated-judges.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { markedLines, quietLines } from './layout.ts';
import type { TableStyle } from './style.ts';

/** Limits of the gates that are listed, and of the subjects that are named for each. */
const OPEN_GATES = 10;
const SUBJECTS = 3;

/** How many gates are met; those that are not, each with its reason; and what leaves the run undecided besides. */
export function* gateLines(report: Report, style: TableStyle): Generator<string> {
  const { gates } = report;
  const unmet = gates.filter(({ met }) => met === false);
  const open = gates.filter(({ met }) => met === null);
  const counts = [
    ...(unmet.length > 0 ? [`${unmet.length} failed`] : []),
    ...(open.length > 0 ? [`${open.length} undecided`] : []),
  ];
  const thresholds = gates.some(({ threshold }) => typeof threshold === 'number') ? '' : ' No thresholds on scores.';
  const met = gates.length - unmet.length - open.length;
  const text =
    gates.length === 0 ? 'none.' : `${met} of ${gates.length} met${counts.length > 0 ? `, ${counts.join(', ')}` : ''}.`;
  yield `${style.paint('Gates:', 'strong')} ${text}${style.paint(thresholds, 'quiet')}`;
  const grouped = [
    ...Map.groupBy([...unmet, ...open].filter(isOwn), (gate) => `${title(gate)}\n${gate.reason}\n${gate.met}`).values(),
  ];
  for (const alike of style.verbose ? grouped : grouped.slice(0, OPEN_GATES)) yield* unmetLines(alike, style);
  const left = grouped.length - OPEN_GATES;
  if (left > 0 && !style.verbose) yield* quietLines('  ', `and ${left} more; --verbose lists them`, style);
  for (const { code, reason } of report.undecided) {
    if (code !== 'gate') yield* markedLines('  ', '?', 'doubtful', sanitizeLine(reason), style);
  }
  if (style.verbose) yield* metLines(gates.filter(isOwn), style);
  const uncalibrated = uncalibratedText(report);
  if (uncalibrated !== null) yield* markedLines('  ', '!', 'doubtful', sanitizeLine(uncalibrated), style);
  for (const note of [gatedByBaseline(report), ungatedProblems(report), ungatedOutcomes(report)])
    if (note !== '') yield* quietLines('  ', note, style);
}

/** A line for each alert, and whether it fails the run. */
export function* alertLines({ alerts = [] }: Report, style: TableStyle): Generator<string> {
  if (alerts.length === 0) return;
  yield style.paint('Alerts:', 'strong');
  for (const alert of alerts) {
    yield* markedLines('  ', '!', alert.gate ? 'bad' : 'doubtful', sanitizeLine(alertText(alert)), style);
  }
}

/** The gates of a baseline have a section of their own. */
function isOwn({ metric }: Gate): boolean {
  return metric !== 'baseline' && !metric.startsWith('baseline ');
}

/** `loop_detection ≥ 0.50`, `problems below high`, `outcome not failed`. */
function title({ metric, threshold, alert }: Gate): string {
  if (alert) return `no alert for ${metric}`;
  if (metric === 'severity') return `no problem of severity ${threshold}${threshold === 'critical' ? '' : ' or above'}`;
  if (typeof threshold !== 'number') return metric;
  const definition = metricByName(metric);
  const range = definition ? scaleRange(definition.scale) : null;
  return `${metric} ${definition?.lowerIsBetter ? '≤' : '≥'} ${formatScore(threshold, range)}`;
}

/** Gates of several sessions or tasks that ask the same and miss it for the same reason. */
function* unmetLines(alike: readonly Gate[], style: TableStyle): Generator<string> {
  const [first] = alike;
  if (!first) return;
  const subjects = alike.flatMap(({ subject }) => (subject === null ? [] : [sanitizeLine(subject)]));
  const where = subjects.length === 0 ? '' : ` in ${listSome(subjects, style.verbose ? Infinity : SUBJECTS)}`;
  const text = `${title(first)}${where}: ${sanitizeLine(withOption(first))}`;
  yield* markedLines('  ', first.met === null ? '?' : '✗', first.met === null ? 'doubtful' : 'bad', text, style);
}

/** The reason, with the option of the command line where it names a setting that ignores the gate. */
function withOption({ metric, reason }: Gate): string {
  if (metric !== 'severity' && metric !== 'outcome') return reason;
  const { setting, option } = GATES_OFF[metric];
  return reason.replace(`${setting} ignores`, `${setting} (${option}) ignores`);
}

function* metLines(gates: readonly Gate[], style: TableStyle): Generator<string> {
  const alike = Map.groupBy(
    gates.filter(({ met }) => met === true),
    (gate) => `${gate.scope} ${title(gate)}`,
  );
  for (const [first, ...others] of alike.values()) {
    if (!first) continue;
    const where = others.length === 0 ? `: ${first.reason}` : ` in ${pluralize(others.length + 1, first.scope)}`;
    yield* markedLines('  ', '✓', 'good', `${title(first)}${sanitizeLine(where)}`, style);
  }
}

/** Says why failed sessions fail nothing where a baseline counts them. */
function gatedByBaseline(report: Report): string {
  const failed = failedInBaseline(report);
  if (failed === 0) return '';
  return `${failed} of ${pluralize(report.sessions.length, 'session')} failed: the baseline decides whether that is worse.`;
}

/** Failed sessions that no gate of their own fails. */
function failedInBaseline({ baseline, gates, sessions }: Report): number {
  if (!baseline || baseline.accepted === null) return 0;
  const gatedAlone = new Set(gates.flatMap(({ met, subject }) => (met === false && subject !== null ? [subject] : [])));
  return sessions.filter(({ id, verdict }) => verdict === 'failed' && !gatedAlone.has(id)).length;
}

/** Says that no gate covers the problems, so that nobody takes met gates for "no problems". */
function ungatedProblems(report: Report): string {
  const { gates, failures } = report;
  if (failedInBaseline(report) > 0) return '';
  const severity = worstSeverity(failures.map((group) => group.severity));
  if (!severity || gates.some(({ metric, met }) => metric === 'severity' && met === false)) return '';
  return `Worst problem: ${severity}. No gate on it (--fail-on ${severity}).`;
}

/** Says that failed outcomes do not gate. */
function ungatedOutcomes(report: Report): string {
  const { gates, sessions } = report;
  if (failedInBaseline(report) > 0) return '';
  const failed = sessions.filter(
    ({ outcome: { status, source } }) => status === 'failed' && (source === 'recorded' || source === 'user'),
  );
  if (failed.length === 0 || gates.some(({ metric }) => metric === 'outcome')) return '';
  return `Outcome: ${failed.length} of ${pluralize(sessions.length, 'session')} failed. No gate on it (--ignore-outcome).`;
}
