import { isObject } from '../core/json.ts';
import { skipWhitespace } from '../core/json-text.ts';
import type { ParseIssue } from './parse-issue.ts';
import { fullBudget, parseJson } from './parse-json.ts';

/** The result of parsing a text as JSON Lines; it may be something else. */
export interface JsonLines extends JsonLinesCounts {
  /** One entry per line; undefined for blank and broken lines. */
  readonly values: readonly unknown[];
}

/** What was found in the lines so far. */
export interface JsonLinesCounts {
  readonly lines: number;
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

export function parseJsonLines(text: string): JsonLines {
  const parser = new JsonLinesParser();
  const values = parser.add(text);
  return { ...parser.counts(), values };
}

/** Parses a file that is given in parts, each of whole lines. Splits at \n; a preceding \r is white space. */
export class JsonLinesParser {
  readonly #explanations: (() => ParseIssue)[] = [];
  readonly #issues: (() => ParseIssue)[] = [];
  readonly #budget = fullBudget();
  #parsed = 0;
  #objects = 0;
  #complete = 0;
  #completeObjects = 0;
  #broken = 0;
  #lines = 0;

  /** @returns its values, one per line; undefined for blank and broken lines */
  add(text: string): unknown[] {
    const values: unknown[] = [];
    const firstLine = this.#lines;
    let line = firstLine;
    for (let start = 0; start < text.length && this.#broken < MAX_BROKEN_LINES; line += 1) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const first = skipWhitespace(text, start, end);
      if (first < end) {
        const json = parseJson(text, { start, end, linesBefore: line }, this.#budget);
        if ('value' in json) {
          values[line - firstLine] = json.value;
          this.#parsed += 1;
          if (json.issue && this.#issues.length < MAX_EXPLAINED_LINES) this.#issues.push(json.issue);
          if (first === start && isObject(json.value)) {
            this.#objects += 1;
            if (newline >= 0) this.#completeObjects += 1;
          }
        } else {
          this.#broken += 1;
          if (this.#explanations.length < MAX_EXPLAINED_LINES) this.#explanations.push(json.explain);
        }
        if (newline >= 0) this.#complete += 1;
      }
      start = end + 1;
    }
    this.#lines = line;
    values.length = line - firstLine;
    return values;
  }

  counts(): JsonLinesCounts {
    return {
      lines: this.#lines,
      parsed: this.#parsed,
      objects: this.#objects,
      complete: this.#complete,
      completeObjects: this.#completeObjects,
      broken: this.#broken,
      explanations: this.#explanations,
      issues: this.#issues,
    };
  }
}
