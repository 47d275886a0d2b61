import { LruCache } from './lru-cache.ts';

/** A value that is computed when it is first needed. */
export function lazy<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** Computes the value of each key once, and keeps it as long as the function lives. */
export function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  return memoizeIn(new Map<Key, { readonly value: Value }>(), compute);
}

/** Keeps the values of the `capacity` keys that were used most recently. */
export function memoizeRecent<Key, Value>(compute: (key: Key) => Value, capacity: number): (key: Key) => Value {
  return memoizeIn(new LruCache<Key, { readonly value: Value }>(capacity), compute);
}

/** Keeps the value of each object as long as the object lives. */
export function memoizeWeak<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  return memoizeIn(new WeakMap<Key, { readonly value: Value }>(), compute);
}

interface Entries<Key, Value> {
  get(key: Key): { readonly value: Value } | undefined;
  set(key: Key, entry: { readonly value: Value }): unknown;
}

function memoizeIn<Key, Value>(entries: Entries<Key, Value>, compute: (key: Key) => Value): (key: Key) => Value {
  return (key) => {
    const known = entries.get(key);
    if (known) return known.value;
    const value = compute(key);
    entries.set(key, { value });
    return value;
  };
}
