import { hash as digest } from 'node:crypto';
import { get, isObject } from '../../core/json.ts';
import { stripJsonComments } from '../../core/json-comments.ts';
import { isSidecar } from '../../core/trace-file-names.ts';

/** No secret: it only has to tell texts apart, and fast. */
export function hashBytes(bytes: Uint8Array): string {
  return digest('sha1', bytes);
}

/** In place of the hash of a sidecar that says nothing to who evaluates: it might as well not be there. */
export const EMPTY_SIDECAR_HASH = 'nothing';

/** Of all of a file that has a say in results: in a sidecar, what people think of results has none. */
export function contentHash(path: string, bytes: Uint8Array): string {
  if (!isSidecar(path)) return hashBytes(bytes);
  const sidecar = parseJsonc(bytes);
  // A trace of Turnwise's own may have such a name.
  if (!isObject(sidecar) || get(sidecar, 'turnwise') !== undefined) return hashBytes(bytes);
  const said = withoutFeedback(sidecar);
  return said === undefined ? EMPTY_SIDECAR_HASH : hashBytes(new TextEncoder().encode(JSON.stringify(said)));
}

function parseJsonc(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(stripJsonComments(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Only names what is spoken of. */
const IDENTIFYING_KEYS = new Set(['$schema', 'id', 'index']);

/** An entry, and those within it; undefined where only feedback is given. */
function withoutFeedback(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const said = Object.entries(entry).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'feedback') return [];
    if ((key !== 'turns' && key !== 'sessions') || !Array.isArray(value)) return [[key, value]];
    const entries = value.map(withoutFeedback).filter((one) => one !== undefined);
    return entries.length === 0 ? [] : [[key, entries]];
  });
  return said.every(([key]) => IDENTIFYING_KEYS.has(key)) ? undefined : Object.fromEntries(said);
}
