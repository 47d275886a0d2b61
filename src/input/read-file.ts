import type { Document } from '../core/document.ts';
import { get, isObject } from '../core/json.ts';
import { createProblem, NO_TRACE, type Problem } from '../core/problem.ts';
import { agentToolCalls, type Session } from '../core/session.ts';
import { listSome } from '../core/text/lists.ts';
import { isConfigurationFile, isRecordFile, isSidecar } from '../core/trace-file-names.ts';
import type { Format, ReadResult } from '../formats/format.ts';
import { type TaskMapper, withDeclaredTask } from '../formats/mapped/task-mapper.ts';
import { decode, tooLargeIssue } from './decode.ts';
import { type FileSystem, FileTooLarge, type PartialFile, RefusedFile } from './file-system.ts';
import type { TextLocator } from './locator.ts';
import { type LocatedExpectation, unrecordedSession } from './pair-expectations.ts';
import { type ParsedFile, parseDecoded, parseWithComments, toProblem } from './parse-file.ts';
import { folderOf } from './paths.ts';
import { applySidecar, sidecarNames } from './sidecar.ts';
import { JSON_WITH_COMMENTS } from './syntax-error.ts';
import { describeSystemError } from './system-error.ts';
import type { InputFile } from './walk-inputs.ts';

/** One row of `turnwise formats FILE`. */
export interface FileSummary {
  readonly file: string;
  /** Null when no format matches. */
  readonly format: string | null;
  /** Why it is this format, or not a trace, as a phrase. */
  readonly reason: string;
  /** Found in a folder and not a trace, which is not an error. */
  readonly skipped: boolean;
  readonly sessions: number;
  readonly turns: number;
  readonly calls: number;
}

/** The result of reading one file. */
export interface FileReadResult {
  /** Null for files that are not listed, such as sidecars in a folder. */
  readonly summary: FileSummary | null;
  readonly sessions: readonly Session[];
  readonly expectations: readonly LocatedExpectation[];
  readonly problems: readonly Problem[];
  /** The files that these come from: the file, and its sidecar. */
  readonly sources: readonly string[];
}

export interface ReadOptions {
  readonly files: FileSystem;
  /** Tried in this order. */
  readonly formats: readonly Format[];
  /** Read with the only format, without detection. */
  readonly forced: boolean;
  readonly mapTask?: TaskMapper | undefined;
  readonly stdin: (() => Promise<Uint8Array>) | undefined;
  readonly signal: AbortSignal;
  /** Receives the texts of files, for the lines of pointers. */
  readonly locator: TextLocator;
  /** Whether texts can be read again when lines are needed. */
  readonly rereads?: boolean | undefined;
}

/** Reads one file and its sidecar. Never rejects; after an abort, the caller discards the result. */
export async function readFile(inputFile: InputFile, options: ReadOptions): Promise<FileReadResult> {
  const { file, isExplicit: named } = inputFile;
  // Opened before it is read: what is changed in between is noticed.
  const source = await openAgain(file, options);
  const parsed = await parseInput(inputFile, options);
  const { document, text, problems } = parsed;
  if (!document) {
    const [first] = problems;
    if (!named && isSidecar(file)) return UNLISTED;
    if (!named && first?.code === JSON_WITH_COMMENTS) return notATrace(file, 'JSON with comments', true, []);
    return notATrace(file, first?.message ?? 'it is unreadable', false, problems);
  }
  const detected = await detectAndRead(document, options);
  // The samples that are missing in an archive may be why.
  if (!detected)
    return text === null && problems.length > 0
      ? notATrace(file, 'its samples are unreadable', false, problems)
      : notRecognised(document, named);

  if (text !== null) options.locator.addText(document, text, source);
  const { format, reason, reading } = detected;
  const expected = (reading.expectations ?? []).map((expectation) => ({ ...expectation, file, format: format.name }));
  const recorded = reading.sessions.length;
  const sidecar = await applySidecarFile([...reading.sessions, ...expected.map(unrecordedSession)], file, options);
  return {
    summary: { file, format: format.name, reason, skipped: false, ...countContents(reading) },
    sessions: sidecar.sessions.slice(0, recorded),
    expectations: expected.map((expectation, index) => ({
      ...expectation,
      session: sidecar.sessions[recorded + index],
    })),
    problems: [...problems, ...reading.problems, ...sidecar.problems],
    sources: [file, ...sidecar.files],
  };
}

/** Null where a text has to be kept: it cannot be read again, or is not that of the file. */
async function openAgain(file: string, { files, rereads }: ReadOptions): Promise<PartialFile | null> {
  if (!rereads || file === '-' || isSidecar(file)) return null;
  try {
    return (await files.openParts?.(file)) ?? null;
  } catch {
    // Reading the file reports the problem.
    return null;
  }
}

const UNLISTED: FileReadResult = { summary: null, sessions: [], expectations: [], problems: [], sources: [] };

function notATrace(file: string, reason: string, skipped: boolean, problems: readonly Problem[]): FileReadResult {
  const summary = { file, format: null, reason, skipped, sessions: 0, turns: 0, calls: 0 };
  return { summary, sessions: [], expectations: [], problems, sources: skipped ? [] : [file] };
}

function notRecognised(document: Document, named: boolean): FileReadResult {
  const { file } = document;
  if (isSidecar(file) || isConfigurationFile(file)) {
    return named ? notATrace(file, 'it is a sidecar or a configuration', true, []) : UNLISTED;
  }
  if (!named && (isRecordFile(file) || isReport(document.value))) return UNLISTED;
  const description = describeDocument(document);
  if (!named) return notATrace(file, description, true, []);
  const message = `Unknown trace format: ${description}. A "map" in the configuration can describe it.`;
  return notATrace(file, description, false, [createProblem('error', NO_TRACE, file, message, { line: 1 })]);
}

/** Of an evaluation before. */
function isReport(value: unknown): boolean {
  return get(get(value, 'tool'), 'name') === 'turnwise';
}

async function parseInput({ file }: InputFile, { files, stdin, signal }: ReadOptions): Promise<ParsedFile> {
  try {
    if (file === '-') return parseDecoded(file, decode(stdin ? await stdin() : new Uint8Array()));
    const bytes = await files.read(file, signal);
    return isSidecar(file) ? parseWithComments(file, bytes) : parseDecoded(file, decode(bytes));
  } catch (error) {
    if (error instanceof FileTooLarge) return failedParse(toProblem(file, tooLargeIssue(error.size)));
    return failedParse(unreadableProblem(file, error));
  }
}

export function unreadableProblem(file: string, error: unknown): Problem {
  return createProblem('error', 'unreadable', file, `Can't read the file: ${describeSystemError(error)}.`);
}

function failedParse(why: Problem): ParsedFile {
  return { document: null, text: null, problems: [why] };
}

interface DetectedFile {
  readonly format: Format;
  readonly reason: string;
  readonly reading: ReadResult;
}

async function detectAndRead(
  document: Document,
  { formats, forced, mapTask }: ReadOptions,
): Promise<DetectedFile | null> {
  for (const format of formats) {
    try {
      const reason = forced ? 'as requested' : format.detect(document);
      if (reason !== null) return { format, reason, reading: await readDocument(document, format, mapTask) };
    } catch (error) {
      // An error in one reader must not affect other files.
      const failed = readerFailed(document.file, format, error);
      return { format, reason: READER_FAILED, reading: { sessions: [], problems: [failed] } };
    }
  }
  return null;
}

const READER_FAILED = 'its reader failed';

export function readerFailed(file: string, format: Format, error: unknown): Problem {
  const message = `Turnwise failed to read this file as ${format.name} (${describeSystemError(error)}). This is a bug in Turnwise; please report it.`;
  return createProblem('error', 'reader-failed', file, message, { line: 1 });
}

async function readDocument(document: Document, format: Format, mapTask: TaskMapper | undefined): Promise<ReadResult> {
  const reading = await format.read(document);
  return { ...reading, sessions: withFileFacts(reading.sessions, format, mapTask, document.value) };
}

/** Adds what the format and the user say of all sessions of a file. @param value that pointers of the sessions lead into */
export function withFileFacts(
  sessions: readonly Session[],
  format: Format,
  mapTask: TaskMapper | undefined,
  value: unknown,
): readonly Session[] {
  if (!format.coding && !mapTask) return sessions;
  return sessions.map((session) => ({
    ...(mapTask ? withDeclaredTask(session, mapTask(session, value)) : session),
    ...(format.coding ? { coding: true } : {}),
  }));
}

async function applySidecarFile(
  sessions: readonly Session[],
  file: string,
  { files, signal, locator }: ReadOptions,
): Promise<Pick<FileReadResult, 'sessions' | 'problems'> & { readonly files: readonly string[] }> {
  const none = { sessions, problems: [], files: [] };
  if (file === '-' || sessions.length === 0) return none;
  for (const name of sidecarNames(file)) {
    try {
      const bytes = await readSidecar(name, files, signal);
      if (!bytes) continue;
      const { document, text, problems } = parseWithComments(name, bytes);
      if (!document) return { sessions, problems, files: [name] };
      // A session file in Turnwise's own format may have the same name; it is not a sidecar.
      if (get(document.value, 'turnwise') !== undefined) continue;
      if (text !== null) locator.addText(document, text);
      return { ...applySidecar(sessions, document.value, name), files: [name] };
    } catch (error) {
      const message = `Can't read the sidecar of ${file}: ${describeSystemError(error)}.`;
      return { sessions, problems: [createProblem('error', 'unreadable', name, message)], files: [name] };
    }
  }
  return none;
}

/** Null when there is none. @throws RefusedFile */
export async function readSidecar(
  path: string,
  files: Pick<FileSystem, 'stat' | 'read' | 'leadsOutside'>,
  signal?: AbortSignal,
): Promise<Uint8Array | null> {
  const stat = await files.stat(path);
  if (stat === null || stat.kind === 'directory') return null;
  if (await files.leadsOutside(path, folderOf(path)))
    throw new RefusedFile('it is a link that leads out of the folder');
  return files.read(path, signal);
}

/** Cases of an evaluation set count as sessions, which they become if they have no run. */
export function countContents({
  sessions,
  expectations = [],
}: Pick<ReadResult, 'sessions' | 'expectations'>): Pick<FileSummary, 'sessions' | 'turns' | 'calls'> {
  let turns = 0;
  let calls = 0;
  for (const expectation of expectations) turns += expectation.turns.length;
  for (const session of sessions) {
    turns += session.turns.length;
    const open = [...session.turns];
    for (let turn = open.pop(); turn; turn = open.pop()) {
      calls += agentToolCalls(turn).length;
      for (const step of turn.steps) if (step.type === 'agent') open.push(...step.turns);
    }
  }
  return { sessions: sessions.length + expectations.length, turns, calls };
}

/** Describes a document that is not a trace: `it is an object with the keys "name", "version"`. */
function describeDocument({ value, lines }: Document): string {
  if (lines && Array.isArray(value)) return `it is JSON Lines, ${describeEntries(value)}`;
  if (Array.isArray(value))
    return value.length === 0 ? 'it is an empty list' : `it is a list, ${describeEntries(value)}`;
  if (isObject(value)) return `it is ${describeObject(value)}`;
  if (value === null) return 'it is null';
  return `it is a ${typeof value}`;
}

function describeEntries(entries: readonly unknown[]): string {
  const first = entries.find((entry) => entry !== undefined);
  if (isObject(first)) return `and its first entry is ${describeObject(first)}`;
  if (Array.isArray(first)) return 'and its first entry is a list';
  return `and its first entry is ${first === null ? 'null' : `a ${typeof first}`}`;
}

const MAX_NAMED_KEYS = 5;

function describeObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const names = keys.map((key) => JSON.stringify(key.length > 40 ? `${key.slice(0, 39)}…` : key));
  return `an object with ${keys.length === 1 ? 'the key' : 'the keys'} ${listSome(names, MAX_NAMED_KEYS)}`;
}
