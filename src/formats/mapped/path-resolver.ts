import { asText, isObject } from '../../core/json.ts';
import type { Pointer } from '../../core/session.ts';
import { listSome } from '../../core/text/lists.ts';
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

/** The state of one path of the mapping in one file. */
interface PathLookup {
  readonly paths: readonly MappingPath[];
  /** Whether each path leads to at most one value. */
  readonly isOne: boolean;
  isMatched: boolean;
  /** The first location without a match, and the number of such locations. */
  firstMiss: MappedValue | null;
  missCount: number;
}

/**
 * Resolves the paths of a mapping in one file and records which of them never match. `key` is a path's key in the
 * mapping. A key with the value null counts as a match.
 */
export class PathResolver {
  readonly #lookups = new Map<string, PathLookup>();

  /** The first value of the first path with a match; null only if there is no other value. */
  first(key: string, paths: MappingPaths | undefined, from: MappedValue): MappedValue | undefined {
    if (paths === undefined) return undefined;
    const lookup = this.#lookup(key, paths);
    if (!lookup.isOne) return this.all(key, paths, from)[0];
    let none: MappedValue | undefined;
    for (const { tokens } of lookup.paths) {
      const located = valueAt(from, tokens);
      if (located) lookup.isMatched = true;
      if (located && located.value !== null) return located;
      none ??= located;
    }
    if (!lookup.isMatched) recordMiss(lookup, from);
    return none;
  }

  /** All values of the first path with a match other than null. */
  all(key: string, paths: MappingPaths | undefined, from: MappedValue): readonly MappedValue[] {
    if (paths === undefined) return [];
    const lookup = this.#lookup(key, paths);
    for (const { tokens } of lookup.paths) {
      const values = [...valuesAt(from, tokens)];
      if (values.length > 0) lookup.isMatched = true;
      const present = values.filter(({ value }) => value !== null);
      if (present.length > 0) return present;
    }
    if (!lookup.isMatched) recordMiss(lookup, from);
    return [];
  }

  /** The entries of the lists at a path; a value that is not a list is kept as it is. */
  entries(key: string, paths: MappingPaths | undefined, from: MappedValue): readonly MappedValue[] {
    return this.all(key, paths, from)
      .flatMap((located) => [...listEntries(located)])
      .filter(({ value }) => value !== null);
  }

  /** Several values are joined as lines. */
  text(key: string, paths: MappingPaths | undefined, from: MappedValue): LocatedText | null {
    if (paths === undefined) return null;
    if (!this.#lookup(key, paths).isOne) return joinTexts(this.all(key, paths, from).map(toText), from.pointer);
    const located = this.first(key, paths, from);
    return located && located.value !== null ? toText(located) : null;
  }

  /** An id or name as text; undefined for empty values, lists and objects. */
  id(key: string, paths: MappingPaths | undefined, from: MappedValue): string | undefined {
    const value = this.first(key, paths, from)?.value;
    return typeof value === 'object' ? undefined : asText(value) || undefined;
  }

  time(key: string, paths: MappingPaths | undefined, from: MappedValue): string | undefined {
    return preciseIsoTime(this.first(key, paths, from)?.value);
  }

  /** Adds a warning for each path without a match in the whole file. */
  warn(problems: Problems): void {
    for (const key of this.#lookups.keys()) {
      const { sentence, pointer = '' } = this.explain(key) ?? {};
      if (sentence) problems.warn('path-without-match', pointer, sentence);
    }
  }

  /** Explains a path without a match and what is there instead; undefined if it has a match or was not used. */
  explain(key: string): { readonly sentence: string; readonly pointer: Pointer } | undefined {
    const { isMatched = true, firstMiss = null, missCount = 0, paths = [] } = this.#lookups.get(key) ?? {};
    if (isMatched || !firstMiss) return undefined;
    const [nearest] = paths
      .map(({ tokens }) => longestMatch(firstMiss, tokens).match)
      .toSorted((a, b) => b.pointer.length - a.pointer.length);
    const { value, pointer } = nearest ?? firstMiss;
    const attempts = missCount === 1 ? 'in the one place searched' : `in any of the ${missCount} places searched`;
    const texts = paths.map(({ text }) => `"${text}"`).join(' or ');
    return {
      pointer,
      sentence: `No value at ${texts} (map.${key}) ${attempts}: ${describeValue(value)}. If this file has such a value, correct the path.`,
    };
  }

  #lookup(key: string, paths: MappingPaths): PathLookup {
    let lookup = this.#lookups.get(key);
    if (!lookup) {
      const parsed = parsePaths(paths);
      const isOne = parsed.every(({ tokens }) => !tokens.includes(null));
      lookup = { paths: parsed, isOne, isMatched: false, firstMiss: null, missCount: 0 };
      this.#lookups.set(key, lookup);
    }
    return lookup;
  }
}

function recordMiss(lookup: PathLookup, located: MappedValue): void {
  // An empty list does not count as a miss for a path into its entries.
  if (lookup.paths.some(({ tokens }) => tokens.includes(null) && longestMatch(located, tokens).isComplete))
    lookup.isMatched = true;
  lookup.firstMiss ??= located;
  lookup.missCount += 1;
}

function toText({ value, pointer }: MappedValue): LocatedText {
  return { text: typeof value === 'object' ? jsonText(value) : asText(value), pointer };
}

const MAX_NAMED_KEYS = 12;

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `there is a list of ${value.length}`;
  if (!isObject(value)) return `there is ${value === null ? 'null' : `a ${typeof value}`}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'there is an empty object';
  const names = keys.map((key) => (key.length > 40 ? `${key.slice(0, 39)}…` : key));
  return `the keys there are ${listSome(names, MAX_NAMED_KEYS)}`;
}
