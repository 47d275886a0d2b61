import type { Session, Turn } from '../../core/session.ts';
import { type Passage, textOf } from './passage.ts';
import { tellingValuesIn, valuesIn } from './values.ts';

/** A passage that shares figures, ids or names with what the agent said or sent in a later turn. */
export interface Ground {
  readonly passage: Passage;
  /** Offsets in its text of what is shared, ascending. */
  readonly places: readonly number[];
}

/** What the agent can have a value from: found once for a session, and looked up for each of its turns. */
export interface Grounds {
  /** In turns before, the likeliest of them in the order of the session: always a few, however long the session is. */
  before(turn: number): readonly Ground[];
  /** In the turn itself, by the ids of its passages. */
  within(turn: number): ReadonlyMap<string, readonly number[]>;
}

/** As many passages of earlier turns are shown. */
const MOST_PASSAGES = 6;

/** Of the earlier passages that have a value, as many are looked at: the last ones. */
const MOST_MENTIONS = 8;

/** A value in more passages than this says nothing about where it comes from, if it is alone. */
const COMMON = 50;

/** Texts are read so far, in characters: grounds of any length, and the agent's own texts. */
const LONGEST_GROUND = 200_000;
const LONGEST_ANSWER = 20_000;
const LONGEST_ARGUMENTS = 4000;

/** Values of a turn that are looked up. */
const MOST_VALUES = 200;

interface Place {
  readonly turn: number;
  /** In the session. */
  readonly order: number;
  readonly passage: Passage;
}

interface Mention {
  readonly place: Place;
  readonly at: number;
}

/**
 * @param passagesOf all passages of a turn, by its index.
 * @param shown how many turns before have the user's messages shown anyway.
 */
export function groundsOf(session: Session, passagesOf: (turn: number) => readonly Passage[], shown: number): Grounds {
  const wanted = session.turns.map(valuesOf);
  const mentions = new Map<string, Mention[]>(wanted.flat().map((value) => [value, []]));
  let order = 0;
  for (const turn of session.turns.keys()) {
    for (const passage of passagesOf(turn)) if (passage.ground) note({ turn, order: order++, passage }, mentions);
  }

  /** The mentions of each value of a turn, and how many of them stand in turns before. */
  const split = function* (turn: number) {
    for (const value of wanted[turn] ?? []) {
      const all = mentions.get(value) ?? [];
      yield { all, before: countBefore(all, turn) };
    }
  };
  return {
    before(turn) {
      const found = new Map<Place, { score: number; places: number[] }>();
      for (const { all, before } of split(turn)) {
        for (const { place, at } of all.slice(Math.max(0, before - MOST_MENTIONS), before)) {
          if (place.passage.id.endsWith('.user') && place.turn >= turn - shown) continue;
          const ground = found.get(place) ?? { score: 0, places: [] };
          ground.score += 1 / before;
          ground.places.push(at);
          found.set(place, ground);
        }
      }
      return [...found]
        .filter(([, { score }]) => score >= 1 / COMMON)
        .sort(([a, { score: scoreA }], [b, { score: scoreB }]) => scoreB - scoreA || b.order - a.order)
        .slice(0, MOST_PASSAGES)
        .sort(([a], [b]) => a.order - b.order)
        .map(([{ passage }, { places }]) => ({ passage, places: ascending(places) }));
    },
    within(turn) {
      const found = new Map<string, number[]>();
      for (const { all, before } of split(turn)) {
        for (const { place, at } of all.slice(before, countBefore(all, turn + 1))) {
          found.set(place.passage.id, [...(found.get(place.passage.id) ?? []), at]);
        }
      }
      return new Map(Array.from(found, ([id, places]) => [id, ascending(places)]));
    },
  };
}

/** What says where it comes from, in what the agent answered and in the arguments of its calls. */
function valuesOf({ output, steps }: Turn): string[] {
  const values = new Set<string>();
  const add = (text: string, longest: number) => {
    for (const { value } of tellingValuesIn(text.slice(0, longest))) {
      if (values.size >= MOST_VALUES) return;
      values.add(value);
    }
  };
  add(output ?? '', LONGEST_ANSWER);
  for (const step of steps) {
    if (step.type === 'tool' && step.requestedBy === 'agent') add(textOf(step.arguments), LONGEST_ARGUMENTS);
  }
  return [...values];
}

/** Notes the first place of every value that is sought. */
function note(place: Place, mentions: ReadonlyMap<string, Mention[]>): void {
  for (const { value, at } of valuesIn(place.passage.text().slice(0, LONGEST_GROUND))) {
    const known = mentions.get(value);
    if (known && known.at(-1)?.place !== place) known.push({ place, at });
  }
}

/** Mentions stand in the order of their turns. */
function countBefore(mentions: readonly Mention[], turn: number): number {
  let low = 0;
  let high = mentions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((mentions[middle]?.place.turn ?? turn) < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ascending(places: readonly number[]): number[] {
  return [...new Set(places)].sort((a, b) => a - b);
}
