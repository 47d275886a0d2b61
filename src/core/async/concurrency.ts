/**
 * Maps items with at most `limit` tasks in flight, started in the order of the items. Results keep that order. A task that
 * returns a plain value takes no turn of the event loop. The first failure rejects, and no further item is started.
 */
export async function mapConcurrent<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  map: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const results: Result[] = [];
  let started = 0;
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const pulled = iterator.next();
      const { done, value } = pulled instanceof Promise ? await pulled : pulled;
      if (done) {
        isOver = true;
        return;
      }
      if (isOver) return;
      const index = started;
      started += 1;
      const result = map(value, index);
      results[index] = result instanceof Promise ? await result : result;
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, limit) }, work));
  } catch (error) {
    isOver = true;
    await iterator.return?.();
    throw error;
  }
  return results;
}
