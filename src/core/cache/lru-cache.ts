/** A map of at most `capacity` entries: setting one more drops the one that was used least recently. */
export class LruCache<Key, Value> {
  /** A map keeps insertion order: the least recently used entry comes first. */
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined && !this.#entries.has(key)) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value as Value);
    return value;
  }

  /** Sets an entry. @returns the entry that was dropped for it, if any. */
  set(key: Key, value: Value): readonly [Key, Value] | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return undefined;
    const [oldest] = this.#entries;
    if (oldest) this.#entries.delete(oldest[0]);
    return oldest;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }

  clear(): void {
    this.#entries.clear();
  }
}
