import type { PromptWriter } from './prompt-writer.ts';
import type { SourceExcerpt, SourceExcerpts } from './source-excerpts.ts';
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

/** Earlier excerpts that a turn may depend on. @param of names the turn @returns nothing, if there is none */
export function renderSources(
  excerpts: readonly SourceExcerpt[],
  of: string,
  writer: PromptWriter,
  scale: number,
): string[] {
  if (excerpts.length === 0) return [];
  const limit = Math.floor(MAX_EXCERPT_LENGTH * scale);
  return [
    writer.heading(`Earlier passages that have figures, ids or names of ${of}`),
    ...excerpts.map(({ excerpt, offsets }) => writer.standaloneExcerpt(excerpt, limit, offsets)),
  ];
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
  const blocks = renderSources(sourceExcerpts, 'this turn', writer, scale);
  for (const [position, { text }] of turns.entries())
    blocks.push(writer.heading(`Turn ${first + position + 1}, before, in short`), text);
  return {
    text: blocks.length === 0 ? '' : writer.part(...blocks),
    ids: [...sourceExcerpts.map(({ excerpt }) => excerpt.id), ...turns.flatMap(({ ids }) => ids)],
  };
}
