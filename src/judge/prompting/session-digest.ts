import type { Session, Turn } from '../../core/session.ts';
import { summarizeCalls } from './call-summary.ts';
import type { PromptWriter } from './prompt-writer.ts';
import { fairLimit } from './shorten.ts';
import type { RenderText } from './trace-text.ts';
import { type TurnExcerpts, turnId } from './turn-excerpts.ts';
import { type PromptBlock, renderTurn, sum, turnHeading, turnLength } from './turn-rendering.ts';

/** What the first and the last turn may take of the room, where the session does not fit into it. */
const FIRST_TURN_SHARE = 0.15;
const LAST_TURN_SHARE = 0.3;

/** With less room than this for each turn, a turn between is one passage instead of several. */
const MIN_TURN_LENGTH = 700;

/** Of such passages there are no more than fit with this room for each: neighbouring turns share one. */
const MIN_BRIEF_LENGTH = 400;

/** With less room than this for a turn, its calls are all that is told of it. */
const MIN_TEXT_LENGTH = 120;

/** Of our own words, in characters: a heading, and what stands before the words of a turn. */
const HEADING_LENGTH = 60;
const LABELS_LENGTH = 30;

/** All turns of a session in about `room` characters: whole where they fit, otherwise those between evenly shortened. */
export function renderSessionDigest(
  session: Session,
  passagesOf: (index: number) => TurnExcerpts,
  page: PromptWriter,
  show: RenderText,
  room: number,
): PromptBlock {
  const sizes = Array.from(session.turns.keys(), (index) => turnLength(passagesOf(index), page) + HEADING_LENGTH);
  const limits = turnLimits(sizes, room);
  const inFull = (limit: number, index: number): PromptBlock => {
    const { text, ids } = renderTurn(passagesOf(index), page, limit - HEADING_LENGTH);
    return { text: page.heading(turnHeading(session.turns[index], index)) + text, ids };
  };
  const between = limits.slice(1, -1);
  const crowded = between.some((limit, at) => limit < Math.min(MIN_TURN_LENGTH, sizes[at + 1] ?? 0));
  if (!crowded) return joinBlocks(limits.map(inFull));
  const brief = renderBriefTurns({ session, page, show }, 1, limits.length - 1, sum(between));
  return joinBlocks([
    ...limits.slice(0, 1).map(inFull),
    ...brief,
    ...limits.slice(-1).map((limit) => inFull(limit, limits.length - 1)),
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
  readonly page: PromptWriter;
  readonly show: RenderText;
}

/** The turns from `start` up to `end` as one passage each, or for several of them where they are many. */
function renderBriefTurns(
  { session, page, show }: DigestContext,
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
      text: page.block(`[${id}] ${label}`, show(briefText(session.turns.slice(from, to), show, share), share)),
      ids: [id],
    };
  });
}

/** `t3` for one turn, `t3-t5` for three; `end` is behind the last. */
function rangeId(start: number, end: number): string {
  return end - start === 1 ? turnId(start) : `${turnId(start)}-${turnId(end - 1)}`;
}

function briefText(turns: readonly Turn[], show: RenderText, room: number): string {
  const each = Math.floor(room / turns.length);
  if (each < MIN_TEXT_LENGTH) {
    const steps = turns.flatMap((turn) => turn.steps);
    return `Calls: ${summarizeCalls(steps, room) || 'none'}`;
  }
  const words = Math.floor((each - LABELS_LENGTH) / 3);
  return turns
    .map(({ input, steps, output }) =>
      [
        input === null ? '' : `User: ${show(input, words)}`,
        `Calls: ${show(summarizeCalls(steps, words), words) || 'none'}`,
        output === null ? 'No answer' : `Answer: ${show(output, words)}`,
      ]
        .filter((line) => line !== '')
        .join('\n'),
    )
    .join('\n\n');
}

function joinBlocks(parts: readonly PromptBlock[]): PromptBlock {
  return { text: parts.map(({ text }) => text).join(''), ids: parts.flatMap(({ ids }) => ids) };
}
