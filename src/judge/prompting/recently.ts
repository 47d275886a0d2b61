/** Keeps what was made for the last keys, so that what is asked for again soon is not made again. */
export function recently<Key, Value extends object | string>(
  make: (key: Key) => Value,
  size: number,
): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    if (kept.size >= size) dropFirst(kept);
    kept.set(key, made);
    return made;
  };
}

/** A map keeps its keys in the order in which they came. */
function dropFirst(kept: Map<unknown, unknown>): void {
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
