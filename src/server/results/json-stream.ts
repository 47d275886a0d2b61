import { isObject } from '../../core/json.ts';

/** About so many characters are a piece. */
const CHUNK_LENGTH = 64_000;

/** So deep may something be that is large: of the results of a file, the turns of a session. What is deeper is never cut. */
const MAX_DEPTH = 6;

type JsonReplacer = (key: string, part: unknown) => unknown;

/**
 * What `JSON.stringify` makes of a value without functions and dates, in pieces: whoever writes it can do something else
 * between them, and never has all of it in hand.
 *
 * @param replacing as `JSON.stringify` has it.
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
