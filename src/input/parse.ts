import type { Document } from '../core/document.ts';
import { stripJsonComments } from '../core/json-comments.ts';
import { skipWhitespace } from '../core/json-text.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Complaint } from './complaint.ts';
import { BINARY, type Decoded, decode } from './decode.ts';
import { parseJson } from './json.ts';
import { type Lines, parseLines } from './json-lines.ts';
import { logOf } from './zip.ts';

export interface Parsed {
  /** Null when nothing of the file can be read. */
  readonly document: Document | null;
  /** Null when the bytes are no text: of an archive there is a document, and nothing of it has a line. */
  readonly text: string | null;
  /** Why there is no document, or which of its lines are broken. */
  readonly problems: readonly Problem[];
}

/**
 * The bytes of a file as JSON or JSON Lines, or what is wrong with them. Never throws.
 *
 * JSON Lines is what the file's name says, or else what is no JSON and has at least two lines, or one complete line,
 * that are objects.
 */
export function parse(file: string, bytes: Uint8Array): Parsed {
  return parseDecoded(file, decode(bytes));
}

/** JSON that a person has written, with comments; its text has blanks in their place. Never throws. */
export function parseWritten(file: string, bytes: Uint8Array): Parsed {
  const decoded = decode(bytes);
  return parseDecoded(file, 'text' in decoded ? { text: stripJsonComments(decoded.text) } : decoded);
}

/** Apart from decoding, so that the bytes of a large file need not outlive it. */
export function parseDecoded(file: string, decoded: Decoded): Parsed {
  if ('complaint' in decoded) return broken(file, null, decoded.complaint);
  if ('archive' in decoded) return documentOfArchive(file, decoded.archive);
  const { text } = decoded;
  if (skipWhitespace(text, 0, text.length) === text.length) return broken(file, text, EMPTY);

  const named = /\.(?:jsonl|ndjson)$/i.test(file);
  const first = named ? parseLines(text) : null;
  if (first && first.objects > 0) return documentOfLines(file, text, first);
  const json = parseJson(text);
  if ('value' in json) return { document: { file, value: json.value, lines: false }, text, problems: [] };
  const lines = first ?? parseLines(text);
  if (named ? lines.parsed > 0 : isJsonLines(lines)) return documentOfLines(file, text, lines);
  return broken(file, text, text.includes('\0') ? BINARY : json.explain());
}

const EMPTY: Complaint = { code: 'empty-file', message: 'The file is empty. Record the trace again.', line: null };

function isJsonLines({ objects, complete, completeObjects }: Lines): boolean {
  return objects >= 2 || (complete === 1 && completeObjects === 1);
}

function documentOfArchive(file: string, bytes: Uint8Array): Parsed {
  const log = logOf(bytes);
  if ('complaint' in log) return broken(file, null, log.complaint);
  const problems = log.complaints.map((complaint) => problemOf(file, complaint));
  return { document: { file, value: log.value, lines: false }, text: null, problems };
}

function documentOfLines(file: string, text: string, { values, broken, explanations }: Lines): Parsed {
  const problems = explanations.map((explain) => problemOf(file, explain()));
  const more = broken - problems.length;
  if (more > 0) {
    const message = `${more} more lines are broken; ${broken} of ${values.length} in all. Export the trace again.`;
    problems.push(createProblem('error', 'invalid-json', file, message));
  }
  return { document: { file, value: values, lines: true }, text, problems };
}

function broken(file: string, text: string | null, complaint: Complaint): Parsed {
  return { document: null, text, problems: [problemOf(file, complaint)] };
}

export function problemOf(file: string, { code, message, line }: Complaint): Problem {
  return createProblem('error', code, file, message, line === null ? {} : { line });
}
