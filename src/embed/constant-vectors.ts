/** What is compared of a text: embedders ignore case, accents and spaces, and many read no more than its beginning. */
const COMPARED_LENGTH = 500;

function comparedText(text: string): string {
  const letters = text.slice(0, COMPARED_LENGTH).normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.toLowerCase().replace(/\s+/g, ' ').trim();
}

export type EmbeddedText = readonly [text: string, vector: Float32Array];

/** Whether two of the texts differ, by more than what embedders ignore. */
export function hasDifferentTexts(embedded: readonly EmbeddedText[]): boolean {
  return new Set(embedded.map(([text]) => comparedText(text))).size > 1;
}

/**
 * Whether different texts all have vectors of one direction, which makes them look equal. A single vector is never wrong
 * because of its direction, not even one whose components are all equal.
 */
export function isConstant(embedded: readonly EmbeddedText[]): boolean {
  const [first] = embedded;
  return (
    first !== undefined &&
    embedded.every(([, vector]) => haveSameDirection(first[1], vector)) &&
    hasDifferentTexts(embedded)
  );
}

/** Exactly, whatever their lengths: products of 32-bit floats are exact, and almost equal texts have almost equal vectors. */
export function haveSameDirection(a: Float32Array, b: Float32Array): boolean {
  if (a.length !== b.length) return false;
  const at = a.findIndex((component) => component !== 0);
  const [ofA = 0, ofB = 0] = [a[at], b[at]];
  return ofA * ofB > 0 && a.every((component, index) => component * ofB === (b[index] ?? 0) * ofA);
}
