import { asText, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { joinTexts, type LocatedText } from '../messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { preciseIsoTime } from '../spans/time.ts';
import { jsonText } from '../values.ts';
import type { Paths } from './mapping.ts';
import { furthest, listed, type Path, type Place, pathsOf, valueAt, valuesAt } from './path.ts';

/** What became of one entry of the mapping in one file. */
interface Sought {
  readonly paths: readonly Path[];
  /** Each of them leads to one value at most. */
  readonly isOne: boolean;
  found: boolean;
  /** Where it was looked for in vain: the first place, and how many there were. */
  missed: Place | null;
  misses: number;
}

/**
 * Follows the paths of a mapping in one file, and knows in the end which of them led nowhere. `key` is what a path is
 * called in the mapping. A key that is there with null has been found.
 */
export class Follower {
  readonly #sought = new Map<string, Sought>();

  /** The first value of the first path that leads to any; null only where there is nothing else. */
  first(key: string, paths: Paths | undefined, from: Place): Place | undefined {
    if (paths === undefined) return undefined;
    const sought = this.#soughtBy(key, paths);
    if (!sought.isOne) return this.all(key, paths, from)[0];
    let none: Place | undefined;
    for (const { tokens } of sought.paths) {
      const place = valueAt(from, tokens);
      if (place) sought.found = true;
      if (place && place.value !== null) return place;
      none ??= place;
    }
    if (!sought.found) miss(sought, from);
    return none;
  }

  /** All values of the first path that leads to any but null. */
  all(key: string, paths: Paths | undefined, from: Place): readonly Place[] {
    if (paths === undefined) return [];
    const sought = this.#soughtBy(key, paths);
    for (const { tokens } of sought.paths) {
      const places = [...valuesAt(from, tokens)];
      if (places.length > 0) sought.found = true;
      const present = places.filter(({ value }) => value !== null);
      if (present.length > 0) return present;
    }
    if (!sought.found) miss(sought, from);
    return [];
  }

  /** What stands in the lists that a path leads to; a value that is no list stands for itself. */
  entries(key: string, paths: Paths | undefined, from: Place): readonly Place[] {
    return this.all(key, paths, from)
      .flatMap((place) => [...listed(place)])
      .filter(({ value }) => value !== null);
  }

  /** Several values are lines of one text. */
  text(key: string, paths: Paths | undefined, from: Place): LocatedText | null {
    if (paths === undefined) return null;
    if (!this.#soughtBy(key, paths).isOne) return joinTexts(this.all(key, paths, from).map(located), from.pointer);
    const place = this.first(key, paths, from);
    return place && place.value !== null ? located(place) : null;
  }

  /** An id or a name, as text; undefined for what is empty, a list or an object. */
  id(key: string, paths: Paths | undefined, from: Place): string | undefined {
    const value = this.first(key, paths, from)?.value;
    return typeof value === 'object' ? undefined : asText(value) || undefined;
  }

  time(key: string, paths: Paths | undefined, from: Place): string | undefined {
    return preciseIsoTime(this.first(key, paths, from)?.value);
  }

  /** A sentence for each path that has led nowhere in the whole file. */
  warn(problems: Problems): void {
    for (const key of this.#sought.keys()) {
      const { sentence, pointer = '' } = this.explain(key) ?? {};
      if (sentence) problems.warn('path-without-match', pointer, sentence);
    }
  }

  /** What a path did not find, and what is there instead; undefined when it has found something, or was not needed. */
  explain(key: string): { readonly sentence: string; readonly pointer: Pointer } | undefined {
    const { found = true, missed = null, misses = 0, paths = [] } = this.#sought.get(key) ?? {};
    if (found || !missed) return undefined;
    const [nearest] = paths
      .map(({ tokens }) => furthest(missed, tokens).place)
      .toSorted((a, b) => b.pointer.length - a.pointer.length);
    const { value, pointer } = nearest ?? missed;
    const places = misses === 1 ? 'in the one place' : `in any of the ${misses} places`;
    const named = paths.map(({ text }) => `"${text}"`).join(' nor ');
    return {
      pointer,
      sentence: `Nothing is at ${named} (map.${key}) ${places} where it was looked for: ${seen(value)}. If this file has such a value, correct the path.`,
    };
  }

  #soughtBy(key: string, paths: Paths): Sought {
    let sought = this.#sought.get(key);
    if (!sought) {
      const parsed = pathsOf(paths);
      const isOne = parsed.every(({ tokens }) => !tokens.includes(null));
      sought = { paths: parsed, isOne, found: false, missed: null, misses: 0 };
      this.#sought.set(key, sought);
    }
    return sought;
  }
}

function miss(sought: Sought, place: Place): void {
  // An empty list proves nothing against a path that goes on with its entries.
  if (sought.paths.some(({ tokens }) => tokens.includes(null) && furthest(place, tokens).whole)) sought.found = true;
  sought.missed ??= place;
  sought.misses += 1;
}

function located({ value, pointer }: Place): LocatedText {
  return { text: typeof value === 'object' ? jsonText(value) : asText(value), pointer };
}

/** Keys that are named. */
const NAMED = 12;

function seen(value: unknown): string {
  if (Array.isArray(value)) return `there is a list of ${value.length}`;
  if (!isObject(value)) return `there is ${value === null ? 'null' : `a ${typeof value}`}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'there is an empty object';
  const named = keys.slice(0, NAMED).map((key) => (key.length > 40 ? `${key.slice(0, 39)}…` : key));
  const more = keys.length > NAMED ? ` and ${keys.length - NAMED} more` : '';
  return `the keys there are ${named.join(', ')}${more}`;
}
