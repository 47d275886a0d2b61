import { type ParseErrorCode, type ParseOptions, printParseErrorCode, visit } from 'jsonc-parser';
import { positionAt } from '../core/pointer-ranges.ts';
import type { ParseIssue } from './parse-issue.ts';

/** What `jsonc-parser` objects to, as the end of a sentence that starts with a line and a column. */
const ERROR_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['PropertyNameExpected', 'a property name in double quotes is expected'],
  ['ValueExpected', 'a value is expected'],
  ['ColonExpected', 'a colon is expected'],
  ['CommaExpected', 'a comma or the end of the list is expected'],
  ['CloseBraceExpected', 'a comma or } is expected'],
  ['CloseBracketExpected', 'a comma or ] is expected'],
  ['EndOfFileExpected', 'the document has ended, and something follows it'],
  ['InvalidCommentToken', 'JSON has no comments'],
  ['UnexpectedEndOfString', 'a string is not closed on its line'],
  ['UnexpectedEndOfNumber', 'a number is not complete'],
  ['InvalidUnicode', '\\u is followed by four hexadecimal digits'],
  ['InvalidEscapeCharacter', 'no such escape exists in JSON'],
  ['InvalidCharacter', 'a control character in a string is written as an escape, such as \\n'],
]);

/** Comments are all that is wrong: a person's configuration, no program's trace. */
export const JSON_WITH_COMMENTS = 'json-with-comments';

const STRICT: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/**
 * Why a text is no JSON: what is wrong, on which line and column, and what to do.
 *
 * @param text what `JSON.parse` refused. It is not nested deeper than a recursive parser can follow.
 * @param thrown what `JSON.parse` threw.
 * @param linesBefore lines of the file before the text.
 */
export function explainSyntaxError(text: string, thrown: unknown, linesBefore: number): ParseIssue {
  const said = thrown instanceof Error ? thrown.message : '';
  const error = firstError(text, STRICT);
  const position = /at position (\d+)/.exec(said)?.[1];
  // V8 points into strings, jsonc-parser only at their start; but V8 gives no position for an unknown word.
  const offset = position === undefined ? (error?.offset ?? text.length) : Number(position);
  const end = text.trimEnd().length;
  if (said.startsWith('Unexpected end of JSON') || offset >= end) {
    const { line, column } = positionAt(text, end);
    const place = `on line ${line + linesBefore}, column ${column}`;
    const message = `The JSON ends ${place}, in the middle of a value: it was cut off. Copy or export the trace again.`;
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
    const message = `${word} is no JSON value. Write null instead; in Python, json.dumps(…, allow_nan=False) finds it.`;
    return { code: 'not-a-number', message };
  }
  if (word.startsWith("'")) {
    return { code: 'invalid-json', message: 'JSON has double quotes. In Python, write it with json.dumps.' };
  }
  if (name === 'InvalidCommentToken' || name === 'PropertyNameExpected' || name === 'ValueExpected') {
    if (!firstError(text, { ...STRICT, allowTrailingComma: true })) {
      return { code: 'invalid-json', message: 'a comma stands behind the last entry. Remove it.' };
    }
    if (!firstError(text, { ...STRICT, allowTrailingComma: true, disallowComments: false })) {
      return { code: JSON_WITH_COMMENTS, message: 'JSON has no comments. Remove them.' };
    }
  }
  const what = ERROR_MESSAGES.get(name) ?? (word === '' ? 'this is no JSON' : `"${word}" is not JSON`);
  return { code: 'invalid-json', message: `${what}. Correct it, or export the trace again.` };
}

/** The word that starts at an offset, short. */
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
    // The only way to make the visitor stop: what follows the first error says nothing.
    throw errors;
  };
  try {
    visit(text, { onError }, options);
  } catch (thrown) {
    if (thrown !== errors) throw thrown;
  }
  return errors[0] ?? null;
}
