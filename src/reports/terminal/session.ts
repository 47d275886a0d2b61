import type { SessionReport } from '../../core/report.ts';
import { padEnd, sanitizeLine, truncate, truncateStart, width } from '../text.ts';
import { sessionComplaints } from './complaints.ts';
import { meter, meterWidth, riskTone } from './figure.ts';
import { figureLines, ownFigureLines } from './figures.ts';
import { type ProvenAt, placeOf } from './places.ts';
import { type Style, verdictMark, verdictTone } from './style.ts';
import { turnLines } from './turns.ts';
import { keyFigure, type SessionView } from './view.ts';
import { gateReasons, whyLines } from './why.ts';

const KEY_CELLS = 10;
const INDENT = '  ';

/** How much of a session is shown. */
export interface Extent {
  /** Rows of turns. */
  readonly turns: number;
  /** Of what a judge or a rule has against a turn, how much is told with its reason. */
  readonly complaints: number;
  /** Lines for figures that pass. */
  readonly figures: number;
}

/** A session: its name and risk, why, its own figures, and a row per turn; the telling ones first. */
export function* sessionLines(view: SessionView, provenAt: ProvenAt, extent: Extent, style: Style): Generator<string> {
  yield headerLine(view, style);
  yield* whyLines(view, style);
  if (view.judged) {
    const told = yield* sessionComplaints(view, { provenAt, style, indent: INDENT });
    const gated = gateReasons(view).map(({ metric }) => metric);
    yield* figureLines(view.report, new Set([...told, ...gated]), extent.figures, style);
  } else yield* ownFigureLines(view.report, style);
  yield* turnLines(view, style, extent.turns, { provenAt, limit: extent.complaints });
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
  const session = names(file, sanitizeLine(id)) ? '' : truncate(sanitizeLine(id), Math.floor(columns / 2));
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
