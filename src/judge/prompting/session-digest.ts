import type { Session, Turn } from '../../core/session.ts';
import type { Page } from './page.ts';
import { fairLimit } from './shorten.ts';
import { tallyOf } from './tally.ts';
import type { Show } from './trace-text.ts';
import { type TurnPassages, turnId } from './turn-passages.ts';
import { type Block, sizeInFull, sum, turnHeading, turnInFull } from './turn-rendering.ts';

/** What the first and the last turn may take of the room, where the session does not fit into it. */
const FIRST_TURN = 0.15;
const LAST_TURN = 0.3;

/** With less room than this for each turn, a turn between is one passage instead of several. */
const ROOM_FOR_PASSAGES = 700;

/** Of such passages there are no more than fit with this room for each: neighbouring turns share one. */
const ROOM_FOR_BRIEF = 400;

/** With less room than this for a turn, its calls are all that is told of it. */
const ROOM_FOR_WORDS = 120;

/** Of our own words, in characters: a heading, and what stands before the words of a turn. */
const HEADING = 60;
const LABELS = 30;

/** All turns of a session in about `room` characters: whole where they fit, otherwise those between evenly shortened. */
export function sessionDigest(
  session: Session,
  passagesOf: (index: number) => TurnPassages,
  page: Page,
  show: Show,
  room: number,
): Block {
  const sizes = Array.from(session.turns.keys(), (index) => sizeInFull(passagesOf(index), page) + HEADING);
  const limits = limitsOf(sizes, room);
  const inFull = (limit: number, index: number): Block => {
    const { text, ids } = turnInFull(passagesOf(index), page, limit - HEADING);
    return { text: page.heading(turnHeading(session.turns[index], index)) + text, ids };
  };
  const between = limits.slice(1, -1);
  const crowded = between.some((limit, at) => limit < Math.min(ROOM_FOR_PASSAGES, sizes[at + 1] ?? 0));
  if (!crowded) return joined(limits.map(inFull));
  const brief = briefly({ session, page, show }, 1, limits.length - 1, sum(between));
  return joined([
    ...limits.slice(0, 1).map(inFull),
    ...brief,
    ...limits.slice(-1).map((limit) => inFull(limit, limits.length - 1)),
  ]);
}

/** How much room each turn gets. */
function limitsOf(sizes: readonly number[], room: number): readonly number[] {
  if (sum(sizes) <= room) return sizes;
  const [first = 0, ...others] = sizes;
  const last = others.pop();
  const firstLimit = last === undefined ? room : Math.min(first, room * FIRST_TURN);
  const lastLimit = last === undefined ? [] : [Math.min(last, room * LAST_TURN)];
  const fair = fairLimit(others, room - firstLimit - sum(lastLimit));
  return [firstLimit, ...others.map((size) => Math.min(size, fair)), ...lastLimit];
}

interface Tools {
  readonly session: Session;
  readonly page: Page;
  readonly show: Show;
}

/** The turns from `start` up to `end` as one passage each, or for several of them where they are many. */
function briefly({ session, page, show }: Tools, start: number, end: number, room: number): Block[] {
  const turns = end - start;
  const groups = Math.max(1, Math.min(turns, Math.floor(room / ROOM_FOR_BRIEF)));
  const share = Math.floor(room / groups) - HEADING;
  return Array.from({ length: groups }, (_, group) => {
    const from = start + Math.floor((group * turns) / groups);
    const to = start + Math.floor(((group + 1) * turns) / groups);
    const id = rangeId(from, to);
    const label = to - from === 1 ? 'a turn in short' : `turns ${from + 1} to ${to} in short`;
    return {
      text: page.block(`[${id}] ${label}`, show(brief(session.turns.slice(from, to), show, share), share)),
      ids: [id],
    };
  });
}

/** `t3` for one turn, `t3-t5` for three; `end` is behind the last. */
function rangeId(start: number, end: number): string {
  return end - start === 1 ? turnId(start) : `${turnId(start)}-${turnId(end - 1)}`;
}

function brief(turns: readonly Turn[], show: Show, room: number): string {
  const each = Math.floor(room / turns.length);
  if (each < ROOM_FOR_WORDS) {
    const steps = turns.flatMap((turn) => turn.steps);
    return `Calls: ${tallyOf(steps, room) || 'none'}`;
  }
  const words = Math.floor((each - LABELS) / 3);
  return turns
    .map(({ input, steps, output }) =>
      [
        input === null ? '' : `User: ${show(input, words)}`,
        `Calls: ${show(tallyOf(steps, words), words) || 'none'}`,
        output === null ? 'No answer' : `Answer: ${show(output, words)}`,
      ]
        .filter((line) => line !== '')
        .join('\n'),
    )
    .join('\n\n');
}

function joined(parts: readonly Block[]): Block {
  return { text: parts.map(({ text }) => text).join(''), ids: parts.flatMap(({ ids }) => ids) };
}
