import type { Document } from '../core/document.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { isSidecar } from '../core/trace-file-names.ts';
import type { Format, PartReader } from '../formats/format.ts';
import { SAMPLE_SIZE, sample } from '../formats/records.ts';
import { JsonLinesParser } from './json-lines.ts';
import { LineFile, type LinePart } from './line-file.ts';
import { isNamedJsonLines, lineProblems } from './parse-file.ts';
import {
  countContents,
  type FileReadResult,
  type ReadOptions,
  readerFailed,
  unreadableProblem,
  withFileFacts,
} from './read-file.ts';
import { sidecarNames } from './sidecar.ts';

/** Smaller files are read as a whole. */
const MIN_BYTES = 2 ** 22;

/**
 * Reads a large JSON Lines file whose lines are read one by one, a part at a time, without keeping its text. The sessions
 * and problems are those that `readFile` gives.
 *
 * @returns the rest of the result; null, before any session, for files that have to be read as a whole
 */
export async function* readParts(
  file: string,
  options: ReadOptions,
): AsyncGenerator<readonly Session[], FileReadResult | null> {
  const lines = await openLines(file, options);
  if (!lines) return null;
  const parser = new JsonLinesParser();
  const parts = lines.parts();
  const first = readFirst(file, parts, parser);
  const detected = parser.counts().objects > 0 ? detectParts(first, options) : null;
  if (!detected) return null;
  const { format, reason, reader } = detected;
  options.locator.addLines(file, lines);

  const counts = { sessions: 0, turns: 0, calls: 0 };
  const failures: Problem[] = [];
  try {
    for (const part of documents(file, first, parts, parser)) {
      options.signal.throwIfAborted();
      const sessions = readDocument(part, detected, options);
      const ofPart = countContents({ sessions });
      counts.sessions += ofPart.sessions;
      counts.turns += ofPart.turns;
      counts.calls += ofPart.calls;
      yield sessions;
    }
  } catch (error) {
    options.signal.throwIfAborted();
    failures.push(error instanceof ReaderFailed ? error.problem : unreadableProblem(file, error));
  }
  return {
    summary: { file, format: format.name, reason, skipped: false, ...counts },
    sessions: [],
    expectations: [],
    problems: [...lineProblems(file, parser.counts()), ...reader.problems(), ...failures],
    sources: [file],
  };
}

/** Null where it is small, has a sidecar, or cannot be read in parts. */
async function openLines(file: string, { files, rereads, signal }: ReadOptions): Promise<LineFile | null> {
  if (!rereads || !files.openParts || !isNamedJsonLines(file) || isSidecar(file)) return null;
  try {
    const source = await files.openParts(file);
    if (source.size < MIN_BYTES) return null;
    for (const sidecar of sidecarNames(file)) if ((await files.stat(sidecar)) !== null) return null;
    return await LineFile.open(source, signal);
  } catch {
    signal.throwIfAborted();
    // Reading the whole file reports the problem.
    return null;
  }
}

/** So many lines that what looks at the first values of a document sees the same as in the whole file. */
function readFirst(file: string, parts: Iterator<LinePart>, parser: JsonLinesParser): Document {
  const values: unknown[] = [];
  let next = parts.next();
  for (; !next.done; next = parts.next()) {
    for (const value of parser.add(next.value.text)) values.push(value);
    if (sample(values).length === SAMPLE_SIZE) break;
  }
  return { file, value: values, lines: true, firstLine: 0 };
}

function* documents(
  file: string,
  first: Document,
  parts: Iterable<LinePart>,
  parser: JsonLinesParser,
): Generator<Document> {
  yield first;
  for (const { firstLine, text } of parts) yield { file, value: parser.add(text), lines: true, firstLine };
}

interface DetectedParts {
  readonly format: Format;
  readonly reason: string;
  readonly reader: PartReader;
}

/** Null where the whole file has to be read, also to report what failed. */
function detectParts(first: Document, { formats, forced }: ReadOptions): DetectedParts | null {
  try {
    for (const format of formats) {
      const reason = forced ? 'as requested' : format.detect(first);
      if (reason === null) continue;
      const reader = format.readParts?.(first) ?? null;
      return reader && { format, reason, reader };
    }
  } catch {}
  return null;
}

class ReaderFailed extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

function readDocument(part: Document, { format, reader }: DetectedParts, { mapTask }: ReadOptions): readonly Session[] {
  try {
    return withFileFacts(reader.read(part), format, mapTask, mapTask && fileValue(part));
  } catch (error) {
    throw new ReaderFailed(readerFailed(part.file, format, error));
  }
}

/** A list in which the values of the part have the places that pointers into the file name. */
function fileValue({ value, firstLine = 0 }: Document): unknown {
  const placed: unknown[] = [];
  for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) placed[firstLine + index] = entry;
  return placed;
}
