import type { Session, Turn } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { RenderText } from './trace-text.ts';
import { type TurnExcerpts, turnId } from './turn-excerpts.ts';
import { type PromptBlock, renderTurn, sum, turnHeading, turnLength } from './turn-rendering.ts';

/** Shares of the first and the last turn, if the session does not fit. */
const FIRST_TURN_SHARE = 0.15;
const LAST_TURN_SHARE = 0.3;

/** With less room than this per turn, a turn in the middle is one excerpt instead of several. */
const MIN_TURN_LENGTH = 700;

/** With less room than this per such excerpt, neighbouring turns share one. */
const MIN_BRIEF_LENGTH = 400;

/** With less room than this per turn, only its calls are listed. */
const MIN_TEXT_LENGTH = 120;

/** Characters of a heading, and of the labels of a turn. */
const HEADING_LENGTH = 60;
const LABELS_LENGTH = 30;

/** All turns of a session in about `room` characters: complete if they fit, otherwise with the middle ones evenly shortened. */
export function renderSessionDigest(
  session: Session,
  excerptsOf: (index: number) => TurnExcerpts,
  writer: PromptWriter,
  render: RenderText,
  room: number,
): PromptBlock {
  const sizes = Array.from(session.turns.keys(), (index) => turnLength(excerptsOf(index), writer) + HEADING_LENGTH);
  const limits = turnLimits(sizes, room);
  const renderFull = (limit: number, index: number): PromptBlock => {
    const { text, ids } = renderTurn(excerptsOf(index), writer, limit - HEADING_LENGTH);
    return { text: writer.heading(turnHeading(session.turns[index], index)) + text, ids };
  };
  const middle = limits.slice(1, -1);
  const isCrowded = middle.some((limit, at) => limit < Math.min(MIN_TURN_LENGTH, sizes[at + 1] ?? 0));
  if (!isCrowded) return joinBlocks(limits.map(renderFull));
  const brief = renderBriefTurns({ session, writer, render }, 1, limits.length - 1, sum(middle));
  return joinBlocks([
    ...limits.slice(0, 1).map(renderFull),
    ...brief,
    ...limits.slice(-1).map((limit) => renderFull(limit, limits.length - 1)),
  ]);
}

/** How much room each turn gets. */
function turnLimits(sizes: readonly number[], room: number): readonly number[] {
  if (sum(sizes) <= room) return sizes;
  const [first = 0, ...others] = sizes;
  const last = others.pop();
  const firstLimit = last === undefined ? room : Math.min(first, room * FIRST_TURN_SHARE);
  const lastLimit = last === undefined ? [] : [Math.min(last, room * LAST_TURN_SHARE)];
  const fair = fairLimit(others, room - firstLimit - sum(lastLimit));
  return [firstLimit, ...others.map((size) => Math.min(size, fair)), ...lastLimit];
}

interface DigestContext {
  readonly session: Session;
  readonly writer: PromptWriter;
  readonly render: RenderText;
}

/** The turns from `start` up to `end` as one excerpt each, or one for several turns if there are many. */
function renderBriefTurns(
  { session, writer, render }: DigestContext,
  start: number,
  end: number,
  room: number,
): PromptBlock[] {
  const turns = end - start;
  const groups = Math.max(1, Math.min(turns, Math.floor(room / MIN_BRIEF_LENGTH)));
  const share = Math.floor(room / groups) - HEADING_LENGTH;
  return Array.from({ length: groups }, (_, group) => {
    const from = start + Math.floor((group * turns) / groups);
    const to = start + Math.floor(((group + 1) * turns) / groups);
    const id = rangeId(from, to);
    const label = to - from === 1 ? 'a turn in short' : `turns ${from + 1} to ${to} in short`;
    return {
      text: writer.block(`[${id}] ${label}`, render(briefText(session.turns.slice(from, to), render, share), share)),
      ids: [id],
    };
  });
}

/** `t3` for one turn, `t3-t5` for three; `end` is exclusive. */
function rangeId(start: number, end: number): string {
  return end - start === 1 ? turnId(start) : `${turnId(start)}-${turnId(end - 1)}`;
}

function briefText(turns: readonly Turn[], render: RenderText, room: number): string {
  const each = Math.floor(room / turns.length);
  if (each < MIN_TEXT_LENGTH) {
    const steps = turns.flatMap((turn) => turn.steps);
    return `Calls: ${summarizeCalls(steps, room) || 'none'}`;
  }
  const length = Math.floor((each - LABELS_LENGTH) / 3);
  return turns
    .map(({ input, steps, output }) =>
      [
        input === null ? '' : `User: ${render(input, length)}`,
        `Calls: ${render(summarizeCalls(steps, length), length) || 'none'}`,
        output === null ? 'No answer' : `Answer: ${render(output, length)}`,
      ]
        .filter((line) => line !== '')
        .join('\n'),
    )
    .join('\n\n');
}

function joinBlocks(parts: readonly PromptBlock[]): PromptBlock {
  return { text: parts.map(({ text }) => text).join(''), ids: parts.flatMap(({ ids }) => ids) };
}
