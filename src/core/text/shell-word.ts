/** Characters that mean nothing else to a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command that a message proposes: quoted where a shell would take it otherwise. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  // Windows knows these quotes only.
  return /["$`!]|\\$/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
