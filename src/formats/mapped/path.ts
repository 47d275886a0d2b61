import { get, isObject } from '../../core/json.ts';
import { childPointer, pointerTokens } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';

/** A key or a list index; null for every entry of a list or object. */
type PathToken = string | null;

/** A parsed path of a mapping. */
export interface MappingPath {
  readonly text: string;
  readonly tokens: readonly PathToken[];
}

/** A value with its location in the file. */
export interface MappedValue {
  readonly value: unknown;
  /** For a value inside JSON text: the pointer of the text. */
  readonly pointer: Pointer;
  readonly isInText: boolean;
}

/**
 * Parses a path: a JSON pointer (`/a/b/0`), or names with dots, `[0]` for one entry of a list, `[*]` or `*` for each.
 * The empty path is the value itself.
 *
 * @returns for an invalid path, a message that starts with "must".
 */
export function parsePath(text: string): MappingPath | string {
  if (text === '' || text.startsWith('/')) return parsePointer(text);
  if (/^\$(?=[.[]|$)/.test(text)) return 'must not begin with "$": paths are relative to the value that they describe';
  const parts = /^(?:[^.[\]]+|\[(?:\*|\d+)\])(?:\.[^.[\]]+|\[(?:\*|\d+)\])*$/.test(text)
    ? [...text.matchAll(/[^.[\]]+/g)].map(([part]) => part)
    : null;
  return parts ? { text, tokens: parts.map((part) => (part === '*' ? null : part)) } : PATH_SYNTAX;
}

const PATH_SYNTAX = 'must be names with dots, such as "a.b[0]" or "a[*].b", or a JSON pointer, such as "/a/b/0"';

function parsePointer(text: string): MappingPath | string {
  if (/~(?![01])/.test(text)) return 'must escape "~" as ~0 and "/" as ~1 in names of a JSON pointer';
  return { text, tokens: pointerTokens(text) };
}

/** Parses validated paths. */
export function parsePaths(texts: string | readonly string[]): readonly MappingPath[] {
  return [texts].flat().flatMap((text) => {
    const path = parsePath(text);
    return typeof path === 'string' ? [] : path;
  });
}

/** The value at a path without wildcards. */
export function valueAt(from: MappedValue, tokens: MappingPath['tokens']): MappedValue | undefined {
  let located: MappedValue | undefined = from;
  for (const token of tokens) if (located && token !== null) located = childOf(located, token);
  return located;
}

/** The values at a path. JSON text is parsed as if it were part of the file. */
export function* valuesAt(start: MappedValue, tokens: MappingPath['tokens']): Generator<MappedValue, undefined> {
  let located = start;
  for (const [index, token] of tokens.entries()) {
    if (token === null) {
      for (const entry of entriesOf(located)) yield* valuesAt(entry, tokens.slice(index + 1));
      return;
    }
    const inner = childOf(located, token);
    if (!inner) return;
    located = inner;
  }
  yield located;
}

/** The values of the first path with a match. */
export function* valuesOf(paths: string | readonly string[], from: MappedValue): Generator<MappedValue, undefined> {
  for (const { tokens } of parsePaths(paths)) {
    let hasMatch = false;
    for (const located of valuesAt(from, tokens)) {
      hasMatch = true;
      yield located;
    }
    if (hasMatch) return;
  }
}

/** The longest part of a path that exists, using the first entry for each wildcard. */
export function longestMatch(
  located: MappedValue,
  tokens: MappingPath['tokens'],
): { readonly match: MappedValue; readonly isComplete: boolean } {
  let reached = located;
  for (const token of tokens) {
    const next = token === null ? entriesOf(reached).next().value : childOf(reached, token);
    if (!next)
      return { match: unwrapJsonText(reached), isComplete: token === null && isEmpty(unwrapJsonText(reached).value) };
    reached = next;
  }
  return { match: unwrapJsonText(reached), isComplete: true };
}

/** The entries of a list or the values of an object, without blank or broken lines of JSON Lines. */
function* entriesOf(located: MappedValue): Generator<MappedValue, undefined> {
  const { value, pointer, isInText } = unwrapJsonText(located);
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (entry !== undefined) yield { value: entry, pointer: isInText ? pointer : `${pointer}/${index}`, isInText };
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      yield { value: get(value, key), pointer: isInText ? pointer : childPointer(pointer, key), isInText };
    }
  }
}

/** The entries of a list; other values are kept as they are. */
export function* listEntries(located: MappedValue): Generator<MappedValue, undefined> {
  if (Array.isArray(unwrapJsonText(located).value)) yield* entriesOf(located);
  else yield located;
}

function childOf(located: MappedValue, token: string): MappedValue | undefined {
  const { value, pointer, isInText } = unwrapJsonText(located);
  const inner = Array.isArray(value) ? entryAt(value, token) : get(value, token);
  return inner === undefined
    ? undefined
    : { value: inner, pointer: isInText ? pointer : childPointer(pointer, token), isInText };
}

function entryAt(list: readonly unknown[], token: string): unknown {
  return /^(?:0|[1-9]\d*)$/.test(token) ? list[Number(token)] : undefined;
}

/** Parses JSON text; other values are kept as they are. */
export function unwrapJsonText(located: MappedValue): MappedValue {
  if (typeof located.value !== 'string') return located;
  const value = parseQuotedJson(located.value);
  return typeof value === 'string' ? located : { ...located, value, isInText: true };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
