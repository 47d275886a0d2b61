/** Matches strings, and comments outside of strings. An unclosed one ends with the text: nothing is scanned twice. */
const COMMENT = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TRAILING_COMMA = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(?<![[{,:]\s*),(?=\s*[}\]])/g;

/**
 * Converts JSON with comments and trailing commas to plain JSON. Blanks replace them, so that everything else keeps its
 * position.
 */
export function stripJsonComments(text: string): string {
  const plain = text.replace(COMMENT, (found) => (isComment(found) ? found.replace(/[^\r\n]/g, ' ') : found));
  return plain.replace(TRAILING_COMMA, (found) => (found === ',' ? ' ' : found));
}

function isComment(found: string): boolean {
  return found.startsWith('//') || (found.startsWith('/*') && found.length > 3 && found.endsWith('*/'));
}
