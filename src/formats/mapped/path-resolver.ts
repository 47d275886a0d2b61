import { asText, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { joinTexts, type LocatedText } from '../chat/messages/conversation.ts';
import type { Problems } from '../problems.ts';
import { preciseIsoTime } from '../spans/time.ts';
import { jsonText } from '../values.ts';
import type { MappingPaths } from './mapping.ts';
import {
  listEntries,
  longestMatch,
  type MappedValue,
  type MappingPath,
  parsePaths,
  valueAt,
  valuesAt,
} from './path.ts';

/** What became of one entry of the mapping in one file. */
interface PathLookup {
  readonly paths: readonly MappingPath[];
  /** Each of them leads to one value at most. */
  readonly isOne: boolean;
  isMatched: boolean;
  /** Where it was looked for in vain: the first place, and how many there were. */
  firstMiss: MappedValue | null;
  missCount: number;
}

/**
 * Follows the paths of a mapping in one file, and knows in the end which of them led nowhere. `key` is what a path is
 * called in the mapping. A key that is there with null has been found.
 */
export class PathResolver {
  readonly #sought = new Map<string, PathLookup>();

  /** The first value of the first path that leads to any; null only where there is nothing else. */
  first(key: string, paths: MappingPaths | undefined, from: MappedValue): MappedValue | undefined {
    if (paths === undefined) return undefined;
    const sought = this.#soughtBy(key, paths);
    if (!sought.isOne) return this.all(key, paths, from)[0];
    let none: MappedValue | undefined;
    for (const { tokens } of sought.paths) {
      const place = valueAt(from, tokens);
      if (place) sought.isMatched = true;
      if (place && place.value !== null) return place;
      none ??= place;
    }
    if (!sought.isMatched) recordMiss(sought, from);
    return none;
  }

  /** All values of the first path that leads to any but null. */
  all(key: string, paths: MappingPaths | undefined, from: MappedValue): readonly MappedValue[] {
    if (paths === undefined) return [];
    const sought = this.#soughtBy(key, paths);
    for (const { tokens } of sought.paths) {
      const places = [...valuesAt(from, tokens)];
      if (places.length > 0) sought.isMatched = true;
      const present = places.filter(({ value }) => value !== null);
      if (present.length > 0) return present;
    }
    if (!sought.isMatched) recordMiss(sought, from);
    return [];
  }

  /** What stands in the lists that a path leads to; a value that is no list stands for itself. */
  entries(key: string, paths: MappingPaths | undefined, from: MappedValue): readonly MappedValue[] {
    return this.all(key, paths, from)
      .flatMap((place) => [...listEntries(place)])
      .filter(({ value }) => value !== null);
  }

  /** Several values are lines of one text. */
  text(key: string, paths: MappingPaths | undefined, from: MappedValue): LocatedText | null {
    if (paths === undefined) return null;
    if (!this.#soughtBy(key, paths).isOne) return joinTexts(this.all(key, paths, from).map(located), from.pointer);
    const place = this.first(key, paths, from);
    return place && place.value !== null ? located(place) : null;
  }

  /** An id or a name, as text; undefined for what is empty, a list or an object. */
  id(key: string, paths: MappingPaths | undefined, from: MappedValue): string | undefined {
    const value = this.first(key, paths, from)?.value;
    return typeof value === 'object' ? undefined : asText(value) || undefined;
  }

  time(key: string, paths: MappingPaths | undefined, from: MappedValue): string | undefined {
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
    const {
      isMatched: found = true,
      firstMiss: missed = null,
      missCount: misses = 0,
      paths = [],
    } = this.#sought.get(key) ?? {};
    if (found || !missed) return undefined;
    const [nearest] = paths
      .map(({ tokens }) => longestMatch(missed, tokens).place)
      .toSorted((a, b) => b.pointer.length - a.pointer.length);
    const { value, pointer } = nearest ?? missed;
    const places = misses === 1 ? 'in the one place' : `in any of the ${misses} places`;
    const named = paths.map(({ text }) => `"${text}"`).join(' nor ');
    return {
      pointer,
      sentence: `Nothing is at ${named} (map.${key}) ${places} where it was looked for: ${describeValue(value)}. If this file has such a value, correct the path.`,
    };
  }

  #soughtBy(key: string, paths: MappingPaths): PathLookup {
    let sought = this.#sought.get(key);
    if (!sought) {
      const parsed = parsePaths(paths);
      const isOne = parsed.every(({ tokens }) => !tokens.includes(null));
      sought = { paths: parsed, isOne, isMatched: false, firstMiss: null, missCount: 0 };
      this.#sought.set(key, sought);
    }
    return sought;
  }
}

function recordMiss(sought: PathLookup, place: MappedValue): void {
  // An empty list proves nothing against a path that goes on with its entries.
  if (sought.paths.some(({ tokens }) => tokens.includes(null) && longestMatch(place, tokens).whole))
    sought.isMatched = true;
  sought.firstMiss ??= place;
  sought.missCount += 1;
}

function located({ value, pointer }: MappedValue): LocatedText {
  return { text: typeof value === 'object' ? jsonText(value) : asText(value), pointer };
}

/** Keys that are named. */
const MAX_NAMED_KEYS = 12;

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `there is a list of ${value.length}`;
  if (!isObject(value)) return `there is ${value === null ? 'null' : `a ${typeof value}`}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'there is an empty object';
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => (key.length > 40 ? `${key.slice(0, 39)}…` : key));
  const more = keys.length > MAX_NAMED_KEYS ? ` and ${keys.length - MAX_NAMED_KEYS} more` : '';
  return `the keys there are ${named.join(', ')}${more}`;
}
