import type { SessionReport } from '../../core/report.ts';
import { keyScore } from '../../report-model/session-order.ts';
import { padEnd, sanitizeLine, truncate, truncateStart, width } from '../terminal-text.ts';
import { type EvidenceLocation, formatLocation } from './locations.ts';
import { sessionProblems } from './problems.ts';
import { meter, meterWidth, riskTone } from './score-text.ts';
import { ownScoreLines, scoreLines } from './session-scores.ts';
import type { SessionSummary } from './session-summary.ts';
import { type TableStyle, verdictMark, verdictTone } from './style.ts';
import { turnLines } from './turns.ts';
import { gateReasons, whyLines } from './why.ts';

const KEY_CELLS = 10;
const INDENT = '  ';

/** How much of a session is shown. */
export interface SessionExtent {
  /** Limit of the rows of turns. */
  readonly turns: number;
  /** Limit of a turn's problems that are printed with their reasons. */
  readonly problems: number;
  /** Limit of the lines for scores that pass. */
  readonly scoreLines: number;
}

/** A session: name and risk, reasons, its own scores, and a row for each turn. */
export function* sessionLines(
  view: SessionSummary,
  provenAt: EvidenceLocation,
  extent: SessionExtent,
  style: TableStyle,
): Generator<string> {
  yield headerLine(view, style);
  yield* whyLines(view, style);
  if (view.judged) {
    const listed = yield* sessionProblems(view, { provenAt, style, indent: INDENT });
    const gated = gateReasons(view).map(({ metric }) => metric);
    yield* scoreLines(view.report, new Set([...listed, ...gated]), extent.scoreLines, style);
  } else yield* ownScoreLines(view.report, style);
  yield* turnLines(view, style, extent.turns, { provenAt, limit: extent.problems });
}

/** `✗ traces/refund.json:3 · conv_42`, with the session's risk at the right. */
function headerLine({ report: session, failures }: SessionSummary, style: TableStyle): string {
  const key = keyScore(session);
  const columns = key ? key.name.length + 1 + meterWidth(KEY_CELLS, style) : 0;
  const room = style.columns - 2 - (key ? columns + 2 : 0);
  const name = sessionName(session, room);
  const mark = style.paint(
    verdictMark(session.verdict, failures.length),
    verdictTone(session.verdict, failures.length),
  );
  const line = `${mark} ${style.paint(key ? padEnd(name, room) : name, 'strong')}`;
  return key ? `${line}  ${key.name} ${meter(key.score, KEY_CELLS, riskTone(key.risk), style)}` : line;
}

/** The end of the path and the id, which is left out if the path contains it. */
export function sessionName({ id, source, turns }: SessionReport, columns: number): string {
  const file = formatLocation(source.file, turns[0]?.line ?? null);
  const session = containsId(file, sanitizeLine(id)) ? '' : truncate(sanitizeLine(id), Math.floor(columns / 2));
  return session === ''
    ? truncateStart(file, columns)
    : `${truncateStart(file, columns - width(session) - 3)} · ${session}`;
}

/** Whether a path contains an id as a whole word. */
export function containsId(path: string, id: string): boolean {
  const at = path.indexOf(id);
  const around = `${path[at - 1] ?? ''}${path[at + id.length] ?? ''}`;
  return at >= 0 && !/[\p{L}\p{N}]/u.test(around);
}
