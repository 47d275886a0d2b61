import { positionAt } from '../core/pointer-ranges.ts';
import type { Complaint } from './complaint.ts';
import { MAX_DEPTH, scan } from './scan.ts';
import { explainSyntax } from './syntax.ts';

export type Json = { readonly value: unknown } | { readonly explain: () => Complaint };

/**
 * A part of a text as JSON. Integers that a number would round, such as 128-bit ids and times in nanoseconds, become
 * strings of their digits.
 *
 * @param linesBefore lines of the file before `start`, for what is said about the part.
 */
export function parseJson(text: string, start = 0, end = text.length, linesBefore = 0): Json {
  const { tooDeepAt, unsafeInteger } = scan(text, start, end);
  const part = text.slice(start, end);
  if (tooDeepAt !== null) return { explain: () => tooDeep(part, tooDeepAt - start, linesBefore) };
  try {
    // A reviver is several times slower than the parse, so only where there is something to keep.
    return { value: unsafeInteger ? JSON.parse(part, keepDigits) : JSON.parse(part) };
  } catch (thrown) {
    return { explain: () => explainSyntax(part, thrown, linesBefore) };
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? context.source : value;
}

function tooDeep(text: string, offset: number, linesBefore: number): Complaint {
  const line = positionAt(text, offset).line + linesBefore;
  const message = `On line ${line} values are nested more than ${MAX_DEPTH} levels deep: Turnwise reads no such file. Write nested JSON as a string, or leave it out.`;
  return { code: 'too-deep', message, line };
}
