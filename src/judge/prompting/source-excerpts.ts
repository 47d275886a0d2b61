import type { Session, Turn } from '../../core/session.ts';
import { type PromptExcerpt, toText } from './excerpt.ts';
import { extractDistinctiveValues, extractValues } from './text-values.ts';

/** A passage that shares figures, ids or names with what the agent said or sent in a later turn. */
export interface SourceExcerpt {
  readonly excerpt: PromptExcerpt;
  /** Offsets in its text of what is shared, ascending. */
  readonly offsets: readonly number[];
}

/** What the agent can have a value from: found once for a session, and looked up for each of its turns. */
export interface SourceExcerpts {
  /** In turns before, the likeliest of them in the order of the session: always a few, however long the session is. */
  inEarlierTurns(turn: number): readonly SourceExcerpt[];
  /** In the turn itself, by the ids of its passages. */
  inTurn(turn: number): ReadonlyMap<string, readonly number[]>;
}

/** As many passages of earlier turns are shown. */
const MAX_EXCERPTS = 6;

/** Of the earlier passages that have a value, as many are looked at: the last ones. */
const MAX_MENTIONS = 8;

/** A value in more passages than this says nothing about where it comes from, if it is alone. */
const MAX_COMMON_MENTIONS = 50;

/** Texts are read so far, in characters: grounds of any length, and the agent's own texts. */
const MAX_SOURCE_LENGTH = 200_000;
const MAX_ANSWER_LENGTH = 20_000;
const MAX_ARGUMENTS_LENGTH = 4000;

/** Values of a turn that are looked up. */
const MAX_VALUES = 200;

interface IndexedExcerpt {
  readonly turn: number;
  /** In the session. */
  readonly order: number;
  readonly excerpt: PromptExcerpt;
}

interface ValueMention {
  readonly indexed: IndexedExcerpt;
  readonly offset: number;
}

/**
 * @param passagesOf all passages of a turn, by its index.
 * @param shown how many turns before have the user's messages shown anyway.
 */
export function findSourceExcerpts(
  session: Session,
  passagesOf: (turn: number) => readonly PromptExcerpt[],
  shown: number,
): SourceExcerpts {
  const wanted = session.turns.map(turnValues);
  const mentions = new Map<string, ValueMention[]>(wanted.flat().map((value) => [value, []]));
  let order = 0;
  for (const turn of session.turns.keys()) {
    for (const passage of passagesOf(turn))
      if (passage.isSource) recordMentions({ turn, order: order++, excerpt: passage }, mentions);
  }

  /** The mentions of each value of a turn, and how many of them stand in turns before. */
  const split = function* (turn: number) {
    for (const value of wanted[turn] ?? []) {
      const all = mentions.get(value) ?? [];
      yield { all, before: countBefore(all, turn) };
    }
  };
  return {
    inEarlierTurns(turn) {
      const found = new Map<IndexedExcerpt, { score: number; offsets: number[] }>();
      for (const { all, before } of split(turn)) {
        for (const { indexed: place, offset: at } of all.slice(Math.max(0, before - MAX_MENTIONS), before)) {
          if (place.excerpt.id.endsWith('.user') && place.turn >= turn - shown) continue;
          const ground = found.get(place) ?? { score: 0, offsets: [] };
          ground.score += 1 / before;
          ground.offsets.push(at);
          found.set(place, ground);
        }
      }
      return [...found]
        .filter(([, { score }]) => score >= 1 / MAX_COMMON_MENTIONS)
        .sort(([a, { score: scoreA }], [b, { score: scoreB }]) => scoreB - scoreA || b.order - a.order)
        .slice(0, MAX_EXCERPTS)
        .sort(([a], [b]) => a.order - b.order)
        .map(([{ excerpt: passage }, { offsets: places }]) => ({ excerpt: passage, offsets: sortUnique(places) }));
    },
    inTurn(turn) {
      const found = new Map<string, number[]>();
      for (const { all, before } of split(turn)) {
        for (const { indexed: place, offset: at } of all.slice(before, countBefore(all, turn + 1))) {
          found.set(place.excerpt.id, [...(found.get(place.excerpt.id) ?? []), at]);
        }
      }
      return new Map(Array.from(found, ([id, places]) => [id, sortUnique(places)]));
    },
  };
}

/** What says where it comes from, in what the agent answered and in the arguments of its calls. */
function turnValues({ output, steps }: Turn): string[] {
  const values = new Set<string>();
  const add = (text: string, longest: number) => {
    for (const { value } of extractDistinctiveValues(text.slice(0, longest))) {
      if (values.size >= MAX_VALUES) return;
      values.add(value);
    }
  };
  add(output ?? '', MAX_ANSWER_LENGTH);
  for (const step of steps) {
    if (step.type === 'tool' && step.requestedBy === 'agent') add(toText(step.arguments), MAX_ARGUMENTS_LENGTH);
  }
  return [...values];
}

/** Notes the first place of every value that is sought. */
function recordMentions(place: IndexedExcerpt, mentions: ReadonlyMap<string, ValueMention[]>): void {
  for (const { value, offset: at } of extractValues(place.excerpt.text().slice(0, MAX_SOURCE_LENGTH))) {
    const known = mentions.get(value);
    if (known && known.at(-1)?.indexed !== place) known.push({ indexed: place, offset: at });
  }
}

/** Mentions stand in the order of their turns. */
function countBefore(mentions: readonly ValueMention[], turn: number): number {
  let low = 0;
  let high = mentions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((mentions[middle]?.indexed.turn ?? turn) < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sortUnique(places: readonly number[]): number[] {
  return [...new Set(places)].sort((a, b) => a - b);
}
