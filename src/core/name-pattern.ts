/**
 * Tests a name for a pattern as configurations have it: exact, or with `*` for any characters, such as `delete_*`; `\*` is an
 * asterisk. Linear.
 */
export function createNameTest(pattern: string): (name: string) => boolean {
  const parts = pattern.split(/(?<!\\)\*/).map((part) => part.replaceAll('\\*', '*'));
  return (name) => matchesParts(name, parts);
}

/** The pattern that only this name has. */
export function literalPattern(name: string): string {
  return name.replaceAll('*', '\\*');
}

/** Whether a name consists of these parts with any characters between them. Each part is searched for once. */
function matchesParts(name: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
