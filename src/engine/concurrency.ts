/**
 * Does something with each item, at most `width` of them unfinished at a time, started in order. What answers at once is
 * not waited for.
 */
export async function inWindow<T>(
  items: Iterable<T>,
  width: number,
  each: (item: T) => Promise<void> | void,
): Promise<void> {
  const unfinished = new Set<Promise<void>>();
  for (const item of items) {
    const started = each(item);
    if (!started) continue;
    const ended = started.finally(() => unfinished.delete(ended));
    unfinished.add(ended);
    if (unfinished.size >= width) await Promise.race(unfinished);
  }
  await Promise.all(unfinished);
}
