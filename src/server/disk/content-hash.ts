import { hash as digest } from 'node:crypto';
import { get, isObject } from '../../core/json.ts';
import { stripJsonComments } from '../../core/json-comments.ts';
import { isSidecar } from '../../core/trace-file-names.ts';

/** No secret: it only has to tell texts apart, and fast. */
export function hashOf(bytes: Uint8Array): string {
  return digest('sha1', bytes);
}

/** In place of the hash of a sidecar that says nothing to who evaluates: it might as well not be there. */
export const SAYS_NOTHING = 'nothing';

/** Of all of a file that has a say in results: in a sidecar, what people think of results has none. */
export function contentHash(path: string, bytes: Uint8Array): string {
  if (!isSidecar(path)) return hashOf(bytes);
  const sidecar = parsed(bytes);
  // A trace of Turnwise's own may have such a name.
  if (!isObject(sidecar) || get(sidecar, 'turnwise') !== undefined) return hashOf(bytes);
  const said = withoutFeedback(sidecar);
  return said === undefined ? SAYS_NOTHING : hashOf(new TextEncoder().encode(JSON.stringify(said)));
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(stripJsonComments(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Only names what is spoken of. */
const NAMES = new Set(['$schema', 'id', 'index']);

/** An entry, and those within it; undefined where only feedback is given. */
function withoutFeedback(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const said = Object.entries(entry).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'feedback') return [];
    if ((key !== 'turns' && key !== 'sessions') || !Array.isArray(value)) return [[key, value]];
    const entries = value.map(withoutFeedback).filter((one) => one !== undefined);
    return entries.length === 0 ? [] : [[key, entries]];
  });
  return said.every(([key]) => NAMES.has(key)) ? undefined : Object.fromEntries(said);
}
