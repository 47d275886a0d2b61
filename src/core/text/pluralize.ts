/** `1 turn`, `2 turns`; `1 entry`, `2 entries` with a plural of its own. */
export function pluralize(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
