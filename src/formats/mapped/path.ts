import { get, isObject } from '../../core/json.ts';
import { childPointer, pointerTokens } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { parseQuotedJson } from '../messages/dialects.ts';

/** The name of a key or the index in a list; null: every entry of a list or an object. */
type Token = string | null;

/** A path of a mapping, step by step. */
export interface Path {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** A value of the file and where it stands. */
export interface Place {
  readonly value: unknown;
  /** Of a value inside JSON text: that of the text. */
  readonly pointer: Pointer;
  readonly quoted: boolean;
}

/**
 * A path as a person writes it: a JSON pointer (`/a/b/0`), or names with dots, `[0]` for one entry of a list, `[*]` or
 * `*` for each. The empty path leads to the value itself.
 *
 * @returns a sentence's end that begins with "must" for what is no path.
 */
export function parsePath(text: string): Path | string {
  if (text === '' || text.startsWith('/')) return parsePointer(text);
  if (/^\$(?=[.[]|$)/.test(text)) return 'must not begin with "$": every path begins at the value that it is about';
  const parts = /^(?:[^.[\]]+|\[(?:\*|\d+)\])(?:\.[^.[\]]+|\[(?:\*|\d+)\])*$/.test(text)
    ? [...text.matchAll(/[^.[\]]+/g)].map(([part]) => part)
    : null;
  return parts ? { text, tokens: parts.map((part) => (part === '*' ? null : part)) } : NO_PATH;
}

const NO_PATH = 'must be names with dots, such as "a.b[0]" or "a[*].b", or a JSON pointer, such as "/a/b/0"';

function parsePointer(text: string): Path | string {
  if (/~(?![01])/.test(text)) return 'must have ~0 for each "~" in a name, and ~1 for each "/": it is a JSON pointer';
  return { text, tokens: pointerTokens(text) };
}

/** What the checked paths of a mapping mean. */
export function pathsOf(texts: string | readonly string[]): readonly Path[] {
  return [texts].flat().flatMap((text) => {
    const path = parsePath(text);
    return typeof path === 'string' ? [] : path;
  });
}

/** The value that a path without each leads to. */
export function valueAt(from: Place, tokens: Path['tokens']): Place | undefined {
  let place: Place | undefined = from;
  for (const token of tokens) if (place && token !== null) place = within(place, token);
  return place;
}

/** The values that a path leads to. Steps into JSON text as if it were part of the file. */
export function* valuesAt(start: Place, tokens: Path['tokens']): Generator<Place, undefined> {
  let place = start;
  for (const [index, token] of tokens.entries()) {
    if (token === null) {
      for (const entry of entriesOf(place)) yield* valuesAt(entry, tokens.slice(index + 1));
      return;
    }
    const inner = within(place, token);
    if (!inner) return;
    place = inner;
  }
  yield place;
}

/** The values of the first path that leads to any. */
export function* valuesOf(paths: string | readonly string[], from: Place): Generator<Place, undefined> {
  for (const { tokens } of pathsOf(paths)) {
    let found = false;
    for (const place of valuesAt(from, tokens)) {
      found = true;
      yield place;
    }
    if (found) return;
  }
}

/** How far a path can be followed, by the first of each entries. */
export function furthest(place: Place, tokens: Path['tokens']): { readonly place: Place; readonly whole: boolean } {
  let reached = place;
  for (const token of tokens) {
    const next = token === null ? entriesOf(reached).next().value : within(reached, token);
    if (!next) return { place: opened(reached), whole: token === null && isEmpty(opened(reached).value) };
    reached = next;
  }
  return { place: opened(reached), whole: true };
}

/** The entries of a list or the values of an object. Of JSON Lines: without those that are blank or broken. */
function* entriesOf(place: Place): Generator<Place, undefined> {
  const { value, pointer, quoted } = opened(place);
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (entry !== undefined) yield { value: entry, pointer: quoted ? pointer : `${pointer}/${index}`, quoted };
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      yield { value: get(value, key), pointer: quoted ? pointer : childPointer(pointer, key), quoted };
    }
  }
}

/** The entries of a list; everything else stands for itself. */
export function* listed(place: Place): Generator<Place, undefined> {
  if (Array.isArray(opened(place).value)) yield* entriesOf(place);
  else yield place;
}

function within(place: Place, token: string): Place | undefined {
  const { value, pointer, quoted } = opened(place);
  const inner = Array.isArray(value) ? entryAt(value, token) : get(value, token);
  return inner === undefined
    ? undefined
    : { value: inner, pointer: quoted ? pointer : childPointer(pointer, token), quoted };
}

function entryAt(list: readonly unknown[], token: string): unknown {
  return /^(?:0|[1-9]\d*)$/.test(token) ? list[Number(token)] : undefined;
}

/** What JSON text holds; every other value as it is. */
export function opened(place: Place): Place {
  if (typeof place.value !== 'string') return place;
  const value = parseQuotedJson(place.value);
  return typeof value === 'string' ? place : { ...place, value, quoted: true };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
