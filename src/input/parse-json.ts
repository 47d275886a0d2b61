import { positionAt } from '../core/pointer-ranges.ts';
import type { ParseIssue } from './parse-issue.ts';
import { MAX_DEPTH, scanJson } from './scan-json.ts';
import { explainSyntaxError } from './syntax-error.ts';

export type ParsedJson = { readonly value: unknown } | { readonly explain: () => ParseIssue };

/**
 * Parses a part of a text as JSON. Integers that a number would round, such as 128-bit ids and nanosecond times, become
 * strings of digits.
 *
 * @param linesBefore number of lines before `start`, for line numbers in issues.
 */
export function parseJson(text: string, start = 0, end = text.length, linesBefore = 0): ParsedJson {
  const { tooDeepAt, unsafeInteger } = scanJson(text, start, end);
  const part = text.slice(start, end);
  if (tooDeepAt !== null) return { explain: () => tooDeepIssue(part, tooDeepAt - start, linesBefore) };
  try {
    // A reviver makes parsing several times slower, so it is used only if there are such integers.
    return { value: unsafeInteger ? JSON.parse(part, preserveDigits) : JSON.parse(part) };
  } catch (thrown) {
    return { explain: () => explainSyntaxError(part, thrown, linesBefore) };
  }
}

function preserveDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? context.source : value;
}

function tooDeepIssue(text: string, offset: number, linesBefore: number): ParseIssue {
  const line = positionAt(text, offset).line + linesBefore;
  const message = `Line ${line}: values are nested more than ${MAX_DEPTH} levels deep. Write nested JSON as a string, or remove it.`;
  return { code: 'too-deep', message, line };
}
