import { isObject } from '../core/json.ts';
import { skipWhitespace } from '../core/json-text.ts';
import type { ParseIssue } from './parse-issue.ts';
import { fullBudget, parseJson } from './parse-json.ts';

/** The result of parsing a text as JSON Lines; it may be something else. */
export interface JsonLines {
  /** One entry per line; undefined for blank and broken lines. */
  readonly values: readonly unknown[];
  /** Number of lines that are valid JSON. */
  readonly parsed: number;
  /** Number of lines that are an object and start with it; indented lines of a document do not count. */
  readonly objects: number;
  /** Number of non-blank lines that end with a line break, and how many of those are an object. */
  readonly complete: number;
  readonly completeObjects: number;
  readonly broken: number;
  /** Of the first broken lines, up to a limit. */
  readonly explanations: readonly (() => ParseIssue)[];
  /** What could not be read in the first of the other lines, up to the same limit. */
  readonly issues: readonly (() => ParseIssue)[];
}

const MAX_EXPLAINED_LINES = 20;

/** After this many, the rest is not read: each takes longer than a good line, and a file may have millions. */
const MAX_BROKEN_LINES = 100_000;

/** Splits at \n; a preceding \r is white space. */
export function parseJsonLines(text: string): JsonLines {
  const values: unknown[] = [];
  const explanations: (() => ParseIssue)[] = [];
  const issues: (() => ParseIssue)[] = [];
  let parsed = 0;
  let objects = 0;
  let complete = 0;
  let completeObjects = 0;
  let broken = 0;
  let line = 0;
  const budget = fullBudget();
  for (let start = 0; start < text.length && broken < MAX_BROKEN_LINES; line += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const first = skipWhitespace(text, start, end);
    if (first < end) {
      const json = parseJson(text, { start, end, linesBefore: line }, budget);
      if ('value' in json) {
        values[line] = json.value;
        parsed += 1;
        if (json.issue && issues.length < MAX_EXPLAINED_LINES) issues.push(json.issue);
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
  return { values, parsed, objects, complete, completeObjects, broken, explanations, issues };
}
