/** A value that is worked out when it is first asked for. */
export function lazy<Value>(of: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: of() };
    return known.value;
  };
}

/** A function that works out each key once, and remembers it as long as the function itself lives. */
export function memoize<Key, Value>(of: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const before = known.get(key);
    if (before) return before.value;
    const value = of(key);
    known.set(key, { value });
    return value;
  };
}
