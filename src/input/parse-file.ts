import type { Document } from '../core/document.ts';
import { stripJsonComments } from '../core/json-comments.ts';
import { skipWhitespace } from '../core/json-text.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { BINARY, type DecodeResult, decode } from './decode.ts';
import { readInspectArchive } from './inspect-archive.ts';
import { type JsonLines, type JsonLinesCounts, parseJsonLines } from './json-lines.ts';
import type { ParseIssue } from './parse-issue.ts';
import { parseJson } from './parse-json.ts';

export interface ParsedFile {
  /** Null when the file can't be read at all. */
  readonly document: Document | null;
  /** Null when the file is not text: an archive has a document but no lines. */
  readonly text: string | null;
  /** Reasons for a missing document, or broken lines. */
  readonly problems: readonly Problem[];
}

/**
 * Parses a file as JSON or JSON Lines. Never throws.
 *
 * A file is JSON Lines if its name says so, or if it is not valid JSON and at least two lines, or its only complete
 * line, are objects.
 */
export function parseFile(file: string, bytes: Uint8Array): ParsedFile {
  return parseDecoded(file, decode(bytes));
}

/** Parses JSON with comments, as people write it; the text has blanks instead of comments. Never throws. */
export function parseWithComments(file: string, bytes: Uint8Array): ParsedFile {
  const decoded = decode(bytes);
  return parseDecoded(file, 'text' in decoded ? { text: stripJsonComments(decoded.text) } : decoded);
}

/** Separate from decoding, so that the bytes of a large file can be released first. */
export function parseDecoded(file: string, decoded: DecodeResult): ParsedFile {
  if ('issue' in decoded) return failedParse(file, null, decoded.issue);
  if ('archive' in decoded) return archiveDocument(file, decoded.archive);
  const { text } = decoded;
  if (skipWhitespace(text, 0, text.length) === text.length) return failedParse(file, text, EMPTY);

  const named = isNamedJsonLines(file);
  const first = named ? parseJsonLines(text) : null;
  if (first && first.objects > 0) return jsonLinesDocument(file, text, first);
  const json = parseJson(text);
  if ('value' in json) {
    const problems = json.issue ? [toProblem(file, json.issue())] : [];
    return { document: { file, value: json.value, lines: false }, text, problems };
  }
  if (json.isTooLarge) return failedParse(file, text, json.explain());
  const lines = first ?? parseJsonLines(text);
  if (named ? lines.parsed > 0 : isJsonLines(lines)) return jsonLinesDocument(file, text, lines);
  return failedParse(file, text, text.includes('\0') ? BINARY : json.explain());
}

export function isNamedJsonLines(file: string): boolean {
  return /\.(?:jsonl|ndjson)$/i.test(file);
}

const EMPTY: ParseIssue = { code: 'empty-file', message: 'The file is empty. Record the trace again.', line: null };

function isJsonLines({ objects, complete, completeObjects }: JsonLines): boolean {
  return objects >= 2 || (complete === 1 && completeObjects === 1);
}

function archiveDocument(file: string, bytes: Uint8Array): ParsedFile {
  const log = readInspectArchive(bytes);
  if ('issue' in log) return failedParse(file, null, log.issue);
  const problems = log.issues.map((issue) => toProblem(file, issue));
  return { document: { file, value: log.value, lines: false }, text: null, problems };
}

function jsonLinesDocument(file: string, text: string, { values, ...counts }: JsonLines): ParsedFile {
  return { document: { file, value: values, lines: true }, text, problems: lineProblems(file, counts) };
}

/** The broken lines, and those of which something could not be read. */
export function lineProblems(file: string, { lines, broken, explanations, issues }: JsonLinesCounts): Problem[] {
  const problems = [...explanations, ...issues].map((explain) => toProblem(file, explain()));
  const more = broken - explanations.length;
  if (more > 0) {
    const message = `${more} more lines are broken (${broken} of ${lines} in total). Export the trace again.`;
    problems.push(createProblem('error', 'invalid-json', file, message));
  }
  return problems;
}

function failedParse(file: string, text: string | null, issue: ParseIssue): ParsedFile {
  return { document: null, text, problems: [toProblem(file, issue)] };
}

export function toProblem(file: string, { code, message, line }: ParseIssue): Problem {
  return createProblem('error', code, file, message, line === null ? {} : { line });
}
