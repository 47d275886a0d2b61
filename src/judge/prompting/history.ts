import type { Grounds } from './grounds.ts';
import type { Page } from './page.ts';
import type { Block } from './turn-rendering.ts';

/** So many turns before the one that is asked about are shown in short. */
export const HISTORY_TURNS = 3;

/** At most so many characters are shown of an earlier passage that the turn may rest on. */
const LONGEST_GROUND = 700;

/**
 * What came before a turn, in a size that does not grow with the session: earlier passages that the turn may rest on,
 * and the last turns.
 */
export function historyBefore(index: number, digestOf: (index: number) => Block, grounds: Grounds, page: Page): Block {
  const shared = grounds.before(index);
  const first = Math.max(0, index - HISTORY_TURNS);
  const turns = Array.from({ length: index - first }, (_, at) => digestOf(first + at));
  const blocks: string[] = [];
  if (shared.length > 0) {
    blocks.push(page.heading('Earlier passages that have figures, ids or names of this turn'));
    for (const { passage, places } of shared) blocks.push(page.passage(passage, LONGEST_GROUND, places));
  }
  for (const [at, { text }] of turns.entries())
    blocks.push(page.heading(`Turn ${first + at + 1}, before, in short`), text);
  return {
    text: blocks.length === 0 ? '' : page.part(...blocks),
    ids: [...shared.map(({ passage }) => passage.id), ...turns.flatMap(({ ids }) => ids)],
  };
}
