/** Matches strings, and comments outside of strings. An unclosed one ends with the text: nothing is scanned twice. */
const COMMENT = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TRAILING_COMMA = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(?<![[{,:]\s*),(?=\s*[}\]])/g;

/**
 * Converts JSON with comments and trailing commas to plain JSON. Blanks replace them, so that everything else keeps its
 * position.
 */
export function stripJsonComments(text: string): string {
  const plain = text.replace(COMMENT, (match) => (isComment(match) ? match.replace(/[^\r\n]/g, ' ') : match));
  return plain.replace(TRAILING_COMMA, (match) => (match === ',' ? ' ' : match));
}

function isComment(match: string): boolean {
  return match.startsWith('//') || (match.startsWith('/*') && match.length > 3 && match.endsWith('*/'));
}
