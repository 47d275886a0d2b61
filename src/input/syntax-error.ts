import { type ParseErrorCode, type ParseOptions, printParseErrorCode, visit } from 'jsonc-parser';
import { positionAt } from '../core/pointer-ranges.ts';
import type { ParseIssue } from './parse-issue.ts';

/** Messages for errors of `jsonc-parser`, to follow a line and a column. */
const ERROR_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'expected a property name in double quotes'],
  ['ValueExpected', 'expected a value'],
  ['ColonExpected', 'expected a colon'],
  ['CommaExpected', 'expected a comma or the end of the list'],
  ['CloseBraceExpected', 'expected a comma or }'],
  ['CloseBracketExpected', 'expected a comma or ]'],
  ['EndOfFileExpected', 'unexpected content after the end of the document'],
  ['InvalidCommentToken', 'comments are not allowed in JSON'],
  ['UnexpectedEndOfString', 'unterminated string'],
  ['UnexpectedEndOfNumber', 'incomplete number'],
  ['InvalidUnicode', '\\u must be followed by four hexadecimal digits'],
  ['InvalidEscapeCharacter', 'unknown escape sequence'],
  ['InvalidCharacter', 'control characters in a string must be escaped, for example as \\n'],
]);

/** The only error is comments: a hand-written configuration rather than a trace. */
export const JSON_WITH_COMMENTS = 'json-with-comments';

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/**
 * Explains why a text is not valid JSON: the error, its line and column, and the remedy.
 *
 * @param text the invalid text. Its nesting must be safe for a recursive parser.
 * @param thrown what `JSON.parse` threw.
 * @param linesBefore number of lines in the file before the text.
 */
export function explainSyntaxError(text: string, thrown: unknown, linesBefore: number): ParseIssue {
  const v8Message = thrown instanceof Error ? thrown.message : '';
  const error = firstError(text, STRICT);
  const position = /at position (\d+)/.exec(v8Message)?.[1];
  // V8 gives positions inside strings, jsonc-parser only their start; but V8 gives none for an unknown word.
  const offset = position === undefined ? (error?.offset ?? text.length) : Number(position);
  const end = text.trimEnd().length;
  if (v8Message.startsWith('Unexpected end of JSON') || offset >= end) {
    const { line, column } = positionAt(text, end);
    const location = `on line ${line + linesBefore}, column ${column}`;
    const message = `The JSON is truncated: it ends ${location}, inside a value. Copy or export the trace again.`;
    return { code: 'truncated', message, line: line + linesBefore };
  }

  const start = error?.offset ?? offset;
  const { code, message } = describeSyntaxError(text, error?.name ?? '', start);
  const { line, column } = positionAt(text, code === 'not-a-number' ? start : offset);
  return { code, message: `Line ${line + linesBefore}, column ${column}: ${message}`, line: line + linesBefore };
}

function describeSyntaxError(
  text: string,
  name: string,
  start: number,
): { readonly code: string; readonly message: string } {
  const word = wordAt(text, start);
  if (/^-?(?:NaN|Infinity)$/.test(word)) {
    const message = `${word} is not valid JSON. Write null instead; in Python, json.dumps(…, allow_nan=False) finds it.`;
    return { code: 'not-a-number', message };
  }
  if (word.startsWith("'")) {
    return { code: 'invalid-json', message: 'JSON requires double quotes. In Python, write the file with json.dumps.' };
  }
  if (name === 'InvalidCommentToken' || name === 'PropertyNameExpected' || name === 'ValueExpected') {
    if (!firstError(text, { ...STRICT, allowTrailingComma: true })) {
      return { code: 'invalid-json', message: 'trailing comma. Remove it.' };
    }
    if (!firstError(text, { ...STRICT, allowTrailingComma: true, disallowComments: false })) {
      return { code: JSON_WITH_COMMENTS, message: 'comments are not allowed in JSON. Remove them.' };
    }
  }
  const what = ERROR_MESSAGES.get(name) ?? (word === '' ? 'this is not JSON' : `"${word}" is not JSON`);
  return { code: 'invalid-json', message: `${what}. Correct it, or export the trace again.` };
}

/** The word that starts at an offset, up to 40 characters. */
function wordAt(text: string, offset: number): string {
  return /^[^\s,:"{}[\]]{1,40}/.exec(text.slice(offset, offset + 40))?.[0] ?? '';
}

interface FirstError {
  readonly name: string;
  readonly offset: number;
}

function firstError(text: string, options: ParseOptions): FirstError | null {
  const errors: FirstError[] = [];
  const onError = (code: ParseErrorCode, offset: number) => {
    errors.push({ name: printParseErrorCode(code), offset });
    // Throwing is the only way to stop the visitor; later errors are consequences of the first.
    throw errors;
  };
  try {
    visit(text, { onError }, options);
  } catch (thrown) {
    if (thrown !== errors) throw thrown;
  }
  return errors[0] ?? null;
}
