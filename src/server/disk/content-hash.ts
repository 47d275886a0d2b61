import { hash as digest } from 'node:crypto';
import { get, isObject, parseJson } from '../../core/json.ts';
import { stripJsonComments } from '../../core/json-comments.ts';
import { isSidecar } from '../../core/trace-file-names.ts';

/** Not for security: only to tell contents apart, fast. */
export function hashBytes(bytes: Uint8Array): string {
  return digest('sha1', bytes);
}

/** Stands for a sidecar that does not affect the evaluation, as if it did not exist. */
export const EMPTY_SIDECAR_HASH = 'nothing';

/** A hash of what affects the results; a sidecar's feedback does not. */
export function contentHash(path: string, bytes: Uint8Array): string {
  if (!isSidecar(path)) return hashBytes(bytes);
  const sidecar = parseJsonc(bytes);
  // A trace in Turnwise's own format may have such a name.
  if (!isObject(sidecar) || get(sidecar, 'turnwise') !== undefined) return hashBytes(bytes);
  const relevant = withoutFeedback(sidecar);
  return relevant === undefined ? EMPTY_SIDECAR_HASH : hashBytes(new TextEncoder().encode(JSON.stringify(relevant)));
}

function parseJsonc(bytes: Uint8Array): unknown {
  return parseJson(stripJsonComments(new TextDecoder().decode(bytes)));
}

/** Keys that only identify an entry. */
const IDENTIFYING_KEYS = new Set(['$schema', 'id', 'index']);

/** An entry without feedback, with the entries inside it; undefined where it has nothing else. */
function withoutFeedback(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const relevant = Object.entries(entry).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'feedback') return [];
    if ((key !== 'turns' && key !== 'sessions') || !Array.isArray(value)) return [[key, value]];
    const entries = value.map(withoutFeedback).filter((entry) => entry !== undefined);
    return entries.length === 0 ? [] : [[key, entries]];
  });
  return relevant.every(([key]) => IDENTIFYING_KEYS.has(key)) ? undefined : Object.fromEntries(relevant);
}
