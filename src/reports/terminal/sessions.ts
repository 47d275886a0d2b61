import { pluralize } from '../../core/text/pluralize.ts';
import { keyScore } from '../../report-model/session-order.ts';
import type { PointerLineLocator } from '../report-writer.ts';
import { padEnd, sanitizeLine, truncate } from '../terminal-text.ts';
import { locateEvidence } from './locations.ts';
import { meter, meterWidth, riskTone } from './score-text.ts';
import { type SessionExtent, sessionLines, sessionName } from './session.ts';
import type { SessionSummary } from './session-summary.ts';
import { type TableStyle, verdictMark, verdictTone } from './style.ts';

/** Up to this number, sessions are printed in full and in input order; of more there is an overview first. */
const MAX_EXPANDED_SESSIONS = 20;
const ROWS = 40;
const EXPANDED = 5;
const SINGLE_SESSION_EXTENT: SessionExtent = { turns: 60, problems: 6, scoreLines: Number.POSITIVE_INFINITY };
const MULTIPLE_SESSIONS_EXTENT: SessionExtent = { turns: 12, problems: 3, scoreLines: 3 };
/** A pipe gets more, since programs read it. */
const PROBLEMS_IN_PIPE = 20;
const KEY_CELLS = 8;
const TURNS_WIDTH = 5;
const LABEL_WIDTH = 22;

export function* sessionsLines(
  views: readonly SessionSummary[],
  style: TableStyle,
  locator?: PointerLineLocator,
): Generator<string> {
  if (views.length <= MAX_EXPANDED_SESSIONS) {
    yield* expandedLines(views, views.length === 1 ? SINGLE_SESSION_EXTENT : MULTIPLE_SESSIONS_EXTENT, style, locator);
    return;
  }
  const sorted = views.toSorted(worstFirst);
  yield '';
  yield* rowLines(sorted.slice(0, ROWS), style);
  if (sorted.length > ROWS) yield remainingSessionsLine(sorted.slice(ROWS), style);
  if (!style.terminal) return;
  const failing = sorted.filter(({ report }) => report.verdict === 'failed');
  yield* expandedLines(failing.slice(0, EXPANDED), MULTIPLE_SESSIONS_EXTENT, style, locator);
  const left = failing.length - EXPANDED;
  if (left > 0) {
    yield '';
    yield style.paint(
      `and ${pluralize(left, 'more failed session')}; --session ID shows one, --format json all`,
      'quiet',
    );
  }
}

function* expandedLines(
  views: readonly SessionSummary[],
  extent: SessionExtent,
  style: TableStyle,
  locator: PointerLineLocator | undefined,
): Generator<string> {
  const provenAt = locateEvidence(
    views.filter(({ judged }) => judged).map(({ report }) => report),
    locator,
  );
  for (const view of views) {
    yield '';
    yield* sessionLines(view, provenAt, style.terminal ? extent : { ...extent, problems: PROBLEMS_IN_PIPE }, style);
  }
}

/** By risk, then by verdict, then by number of failures. */
function worstFirst(a: SessionSummary, b: SessionSummary): number {
  const verdict = ORDER[a.report.verdict] - ORDER[b.report.verdict];
  const risk = (keyScore(b.report)?.risk ?? 0) - (keyScore(a.report)?.risk ?? 0);
  return risk || verdict || b.failures.length - a.failures.length;
}

const ORDER = { failed: 0, undecided: 1, passed: 2 } as const;

function* rowLines(views: readonly SessionSummary[], style: TableStyle): Generator<string> {
  const figure = meterWidth(KEY_CELLS, style);
  const room = style.columns - 2 - TURNS_WIDTH - figure - LABEL_WIDTH - 6;
  const key = views.map(({ report }) => keyScore(report)?.name).find((name) => name !== undefined) ?? '';
  yield style.paint(`${' '.repeat(room + 2)}  ${'turns'.padStart(TURNS_WIDTH)}  ${key}`.trimEnd(), 'quiet');
  for (const { report, failures } of views) {
    const mark = style.paint(
      verdictMark(report.verdict, failures.length),
      verdictTone(report.verdict, failures.length),
    );
    const turns = style.paint(String(report.turns.length).padStart(TURNS_WIDTH), 'quiet');
    const score = keyScore(report);
    const label = truncate(sanitizeLine(failures[0]?.label ?? ''), LABEL_WIDTH);
    const cell = score
      ? meter(score.score, KEY_CELLS, riskTone(score.risk), style)
      : ' '.repeat(label === '' ? 0 : figure);
    yield `${mark} ${padEnd(sessionName(report, room), room)}  ${turns}  ${cell}${label === '' ? '' : `  ${label}`}`.trimEnd();
  }
}

function remainingSessionsLine(views: readonly SessionSummary[], style: TableStyle): string {
  const failed = views.filter(({ report }) => report.verdict === 'failed').length;
  const text = `and ${pluralize(views.length, 'more session')}, ${failed} failed; --format json lists them`;
  return `  ${style.paint(text, 'quiet')}`;
}
