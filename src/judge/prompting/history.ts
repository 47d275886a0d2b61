import type { PromptWriter } from './prompt-writer.ts';
import type { SourceExcerpts } from './source-excerpts.ts';
import type { PromptBlock } from './turn-rendering.ts';

/** So many turns before the one that is asked about are shown in short. */
export const HISTORY_TURNS = 3;

/** At most so many characters are shown of an earlier passage that the turn may rest on. */
const MAX_EXCERPT_LENGTH = 700;

/** With less room than this for the history and the turn, the passages of the history are shorter in proportion. */
const FULL_SCALE_LENGTH = 18_000;

/** @param room for the history and the turn. */
export function historyScale(room: number): number {
  return Math.min(1, Math.max(0, room) / FULL_SCALE_LENGTH);
}

/**
 * What came before a turn, in a size that does not grow with the session: earlier passages that the turn may rest on,
 * and the last turns.
 *
 * @param scale of the passages, those of the digests aside.
 */
export function renderHistory(
  index: number,
  digestOf: (index: number) => PromptBlock,
  grounds: SourceExcerpts,
  page: PromptWriter,
  scale: number,
): PromptBlock {
  const shared = grounds.inEarlierTurns(index);
  const first = Math.max(0, index - HISTORY_TURNS);
  const turns = Array.from({ length: index - first }, (_, at) => digestOf(first + at));
  const blocks: string[] = [];
  if (shared.length > 0) {
    blocks.push(page.heading('Earlier passages that have figures, ids or names of this turn'));
    for (const { excerpt: passage, offsets: places } of shared)
      blocks.push(page.standaloneExcerpt(passage, Math.floor(MAX_EXCERPT_LENGTH * scale), places));
  }
  for (const [at, { text }] of turns.entries())
    blocks.push(page.heading(`Turn ${first + at + 1}, before, in short`), text);
  return {
    text: blocks.length === 0 ? '' : page.part(...blocks),
    ids: [...shared.map(({ excerpt: passage }) => passage.id), ...turns.flatMap(({ ids }) => ids)],
  };
}
