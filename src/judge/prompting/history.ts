import type { Grounds } from './grounds.ts';
import type { Page } from './page.ts';
import type { Block } from './turn-rendering.ts';

/** So many turns before the one that is asked about are shown in short. */
export const HISTORY_TURNS = 3;

/** At most so many characters are shown of an earlier passage that the turn may rest on. */
const LONGEST_GROUND = 700;

/** With less room than this for the history and the turn, the passages of the history are shorter in proportion. */
const ROOM_FOR_ALL = 18_000;

/** @param room for the history and the turn. */
export function historyScale(room: number): number {
  return Math.min(1, Math.max(0, room) / ROOM_FOR_ALL);
}

/**
 * What came before a turn, in a size that does not grow with the session: earlier passages that the turn may rest on,
 * and the last turns.
 *
 * @param scale of the passages, those of the digests aside.
 */
export function historyBefore(
  index: number,
  digestOf: (index: number) => Block,
  grounds: Grounds,
  page: Page,
  scale: number,
): Block {
  const shared = grounds.before(index);
  const first = Math.max(0, index - HISTORY_TURNS);
  const turns = Array.from({ length: index - first }, (_, at) => digestOf(first + at));
  const blocks: string[] = [];
  if (shared.length > 0) {
    blocks.push(page.heading('Earlier passages that have figures, ids or names of this turn'));
    for (const { passage, places } of shared)
      blocks.push(page.alone(passage, Math.floor(LONGEST_GROUND * scale), places));
  }
  for (const [at, { text }] of turns.entries())
    blocks.push(page.heading(`Turn ${first + at + 1}, before, in short`), text);
  return {
    text: blocks.length === 0 ? '' : page.part(...blocks),
    ids: [...shared.map(({ passage }) => passage.id), ...turns.flatMap(({ ids }) => ids)],
  };
}
