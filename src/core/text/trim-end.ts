/**
 * The text without the characters at its end that a class such as `/[.,]/` matches. `replace(/[.,]+$/, '')` starts again
 * at each character of a run inside the text, which takes quadratic time.
 */
export function trimEnd(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
