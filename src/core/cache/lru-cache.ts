/** A map of a limited size: what does not fit drops the entries that were used least recently, but never the newest. */
export class LruCache<Key, Value> {
  /** A map keeps insertion order: the least recently used entry comes first. */
  readonly #entries = new Map<Key, { readonly value: Value; readonly size: number }>();
  readonly #capacity: number;
  #used = 0;

  /** @param capacity in the unit of the sizes; entries have the size 1 unless `set` is told otherwise. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Sets an entry. @returns the last entry that was dropped for it, if any. */
  set(key: Key, value: Value, size = 1): readonly [Key, Value] | undefined {
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#used += size;
    let dropped: readonly [Key, Value] | undefined;
    for (const [oldest, entry] of this.#entries) {
      if (this.#used <= this.#capacity || oldest === key) break;
      this.delete(oldest);
      dropped = [oldest, entry.value];
    }
    return dropped;
  }

  delete(key: Key): boolean {
    this.#used -= this.#entries.get(key)?.size ?? 0;
    return this.#entries.delete(key);
  }

  keys(): Iterable<Key> {
    return this.#entries.keys();
  }

  *values(): Generator<Value, void> {
    for (const { value } of this.#entries.values()) yield value;
  }

  clear(): void {
    this.#entries.clear();
    this.#used = 0;
  }
}
