import type { Session } from '../core/session.ts';
import type { TimelineEntry, TimelineSummaryRow } from '../protocol/timeline.ts';
import { rowDuration, type Timeline, type TimelineRow } from '../report-model/transcript/timeline.ts';
import { stepText } from '../report-model/transcript/turn-texts.ts';
import { toTarget } from './targets.ts';
import { excerpt } from './text/excerpt.ts';
import { finiteOrNull, limitName } from './values.ts';

/** Limit of models that the summary names, and of the text of a row in characters. */
const MAX_MODELS = 10;
const MAX_TEXT = 120;

export function summarizeTimeline(timeline: Timeline): TimelineSummaryRow {
  const { timed, durationMs, slowest, tokens, cost, models } = timeline.summary();
  return {
    rows: timeline.total,
    timed,
    durationMs,
    slowest,
    tokens,
    cost: cost === null ? null : finiteOrNull(cost),
    models: models
      .slice(0, MAX_MODELS)
      .map((model) => ({ ...model, name: limitName(model.name), cost: finiteOrNull(model.cost ?? Number.NaN) })),
    modelsOmitted: Math.max(0, models.length - MAX_MODELS),
  };
}

/** A page of the timeline. */
export function timelineEntries(timeline: Timeline, session: Session, from: number, count: number): TimelineEntry[] {
  return timeline.rows(from, count).map((row) => entryOf(row, timeline.turnRow(row.turn), session));
}

function entryOf(row: TimelineRow, turnRow: TimelineRow | undefined, session: Session): TimelineEntry {
  const { turn, step, depth, part, start, end, tokens, cost } = row;
  const file = session.turns[turn]?.file ?? session.source.file;
  const first = start ?? end;
  const turnStart = turnRow?.start ?? null;
  return {
    turn,
    step,
    depth,
    ...describe(part),
    startMs: first === null || turnStart === null ? null : first - turnStart,
    durationMs: rowDuration(row),
    turnMs: turnRow ? rowDuration(turnRow) : null,
    tokens,
    cost: cost === null ? null : finiteOrNull(cost),
    target: toTarget(file, part.pointer),
  };
}

type Description = Pick<TimelineEntry, 'type' | 'name' | 'text' | 'outcome' | 'model'>;

function describe(part: TimelineRow['part']): Description {
  const nothing = { name: null, text: '', outcome: null, model: null };
  if (!('type' in part)) return { ...nothing, type: 'turn', text: beginning(part.input) };
  const { type } = part;
  switch (type) {
    case 'model': {
      const model = part.model === undefined ? null : limitName(part.model);
      return { ...nothing, type, model, text: beginning(part.text || part.reasoning || part.error) };
    }
    case 'tool': {
      const text = beginning(stepText(part, 'arguments'));
      return { ...nothing, type, name: limitName(part.name), text, outcome: part.outcome };
    }
    case 'retrieval':
      return { ...nothing, type, text: beginning(part.query) };
    case 'agent':
      return { ...nothing, type, name: limitName(part.name), text: beginning(part.turns[0]?.input) };
  }
}

function beginning(text: string | null | undefined): string {
  return excerpt(text ?? '', MAX_TEXT)
    .text.replace(/\s+/g, ' ')
    .trim();
}
