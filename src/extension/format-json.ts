/** Deeper levels are not indented further. */
const MAX_INDENT_LEVEL = 40;

/** The minimum length of a chunk, except the last. */
const CHUNK_LENGTH = 1 << 16;

/**
 * Formats JSON with a line per value, in chunks. Changes only the white space between tokens: numbers, strings and invalid JSON
 * stay as they are. Consecutive documents are separated by an empty line.
 */
export function* formatJson(text: string): Generator<string> {
  let piece = '';
  let depth = 0;
  /** Whether a document has ended, so that another one follows. */
  let isBehind = false;
  /** Whether the bracket that was opened last is still empty. */
  let isEmpty = false;
  const lineBreak = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENT_LEVEL))}`;
  for (const { start, end } of tokenize(text)) {
    const token = text.slice(start, end);
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

/** Zero-based offsets into a text; the end is exclusive. */
interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** Where a range of a text is in another text that differs in the white space between tokens only. */
export function moveRange(text: string, copy: string, range: OffsetRange): OffsetRange {
  const copied = tokenize(copy);
  let start: number | undefined;
  for (const token of tokenize(text)) {
    const { value } = copied.next();
    if (!value) break;
    const inCopy = (offset: number): number => value.start + Math.max(0, offset - token.start);
    if (range.start < token.end) start ??= inCopy(range.start);
    if (start !== undefined && range.end <= token.end) return { start, end: Math.max(start, inCopy(range.end)) };
  }
  return { start: start ?? copy.length, end: copy.length };
}

/** Punctuation, strings with their quotes, and other tokens; no white space. */
function* tokenize(text: string): Generator<OffsetRange, undefined> {
  const token = /[{}[\],:"]|[^ \t\r\n{}[\],:"]+/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = endOfString(text, match.index + 1);
    yield { start: match.index, end: token.lastIndex };
  }
}

/** The index after the closing quote, or the end of the text. */
function endOfString(text: string, from: number): number {
  const mark = /["\\]/g;
  mark.lastIndex = from;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    if (match[0] === '"') return mark.lastIndex;
    // Skip the escaped character.
    mark.lastIndex += 1;
  }
  return text.length;
}
