import { positionAt } from '../core/pointer-ranges.ts';
import { MAX_DEPTH, MAX_VALUES, scanJson } from '../core/scan-json.ts';
import type { ParseIssue } from './parse-issue.ts';
import { explainSyntaxError } from './syntax-error.ts';

export type ParsedJson =
  /** `issue`: something in it could not be read. */
  | { readonly value: unknown; readonly issue?: () => ParseIssue }
  /** `isTooLarge`: it has more values than are read, and may be valid JSON. */
  | { readonly explain: () => ParseIssue; readonly isTooLarge?: boolean };

/** How many values the parts of a file may still have together. */
export interface ValueBudget {
  left: number;
}

export function fullBudget(): ValueBudget {
  return { left: MAX_VALUES };
}

/** A part of a text, and what is before it. */
export interface JsonPart {
  readonly start: number;
  readonly end: number;
  /** Number of lines before `start`, for line numbers in issues. */
  readonly linesBefore: number;
}

/**
 * Parses a part of a text as JSON. Integers that a number would round, such as 128-bit ids and nanosecond times, become
 * strings of digits. Nothing that is too deep, or has too many values, is parsed: a few bytes of an archive may be more than
 * the memory of the process.
 */
export function parseJson(
  text: string,
  { start, end, linesBefore }: JsonPart = { start: 0, end: text.length, linesBefore: 0 },
  budget = fullBudget(),
): ParsedJson {
  const { tooDeepAt, tooManyAt, unsafeInteger, infiniteAt, values } = scanJson(text, start, end, budget.left);
  const part = text.slice(start, end);
  if (tooDeepAt !== null) return { explain: () => tooDeepIssue(part, tooDeepAt - start, linesBefore) };
  if (tooManyAt !== null) {
    return { explain: () => tooManyIssue(positionAt(part, tooManyAt - start).line + linesBefore), isTooLarge: true };
  }
  try {
    // A reviver makes parsing several times slower, so it is used only if there are such integers.
    const value = unsafeInteger || infiniteAt !== null ? JSON.parse(part, reviveNumber) : JSON.parse(part);
    budget.left -= values;
    return infiniteAt === null
      ? { value }
      : { value, issue: () => infiniteIssue(part, infiniteAt - start, linesBefore) };
  } catch (thrown) {
    return { explain: () => explainSyntaxError(part, thrown, linesBefore) };
  }
}

function reviveNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value) && !/^-?\d+$/.test(context?.source ?? '')) return null;
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? context.source : value;
}

function infiniteIssue(text: string, offset: number, linesBefore: number): ParseIssue {
  const line = positionAt(text, offset).line + linesBefore;
  const message = `Line ${line}: this number is beyond the range of numbers, such as 1e400, and is read as missing. Record the trace again.`;
  return { code: 'number-too-large', message, line };
}

function tooDeepIssue(text: string, offset: number, linesBefore: number): ParseIssue {
  const line = positionAt(text, offset).line + linesBefore;
  const message = `Line ${line}: values are nested more than ${MAX_DEPTH} levels deep. Write nested JSON as a string, or remove it.`;
  return { code: 'too-deep', message, line };
}

function tooManyIssue(line: number): ParseIssue {
  const message = `Line ${line}: the file has more than ${MAX_VALUES / 1e6} million values, the most that Turnwise reads. Split it, for example by session.`;
  return { code: 'too-many-values', message, line };
}
