import { isObject } from '../core/json.ts';
import { skipWhitespace } from '../core/json-text.ts';
import type { ParseIssue } from './parse-issue.ts';
import { parseJson } from './parse-json.ts';

/** A text read as JSON Lines, whether or not it is. */
export interface JsonLines {
  /** One entry per line; absent where the line is blank or broken. */
  readonly values: readonly unknown[];
  /** Lines that are JSON. */
  readonly parsed: number;
  /** Lines that are an object, from their first character on: the indented lines of a document are none. */
  readonly objects: number;
  /** Lines with content that end in a line break, and those of them that are an object. */
  readonly complete: number;
  readonly completeObjects: number;
  readonly broken: number;
  /** Of the first broken lines. */
  readonly explanations: readonly (() => ParseIssue)[];
}

/** Broken lines that are explained; the rest is counted. */
const MAX_EXPLAINED_LINES = 20;

/** Lines end at \n: a \r before it is white space. */
export function parseJsonLines(text: string): JsonLines {
  const values: unknown[] = [];
  const explanations: (() => ParseIssue)[] = [];
  let parsed = 0;
  let objects = 0;
  let complete = 0;
  let completeObjects = 0;
  let broken = 0;
  let line = 0;
  for (let start = 0; start < text.length; line += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const first = skipWhitespace(text, start, end);
    if (first < end) {
      const json = parseJson(text, start, end, line);
      if ('value' in json) {
        values[line] = json.value;
        parsed += 1;
        if (first === start && isObject(json.value)) {
          objects += 1;
          if (newline >= 0) completeObjects += 1;
        }
      } else {
        broken += 1;
        if (explanations.length < MAX_EXPLAINED_LINES) explanations.push(json.explain);
      }
      if (newline >= 0) complete += 1;
    }
    start = end + 1;
  }
  values.length = line;
  return { values, parsed, objects, complete, completeObjects, broken, explanations };
}
