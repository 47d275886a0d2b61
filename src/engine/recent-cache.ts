/** Texts that are kept: metrics look back a few turns, never over a whole session. */
const MAX_ENTRIES = 64;

/** Forgets the oldest entries beyond those that are kept. */
export function evictOldest(entries: Map<string, unknown>): void {
  for (const text of entries.keys()) {
    if (entries.size <= MAX_ENTRIES) return;
    entries.delete(text);
  }
}

/** What `make` says of a text, made once as long as it is asked for within a few turns. */
export function memoizeRecent<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = make(text);
    made.set(text, fresh);
    evictOldest(made);
    return fresh;
  };
}
