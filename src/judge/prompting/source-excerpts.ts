import type { Session, Turn } from '../../core/session.ts';
import { type PromptExcerpt, toText } from './excerpt.ts';
import { extractDistinctiveValues, extractValues } from './text-values.ts';

/** An excerpt that shares figures, ids or names with what the agent wrote or sent in a later turn. */
export interface SourceExcerpt {
  readonly excerpt: PromptExcerpt;
  /** Offsets of the shared values in its text, ascending. */
  readonly offsets: readonly number[];
}

/** Where the agent's values may come from: computed once for a session, and looked up for each of its turns. */
export interface SourceExcerpts {
  /** The likeliest excerpts of earlier turns, in session order: always a few, however long the session is. */
  inEarlierTurns(turn: number): readonly SourceExcerpt[];
  /** Offsets in the turn itself, by the ids of its excerpts. */
  inTurn(turn: number): ReadonlyMap<string, readonly number[]>;
}

/** Excerpts of earlier turns that are shown. */
const MAX_EXCERPTS = 6;

/** Of the earlier excerpts that contain a value, only the last ones are considered. */
const MAX_MENTIONS = 8;

/** A single value in more excerpts than this says nothing about its source. */
const MAX_COMMON_MENTIONS = 50;

/** How much of a text is searched, in characters. */
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
 * @param excerptsOf all excerpts of a turn, by its index.
 * @param historyTurns number of earlier turns whose user messages are shown anyway.
 */
export function findSourceExcerpts(
  session: Session,
  excerptsOf: (turn: number) => readonly PromptExcerpt[],
  historyTurns: number,
): SourceExcerpts {
  const valuesByTurn = session.turns.map(turnValues);
  const mentions = new Map<string, ValueMention[]>(valuesByTurn.flat().map((value) => [value, []]));
  let order = 0;
  for (const turn of session.turns.keys()) {
    for (const excerpt of excerptsOf(turn))
      if (excerpt.isSource) recordMentions({ turn, order: order++, excerpt }, mentions);
  }

  /** The mentions of each value of a turn, and how many of them are in earlier turns. */
  const mentionsFor = function* (turn: number) {
    for (const value of valuesByTurn[turn] ?? []) {
      const all = mentions.get(value) ?? [];
      yield { all, before: countBefore(all, turn) };
    }
  };
  return {
    inEarlierTurns(turn) {
      const matches = new Map<IndexedExcerpt, { score: number; offsets: number[] }>();
      for (const { all, before } of mentionsFor(turn)) {
        for (const { indexed, offset } of all.slice(Math.max(0, before - MAX_MENTIONS), before)) {
          if (indexed.excerpt.id.endsWith('.user') && indexed.turn >= turn - historyTurns) continue;
          const match = matches.get(indexed) ?? { score: 0, offsets: [] };
          match.score += 1 / before;
          match.offsets.push(offset);
          matches.set(indexed, match);
        }
      }
      return [...matches]
        .filter(([, { score }]) => score >= 1 / MAX_COMMON_MENTIONS)
        .sort(([a, { score: scoreA }], [b, { score: scoreB }]) => scoreB - scoreA || b.order - a.order)
        .slice(0, MAX_EXCERPTS)
        .sort(([a], [b]) => a.order - b.order)
        .map(([{ excerpt }, { offsets }]) => ({ excerpt, offsets: sortUnique(offsets) }));
    },
    inTurn(turn) {
      const matches = new Map<string, number[]>();
      for (const { all, before } of mentionsFor(turn)) {
        for (const { indexed, offset } of all.slice(before, countBefore(all, turn + 1))) {
          matches.set(indexed.excerpt.id, [...(matches.get(indexed.excerpt.id) ?? []), offset]);
        }
      }
      return new Map(Array.from(matches, ([id, offsets]) => [id, sortUnique(offsets)]));
    },
  };
}

/** Distinctive values in the answer and in the arguments of the agent's calls. */
function turnValues({ output, steps }: Turn): string[] {
  const values = new Set<string>();
  const add = (text: string, maxLength: number) => {
    for (const { value } of extractDistinctiveValues(text.slice(0, maxLength))) {
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

/** Records the first offset of every value that is looked for. */
function recordMentions(indexed: IndexedExcerpt, mentions: ReadonlyMap<string, ValueMention[]>): void {
  for (const { value, offset } of extractValues(indexed.excerpt.text().slice(0, MAX_SOURCE_LENGTH))) {
    const earlier = mentions.get(value);
    if (earlier && earlier.at(-1)?.indexed !== indexed) earlier.push({ indexed, offset });
  }
}

/** Mentions are in the order of their turns. */
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

function sortUnique(offsets: readonly number[]): number[] {
  return [...new Set(offsets)].sort((a, b) => a - b);
}
