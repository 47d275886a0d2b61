import { createProblem, type Problem } from '../core/problem.ts';
import type { Session, Tool } from '../core/session.ts';
import type { Format } from '../formats/format.ts';
import { UniqueIds } from '../formats/ids.ts';
import { FORMATS } from '../formats/index.ts';
import type { FileSystem } from './file-system.ts';
import { joinSessions } from './join-sessions.ts';
import { type Locator, TextLocator } from './locator.ts';
import { type LocatedExpectation, pairExpectations } from './pair-expectations.ts';
import { ProblemsByFile } from './problems-by-file.ts';
import { type FileSummary, readFile } from './read-file.ts';
import { attachSubAgents } from './sub-agents.ts';
import type { SuppliedContext } from './supplements.ts';
import { walkInputs } from './walk-inputs.ts';

export type { TextRange } from '../core/pointer-ranges.ts';
export type { Locator } from './locator.ts';
export type { FileSummary } from './read-file.ts';

export interface LoadOptions {
  /** `--input-format`: read as this format, whatever detection says. */
  readonly format?: string;
  /** `--tools`, for traces that carry none. */
  readonly tools?: readonly Tool[];
  /** `--context`: goal, policy and knowledge for traces that carry none. */
  readonly context?: SuppliedContext;
  /** What `-` reads. */
  readonly stdin?: () => Promise<Uint8Array>;
  readonly signal: AbortSignal;
  /** After each file. */
  readonly onFile?: (file: string) => void;
}

export interface LoadResult {
  /** In input order; ids are unique. */
  readonly sessions: readonly Session[];
  readonly problems: readonly Problem[];
  readonly files: readonly FileSummary[];
  readonly locator: Locator;
}

/**
 * Walks, reads, detects, joins and pairs. Rejects only when the signal is aborted.
 *
 * @param inputs paths of files and folders, and `-` for standard input; globs are expanded before.
 * @param formats tried in this order.
 */
export async function load(
  inputs: readonly string[],
  files: FileSystem,
  options: LoadOptions,
  formats: readonly Format[] = FORMATS,
): Promise<LoadResult> {
  const { signal, stdin, onFile } = options;
  const locator = new TextLocator();
  const chosen = options.format === undefined ? formats : formats.filter(({ name }) => name === options.format);
  if (chosen.length === 0) {
    return { sessions: [], problems: [unknownFormatProblem(inputs, options.format, formats)], files: [], locator };
  }
  const { found, problems: walkProblems } = await walkInputs(inputs, files, signal);
  const problems = [...walkProblems];
  const summaries: FileSummary[] = [];
  const read: Session[] = [];
  const expected: LocatedExpectation[] = [];
  const forced = options.format !== undefined;
  for (const one of found) {
    signal.throwIfAborted();
    const reading = await readFile(one, { files, formats: chosen, forced, stdin, signal, locator });
    if (reading.summary) summaries.push(reading.summary);
    for (const session of reading.sessions) read.push(session);
    for (const expectation of reading.expectations) expected.push(expectation);
    for (const told of reading.problems) problems.push(told);
    onFile?.(one.file);
  }
  signal.throwIfAborted();

  const joining = new Set(formats.filter(({ joins }) => joins === 'session-id').map(({ name }) => name));
  const joined = joinSessions(read, (format) => joining.has(format));
  const paired = pairExpectations(attachSubAgents(joined.sessions), expected);
  const unique = withUniqueIds(sortByFile(paired.sessions, found));
  const sessions = unique.sessions.map((session) => withSupplements(session, options));
  const told = [...problems, ...joined.problems, ...paired.problems, ...unique.problems];
  if (sessions.length === 0 && told.length === 0) told.push(noTraceProblem(inputs, summaries));
  return { sessions, problems: locator.withLines(told), files: summaries, locator };
}

function sortByFile(sessions: readonly Session[], files: readonly { readonly file: string }[]): Session[] {
  const place = new Map(files.map(({ file }, index) => [file, index]));
  const placeOf = ({ source }: Session) => place.get(source.file) ?? files.length;
  return sessions.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function withUniqueIds(sessions: readonly Session[]): { sessions: Session[]; problems: readonly Problem[] } {
  const ids = new UniqueIds();
  const problems = new ProblemsByFile();
  const unique = sessions.map((session) => {
    const id = ids.claim(session.id);
    if (id === session.id) return session;
    const { file, pointer } = session.source;
    problems
      .of(file)
      .warn(
        'duplicate-session-id',
        pointer,
        `A session before it has the id "${session.id}" too; this one is called "${id}".`,
      );
    return { ...session, id };
  });
  return { sessions: unique, problems: problems.list() };
}

/** What the user gave for traces that carry none. */
function withSupplements(session: Session, { tools, context }: LoadOptions): Session {
  if (!tools && !context) return session;
  return {
    ...session,
    tools: session.tools ?? tools,
    goal: session.goal ?? context?.goal,
    system: session.system ?? context?.system,
    knowledge: session.knowledge ?? context?.knowledge,
  };
}

function unknownFormatProblem(inputs: readonly string[], name = '', formats: readonly Format[]): Problem {
  const names = formats.map((format) => format.name).join(', ');
  const message = `There is no format "${name}". Name one of these: ${names}.`;
  return createProblem('error', 'unknown-format', inputs[0] ?? '-', message);
}

function noTraceProblem(inputs: readonly string[], { length: files }: readonly FileSummary[]): Problem {
  const none = files === 1 ? 'one file, and it is none' : `${files} files, and none is one`;
  const seen = files === 0 ? 'no file that may be one' : none;
  const message = `There is no trace to evaluate: ${seen}. "turnwise formats" lists what is read.`;
  return createProblem('warning', 'no-sessions', inputs[0] ?? '-', message);
}
