import { formatScore } from '../../report-model/score-text.ts';
import { keyScore } from '../../report-model/session-order.ts';
import { unmetGates, type VerdictCause } from '../../report-model/verdict-causes.ts';
import { sanitizeLine, truncate, wrap } from '../terminal-text.ts';
import type { SessionSummary } from './session-summary.ts';
import type { TableStyle } from './style.ts';

/** Limit of the reasons under the name of a session. All failures follow below, with their lines. */
const REASONS = 3;
/** From this risk on, it is explained even if nothing failed. */
const NOTABLE_RISK = 0.5;
const INDENT = '  ';

/** Why a session failed or is undecided; for one that passed, its problems. */
export function* whyLines(view: SessionSummary, style: TableStyle): Generator<string> {
  const { verdict } = view.report;
  const label = verdict === 'passed' && view.failures.length > 0 ? 'but' : 'why';
  const blank = ' '.repeat(label.length);
  const room = style.columns - INDENT.length - label.length - 2;
  const failed = failureReasons(view, room);
  const open = undecidedReasons(view).map((reason) => reasonLines(reason, '', room));
  // The problems of an undecided session are not the reason that it is undecided.
  const reasons = verdict === 'undecided' ? [...open, ...failed] : [...failed, ...open];
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

/** Why it did not pass, in addition to its failures. */
function undecidedReasons(view: SessionSummary): readonly string[] {
  const { verdict } = view.report;
  if (verdict === 'passed') return [];
  if (verdict === 'undecided' && view.undecided.length > 0) return view.undecided;
  return gateReasons(view).map(({ reason }) => reason);
}

/** Failures with their reasons; for a judged session only labels, since its turns give the reasons. */
function failureReasons({ failures, judged }: SessionSummary, room: number): string[][] {
  if (!judged) {
    return failures.map(({ reason, turn }) => reasonLines(reason, ` (turn ${turn + 1})`, room));
  }
  const byLabel = Map.groupBy(failures, ({ label }) => sanitizeLine(label));
  const named = Array.from(byLabel, ([label, occurrences]) => {
    const turns = [...new Set(occurrences.map(({ turn }) => turn + 1))].sort((a, b) => a - b);
    return `${label} (${turns.length === 1 ? 'turn' : 'turns'} ${turns.join(', ')})`;
  });
  return named.length === 0 ? [] : [reasonLines(named.join(' · '), '', room)];
}

/** Why the risk is high, for a session without other reasons. */
function riskReason({ report }: SessionSummary): string | null {
  const risk = keyScore(report);
  if (risk?.metric !== 'session_risk' || risk.score < NOTABLE_RISK) return null;
  return report.metrics.session_risk?.reason ?? null;
}

/** A reason on about two lines, with its turn at the end. */
function reasonLines(reason: string, suffix: string, room: number): string[] {
  const text = truncate(sanitizeLine(reason).replace(/[.]$/, ''), Math.floor(1.8 * room) - suffix.length);
  return wrap(`${text}${suffix}`, room);
}

interface GateReason {
  readonly metric: string;
  readonly reason: string;
}

/** Thresholds that a session does not meet: its own and those of the run. */
export function gateReasons({ report, gates, runGates, failures }: SessionSummary): GateReason[] {
  const unmet = unmetGates({ report, gates: [...gates, ...runGates], hasProblems: failures.length > 0 });
  return unmet.map((cause) => ({ metric: cause.metric, reason: gateReason(cause) }));
}

function gateReason(cause: Exclude<VerdictCause, { kind: 'undecided' }>): string {
  const { metric } = cause;
  switch (cause.kind) {
    case 'gate':
      return `${metric}: ${sanitizeLine(cause.text)}`;
    case 'no-score':
      return `${metric}: nothing scored${cause.text ? `, ${sanitizeLine(cause.text)}` : ''}`;
    case 'threshold': {
      const { score, threshold, scale } = cause;
      return `${metric} is ${formatScore(score, scale)}, threshold ${formatScore(threshold, scale)}`;
    }
  }
}
