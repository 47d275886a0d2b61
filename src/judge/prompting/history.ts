import type { PromptWriter } from './prompt-writer.ts';
import type { SourceExcerpts } from './source-excerpts.ts';
import type { PromptBlock } from './turn-rendering.ts';

/** Number of turns before the judged one that are shown in short. */
export const HISTORY_TURNS = 3;

/** Of an earlier excerpt that the turn may depend on, in characters. */
const MAX_EXCERPT_LENGTH = 700;

/** With less room than this for the history and the turn, the excerpts of the history shrink in proportion. */
const FULL_SCALE_LENGTH = 18_000;

/** @param room for the history and the turn. */
export function historyScale(room: number): number {
  return Math.min(1, Math.max(0, room) / FULL_SCALE_LENGTH);
}

/**
 * What came before a turn, in a size that does not grow with the session: earlier excerpts that the turn may depend on, and the
 * last turns.
 *
 * @param scale of the excerpts, except those in the digests.
 */
export function renderHistory(
  index: number,
  digestFor: (index: number) => PromptBlock,
  sources: SourceExcerpts,
  writer: PromptWriter,
  scale: number,
): PromptBlock {
  const sourceExcerpts = sources.inEarlierTurns(index);
  const first = Math.max(0, index - HISTORY_TURNS);
  const turns = Array.from({ length: index - first }, (_, position) => digestFor(first + position));
  const blocks: string[] = [];
  if (sourceExcerpts.length > 0) {
    blocks.push(writer.heading('Earlier passages that have figures, ids or names of this turn'));
    for (const { excerpt, offsets } of sourceExcerpts)
      blocks.push(writer.standaloneExcerpt(excerpt, Math.floor(MAX_EXCERPT_LENGTH * scale), offsets));
  }
  for (const [position, { text }] of turns.entries())
    blocks.push(writer.heading(`Turn ${first + position + 1}, before, in short`), text);
  return {
    text: blocks.length === 0 ? '' : writer.part(...blocks),
    ids: [...sourceExcerpts.map(({ excerpt }) => excerpt.id), ...turns.flatMap(({ ids }) => ids)],
  };
}
