import { resolve } from 'node:path';
import { type Session, type Turn, turnFile } from '../../core/session.ts';
import { MAX_DETAIL } from '../../panel/limits.ts';
import { toTarget } from '../../panel/targets.ts';
import { type PartLimits, partName, partRow, stepAt } from '../../panel/transcript-parts.ts';
import { limitName } from '../../panel/values.ts';
import type { LabelPartRow, ResultToLabel } from '../../protocol/labels.ts';
import { type TranscriptPart, turnParts } from '../../report-model/transcript/align-steps.ts';
import type { JudgedResult } from '../../runs/calibration/judged-results.ts';

/** Messages and steps of what is labelled, and of the turns before it. */
const MAX_PARTS = 200;
const MAX_EARLIER = 60;

/** Few parts are shown with long texts: a label needs all of an answer. */
const FEW_PARTS = 40;
const FEW: PartLimits = { text: 10_000, documents: 50 };
const MANY: PartLimits = { text: 2000, documents: 10 };
const EARLIER: PartLimits = { text: MAX_DETAIL, documents: 3 };

/** What a judged result is about. What the judge said of it is not read. */
export function resultToLabel(
  { id, file, line, session: sessionId, turn }: Pick<JudgedResult, 'id' | 'file' | 'line' | 'session' | 'turn'>,
  session: Session,
  project: string,
): ResultToLabel {
  const own = turn === null ? session.turns : session.turns.slice(turn, turn + 1);
  const before = turn === null ? [] : session.turns.slice(0, turn);
  const parts = own.flatMap((one, index) => turnParts(one, (turn ?? 0) + index));
  const earlier = before.flatMap(turnParts);
  const shown = parts.slice(0, MAX_PARTS);
  const shownEarlier = earlier.slice(-MAX_EARLIER);
  return {
    id,
    file: limitName(file),
    line,
    session: limitName(sessionId),
    turn,
    target: targetOf(session, turn === null ? undefined : own[0], resolve(project, file)),
    earlier: partRows(session, shownEarlier, EARLIER),
    parts: partRows(session, shown, parts.length <= FEW_PARTS ? FEW : MANY),
    omitted: parts.length - shown.length + earlier.length - shownEarlier.length,
  };
}

/** Where a result stands. @param turn undefined: the whole session */
export function targetOf(session: Session, turn: Turn | undefined, file: string): ResultToLabel['target'] {
  return turn ? toTarget(turnFile(session, turn), turn.pointer) : toTarget(file, session.source.pointer);
}

function partRows(session: Session, parts: readonly TranscriptPart[], limits: PartLimits): LabelPartRow[] {
  return parts.flatMap((part) => {
    const row = partRow(session, part, limits);
    return row ? [{ ...row, type: part.type, name: partName(stepAt(session, part)) }] : [];
  });
}
