/** A text as one word of a POSIX shell, quoted only where necessary. Names of hosts can contain `;` and `$`. */
export function shellWord(text: string): string {
  return /^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
