/**
 * An iterator over a value: an iterable, an async iterable, a promise of one, or a function that returns one of these.
 *
 * @param owner the object that a function is called on.
 * @throws TypeError when it is none of them.
 */
export async function toAsyncIterator(value: unknown, owner?: unknown): Promise<AsyncIterator<unknown>> {
  const result: unknown = await (typeof value === 'function' ? value.call(owner) : value);
  if (typeof result === 'object' && result !== null) {
    if (isAsyncIterable(result)) return result[Symbol.asyncIterator]();
    if (isIterable(result)) return fromSync(result)[Symbol.asyncIterator]();
  }
  throw new TypeError(
    `It is ${result === null ? 'null' : typeof result}, and must be iterable: yield or return sessions`,
  );
}

export function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value && typeof value[Symbol.iterator] === 'function';
}

export function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function';
}

async function* fromSync(values: Iterable<unknown>): AsyncGenerator<unknown> {
  for (const value of values) yield value;
}
