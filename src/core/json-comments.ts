/** Texts, and comments behind no quotation mark. What is not closed ends with the text: nothing is looked at twice. */
const COMMENT = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const TRAILING_COMMA = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|(?<![[{,:]\s*),(?=\s*[}\]])/g;

/**
 * JSON as people write it in an editor, with comments and commas behind the last entry, as plain JSON: blanks stand in their
 * place, so that everything else stays where it is.
 */
export function stripJsonComments(text: string): string {
  const plain = text.replace(COMMENT, (found) => (isComment(found) ? found.replace(/[^\r\n]/g, ' ') : found));
  return plain.replace(TRAILING_COMMA, (found) => (found === ',' ? ' ' : found));
}

function isComment(found: string): boolean {
  return found.startsWith('//') || (found.startsWith('/*') && found.length > 3 && found.endsWith('*/'));
}
