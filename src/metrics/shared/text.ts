/** Words that PandaProbe ignores when it compares texts (chirpz-ai/pandaprobe, Apache-2.0). */
const WORDS = `
  a above after all an and any are as at be been before being below both but by can could did do does during each
  either every few for from had has have in into is it its may might more most neither no nor not of on only or other
  own same shall should so some such than the through to too very was were will with would yet
`;

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

/** The text; empty if it has only white space. */
export function textOrEmpty(text: string | null): string {
  return text === null || text.trim() === '' ? '' : text;
}

/**
 * The distinct words of a text as PandaProbe's loop detection sees them: lower-cased runs of Unicode letters, digits
 * and `_`, without stop words and words of one character.
 */
export function wordSet(text: string): Set<string> {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  for (const word of words) if (isOneCharacter(word) || STOP_WORDS.has(word)) words.delete(word);
  return words;
}

function isOneCharacter(word: string): boolean {
  return word.length === 1 || (word.length === 2 && (word.codePointAt(0) ?? 0) > 0xffff);
}

/** Size of the intersection over size of the union; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  const union = a.size + b.size - common;
  return union === 0 ? 0 : common / union;
}
