import { isObject } from '../../core/json.ts';

/** Approximate length of a chunk in characters. */
const CHUNK_LENGTH = 64_000;

/** How deep large values may be (the turns of a session, in the results of a file). Deeper values are never split. */
const MAX_DEPTH = 6;

type JsonReplacer = (key: string, part: unknown) => unknown;

/**
 * `JSON.stringify` in chunks, for values without functions and dates: the caller can yield between them and never
 * holds the whole text.
 *
 * @param replacing like the replacer of `JSON.stringify`.
 */
export function* jsonChunks(value: unknown, replacing: JsonReplacer): Generator<string> {
  let piece = '';
  for (const part of jsonParts(value, replacing, MAX_DEPTH)) {
    piece += part;
    if (piece.length < CHUNK_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* jsonParts(value: unknown, replacing: JsonReplacer, depth: number): Generator<string> {
  if (depth > 0 && Array.isArray(value)) {
    let before = '[';
    for (const [index, item] of value.entries()) {
      yield before;
      before = ',';
      yield* jsonParts(replacing(String(index), item) ?? null, replacing, depth - 1);
    }
    yield before === '[' ? '[]' : ']';
  } else if (depth > 0 && isObject(value)) {
    let before = '{';
    for (const [key, item] of Object.entries(value)) {
      const part = replacing(key, item);
      if (part === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      before = ',';
      yield* jsonParts(part, replacing, depth - 1);
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value, (key, part: unknown) => replacing(key, part));
}
