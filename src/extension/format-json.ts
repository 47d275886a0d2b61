/** Deeper than this, lines are indented no further: nobody could read them, and they would be mostly spaces. */
const MAX_INDENT_LEVEL = 40;

/** A piece of the result is at least so long, but for the last. */
const CHUNK_LENGTH = 1 << 16;

/**
 * JSON with a line for each value, in pieces. Only the white space between tokens changes: numbers and texts stay as they
 * are written, and what is no JSON stays as it is. Documents that follow one another are parted by an empty line.
 */
export function* formatJson(text: string): Generator<string> {
  let piece = '';
  let depth = 0;
  /** Whether something stands before at the same level, so that what follows is another document. */
  let isBehind = false;
  /** The mark that was opened last, while nothing is in it. */
  let isEmpty = false;
  const lineBreak = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENT_LEVEL))}`;
  for (const token of tokenize(text)) {
    if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      piece += isEmpty ? token : lineBreak() + token;
      isEmpty = false;
      isBehind = depth === 0;
    } else if (token === ',') {
      piece += `,${lineBreak()}`;
    } else if (token === ':') {
      piece += ': ';
    } else {
      if (isEmpty) piece += lineBreak();
      else if (isBehind) piece += '\n\n';
      isEmpty = token === '{' || token === '[';
      isBehind = depth === 0 && !isEmpty;
      if (isEmpty) depth += 1;
      piece += token;
    }
    if (piece.length < CHUNK_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

/** Marks, texts with their quotation marks, and what stands between; no white space. */
function* tokenize(text: string): Generator<string> {
  const token = /[{}[\],:"]|[^ \t\r\n{}[\],:"]+/g;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === '"') token.lastIndex = endOfString(text, found.index + 1);
    yield found[0] === '"' ? text.slice(found.index, token.lastIndex) : found[0];
  }
}

/** Behind the quotation mark that closes a text; the end where none does. */
function endOfString(text: string, from: number): number {
  const mark = /["\\]/g;
  mark.lastIndex = from;
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    if (found[0] === '"') return mark.lastIndex;
    // What follows a backslash belongs to it.
    mark.lastIndex += 1;
  }
  return text.length;
}
