import { get, isObject } from '../../core/json.ts';
import { childPointer, pointerTokens } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { parseQuotedJson } from '../chat/messages/dialects.ts';

/** The name of a key or the index in a list; null: every entry of a list or an object. */
type PathToken = string | null;

/** A path of a mapping, step by step. */
export interface MappingPath {
  readonly text: string;
  readonly tokens: readonly PathToken[];
}

/** A value of the file and where it stands. */
export interface MappedValue {
  readonly value: unknown;
  /** Of a value inside JSON text: that of the text. */
  readonly pointer: Pointer;
  readonly isInText: boolean;
}

/**
 * A path as a person writes it: a JSON pointer (`/a/b/0`), or names with dots, `[0]` for one entry of a list, `[*]` or
 * `*` for each. The empty path leads to the value itself.
 *
 * @returns a sentence's end that begins with "must" for what is no path.
 */
export function parsePath(text: string): MappingPath | string {
  if (text === '' || text.startsWith('/')) return parsePointer(text);
  if (/^\$(?=[.[]|$)/.test(text)) return 'must not begin with "$": every path begins at the value that it is about';
  const parts = /^(?:[^.[\]]+|\[(?:\*|\d+)\])(?:\.[^.[\]]+|\[(?:\*|\d+)\])*$/.test(text)
    ? [...text.matchAll(/[^.[\]]+/g)].map(([part]) => part)
    : null;
  return parts ? { text, tokens: parts.map((part) => (part === '*' ? null : part)) } : PATH_SYNTAX;
}

const PATH_SYNTAX = 'must be names with dots, such as "a.b[0]" or "a[*].b", or a JSON pointer, such as "/a/b/0"';

function parsePointer(text: string): MappingPath | string {
  if (/~(?![01])/.test(text)) return 'must have ~0 for each "~" in a name, and ~1 for each "/": it is a JSON pointer';
  return { text, tokens: pointerTokens(text) };
}

/** What the checked paths of a mapping mean. */
export function parsePaths(texts: string | readonly string[]): readonly MappingPath[] {
  return [texts].flat().flatMap((text) => {
    const path = parsePath(text);
    return typeof path === 'string' ? [] : path;
  });
}

/** The value that a path without each leads to. */
export function valueAt(from: MappedValue, tokens: MappingPath['tokens']): MappedValue | undefined {
  let place: MappedValue | undefined = from;
  for (const token of tokens) if (place && token !== null) place = childOf(place, token);
  return place;
}

/** The values that a path leads to. Steps into JSON text as if it were part of the file. */
export function* valuesAt(start: MappedValue, tokens: MappingPath['tokens']): Generator<MappedValue, undefined> {
  let place = start;
  for (const [index, token] of tokens.entries()) {
    if (token === null) {
      for (const entry of entriesOf(place)) yield* valuesAt(entry, tokens.slice(index + 1));
      return;
    }
    const inner = childOf(place, token);
    if (!inner) return;
    place = inner;
  }
  yield place;
}

/** The values of the first path that leads to any. */
export function* valuesOf(paths: string | readonly string[], from: MappedValue): Generator<MappedValue, undefined> {
  for (const { tokens } of parsePaths(paths)) {
    let found = false;
    for (const place of valuesAt(from, tokens)) {
      found = true;
      yield place;
    }
    if (found) return;
  }
}

/** How far a path can be followed, by the first of each entries. */
export function longestMatch(
  place: MappedValue,
  tokens: MappingPath['tokens'],
): { readonly place: MappedValue; readonly whole: boolean } {
  let reached = place;
  for (const token of tokens) {
    const next = token === null ? entriesOf(reached).next().value : childOf(reached, token);
    if (!next)
      return { place: unwrapJsonText(reached), whole: token === null && isEmpty(unwrapJsonText(reached).value) };
    reached = next;
  }
  return { place: unwrapJsonText(reached), whole: true };
}

/** The entries of a list or the values of an object. Of JSON Lines: without those that are blank or broken. */
function* entriesOf(place: MappedValue): Generator<MappedValue, undefined> {
  const { value, pointer, isInText: quoted } = unwrapJsonText(place);
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (entry !== undefined)
        yield { value: entry, pointer: quoted ? pointer : `${pointer}/${index}`, isInText: quoted };
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      yield { value: get(value, key), pointer: quoted ? pointer : childPointer(pointer, key), isInText: quoted };
    }
  }
}

/** The entries of a list; everything else stands for itself. */
export function* listEntries(place: MappedValue): Generator<MappedValue, undefined> {
  if (Array.isArray(unwrapJsonText(place).value)) yield* entriesOf(place);
  else yield place;
}

function childOf(place: MappedValue, token: string): MappedValue | undefined {
  const { value, pointer, isInText: quoted } = unwrapJsonText(place);
  const inner = Array.isArray(value) ? entryAt(value, token) : get(value, token);
  return inner === undefined
    ? undefined
    : { value: inner, pointer: quoted ? pointer : childPointer(pointer, token), isInText: quoted };
}

function entryAt(list: readonly unknown[], token: string): unknown {
  return /^(?:0|[1-9]\d*)$/.test(token) ? list[Number(token)] : undefined;
}

/** What JSON text holds; every other value as it is. */
export function unwrapJsonText(place: MappedValue): MappedValue {
  if (typeof place.value !== 'string') return place;
  const value = parseQuotedJson(place.value);
  return typeof value === 'string' ? place : { ...place, value, isInText: true };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
