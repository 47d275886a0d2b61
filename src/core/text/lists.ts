/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** The first items, and how many others there are: `['a', 'b', '3 more']`. Only the listed ones are described. */
export function limitList<Item>(
  items: readonly Item[],
  most: number,
  describe: (item: Item) => string = String,
): string[] {
  const listed = items.slice(0, most).map((item) => describe(item));
  return items.length > listed.length ? [...listed, `${items.length - listed.length} more`] : listed;
}

/**
 * `a, b and 3 more`; without others `a, b, c`.
 *
 * @param fewestOthers so many are counted; where fewer are left over, they are listed.
 */
export function listSome(names: readonly string[], most: number, fewestOthers = 1): string {
  return names.length < most + fewestOthers ? names.join(', ') : joinWithAnd(limitList(names, most));
}
