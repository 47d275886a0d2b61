import { createProblem, NO_SESSIONS, type Problem } from '../core/problem.ts';
import type { Session, Step, Tool, Turn } from '../core/session.ts';
import type { Format } from '../formats/format.ts';
import { UniqueIds } from '../formats/ids.ts';
import { FORMATS } from '../formats/index.ts';
import type { TaskMapper } from '../formats/mapped/task-mapper.ts';
import { evaluationSetsBeside } from './evaluation-sets.ts';
import type { FileSystem } from './file-system.ts';
import { joinSessions } from './join-sessions.ts';
import { type Locator, TextLocator } from './locator.ts';
import { type LocatedExpectation, pairExpectations } from './pair-expectations.ts';
import { ProblemsByFile } from './problems-by-file.ts';
import { type FileReadResult, type FileSummary, type ReadOptions, readFile } from './read-file.ts';
import { readParts } from './read-parts.ts';
import { attachSubAgents } from './sub-agents.ts';
import type { SuppliedContext } from './supplements.ts';
import { type InputFile, walkInputs } from './walk-inputs.ts';

export type { TextRange } from '../core/pointer-ranges.ts';
export type { Locator } from './locator.ts';
export type { FileSummary } from './read-file.ts';

export interface LoadOptions {
  /** `--input-format`: read as this format, without detection. */
  readonly format?: string;
  /** `--tools`: for traces without a tool catalogue. */
  readonly tools?: readonly Tool[];
  /** `--context`: goal, policy and knowledge for traces without them. */
  readonly context?: SuppliedContext;
  /** What the configuration or `--task-by` says of tasks; a sidecar wins over it. */
  readonly mapTask?: TaskMapper | undefined;
  /** Content of the input `-`. */
  readonly stdin?: () => Promise<Uint8Array>;
  /**
   * Reads large files in parts, and texts again when lines are needed, where whole texts would be kept: for runs that keep no
   * session. The lines of a file that was changed meanwhile are unknown.
   */
  readonly rereads?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Called after each file. @param of how many files there are. */
  readonly onFile?: (file: string, of: number) => void;
}

export interface LoadResult {
  /** In input order; ids are unique. */
  readonly sessions: readonly Session[];
  readonly problems: readonly Problem[];
  readonly files: readonly FileSummary[];
  /** The files that the sessions come from: traces, evaluation sets, sidecars. */
  readonly sources: readonly string[];
  readonly locator: Locator;
}

/** The sessions of some inputs, read one file at a time. */
export interface SessionStream {
  /** In input order, with unique ids, each as soon as it is complete. Can be iterated once. */
  readonly sessions: AsyncIterable<Session>;
  /** The files and problems so far; complete when the iteration has ended. */
  summary(): ReadSummary;
  /** The files that are read, known with the first session; and those of them, or beside them, that say what is expected. */
  inputs(): { readonly files: readonly string[]; readonly evaluationSets: readonly string[] };
  readonly locator: Locator;
}

export interface ReadSummary {
  readonly problems: readonly Problem[];
  readonly files: readonly FileSummary[];
  /** The files that the sessions come from: traces, evaluation sets, sidecars. */
  readonly sources: readonly string[];
  /** How many files are not read yet. */
  readonly unreadFiles: number;
}

/** Reads all sessions of some inputs; see `streamSessions`. */
export async function load(
  inputs: readonly string[],
  files: FileSystem,
  options: LoadOptions,
  formats: readonly Format[] = FORMATS,
): Promise<LoadResult> {
  const stream = streamSessions(inputs, files, options, formats);
  const sessions: Session[] = [];
  for await (const session of stream.sessions) sessions.push(session);
  const { problems, files: summaries, sources } = stream.summary();
  return { sessions, problems, files: summaries, sources, locator: stream.locator };
}

/**
 * Walks, reads, detects, joins and pairs, one file at a time. The iteration throws only when the signal is aborted.
 *
 * @param inputs paths of files and folders, and `-` for standard input; globs are expanded before. An iterable: files that are
 * written while earlier ones are evaluated, each whole in itself.
 * @param formats tried in this order.
 */
export function streamSessions(
  inputs: readonly string[] | AsyncIterable<string>,
  files: FileSystem,
  options: LoadOptions,
  formats: readonly Format[] = FORMATS,
): SessionStream {
  return new SessionReader(inputs, files, options, formats);
}

class SessionReader implements SessionStream {
  readonly sessions: AsyncIterable<Session>;
  readonly locator = new TextLocator();
  readonly #files: FileSystem;
  readonly #options: LoadOptions;
  readonly #formats: readonly Format[];
  /** Formats whose sessions are joined by id. */
  readonly #joining: ReadonlySet<string>;
  readonly #ids = new UniqueIds();
  readonly #summaries: FileSummary[] = [];
  readonly #sources: string[] = [];
  #unreadFiles = 0;
  #found: readonly InputFile[] = [];
  /** Problems of reading files; those of joining, pairing and ids are kept apart, to be listed after them. */
  readonly #problems: Problem[] = [];
  #joinProblems: readonly Problem[] = [];
  readonly #idProblems = new ProblemsByFile();
  /** Sessions that are read but not yielded yet, in input order. */
  #queue: Session[] = [];
  readonly #expected: LocatedExpectation[] = [];

  constructor(
    inputs: readonly string[] | AsyncIterable<string>,
    files: FileSystem,
    options: LoadOptions,
    formats: readonly Format[],
  ) {
    this.#files = files;
    this.#options = options;
    this.#formats = options.format === undefined ? formats : formats.filter(({ name }) => name === options.format);
    this.#joining = new Set(formats.filter(({ joins }) => joins === 'session-id').map(({ name }) => name));
    const paths = Symbol.asyncIterator in inputs ? [] : inputs;
    if (this.#formats.length === 0) this.#problems.push(unknownFormatProblem(paths, options.format, formats));
    this.sessions =
      this.#formats.length === 0
        ? emptyIterable()
        : Symbol.asyncIterator in inputs
          ? this.#readAsWritten(inputs)
          : this.#read(inputs);
  }

  summary(): ReadSummary {
    const problems = [...this.#problems, ...this.#joinProblems, ...this.#idProblems.list()];
    return {
      problems: this.locator.withLines(problems),
      files: this.#summaries,
      sources: this.#sources,
      unreadFiles: this.#unreadFiles,
    };
  }

  inputs(): { readonly files: readonly string[]; readonly evaluationSets: readonly string[] } {
    return {
      files: this.#found.map(({ file }) => file),
      evaluationSets: [...new Set(this.#expected.map(({ file }) => file))],
    };
  }

  /** Each file has all of its sessions. */
  async *#readAsWritten(paths: AsyncIterable<string>): AsyncGenerator<Session, void> {
    for await (const file of paths) {
      this.#options.signal.throwIfAborted();
      this.#addResult(await this.#readInput({ file, isExplicit: false }));
      yield* this.#finished(this.#queue.splice(0));
    }
  }

  async *#read(inputs: readonly string[]): AsyncGenerator<Session, void> {
    const { signal, onFile } = this.#options;
    const { files: inputFiles, problems } = await walkInputs(inputs, this.#files, signal);
    this.#problems.push(...problems);
    this.#found = inputFiles;
    await this.#readEvaluationSets(inputFiles);
    const lastEvaluationSet = await this.#lastEvaluationSet(inputFiles);
    this.#unreadFiles = inputFiles.length;
    let isEmpty = true;
    for (const [index, inputFile] of inputFiles.entries()) {
      signal.throwIfAborted();
      for await (const isRead of this.#readFile(inputFile)) {
        if (isRead) {
          this.#unreadFiles -= 1;
          onFile?.(inputFile.file, inputFiles.length);
        }
        if (this.#expected.length > 0 || index < lastEvaluationSet) continue;
        const complete = this.#takeComplete();
        isEmpty &&= complete.length === 0;
        yield* this.#finished(complete);
      }
    }
    signal.throwIfAborted();

    const joined = this.#join(inputFiles);
    isEmpty &&= joined.length === 0;
    yield* this.#finished(joined);
    if (isEmpty && this.summary().problems.length === 0) {
      this.#problems.push(noTraceProblem(inputs, this.#summaries));
    }
  }

  /** What evaluation sets beside the files expect. Their cases without a session are not part of the run. */
  async #readEvaluationSets(found: readonly InputFile[]): Promise<void> {
    // A format that the user chose is that of the traces.
    if (this.#options.format !== undefined) return;
    const beside = await evaluationSetsBeside(found, this.#files, this.#options.signal);
    this.#problems.push(...beside.problems);
    for (const inputFile of beside.files) {
      const { summary, expectations, problems, sources } = await this.#readInput(inputFile);
      for (const expectation of expectations) this.#expected.push({ ...expectation, isBeside: true });
      // Other files of such a name are not part of the run either.
      if (expectations.length === 0 && summary?.format !== null) continue;
      this.#sources.push(...sources);
      this.#problems.push(...problems.map((problem): Problem => ({ ...problem, severity: 'warning' })));
    }
  }

  #readInput(inputFile: InputFile): Promise<FileReadResult> {
    return readFile(inputFile, this.#readOptions());
  }

  #readOptions(): ReadOptions {
    const { format, mapTask, stdin, rereads, signal } = this.#options;
    return {
      files: this.#files,
      formats: this.#formats,
      forced: format !== undefined,
      mapTask,
      stdin,
      rereads,
      signal,
      locator: this.locator,
    };
  }

  /** Fills the queue. @returns after each part of the file, whether it is the last one */
  async *#readFile(inputFile: InputFile): AsyncGenerator<boolean, void> {
    const parts = readParts(inputFile.file, this.#readOptions());
    let part = await parts.next();
    for (; !part.done; part = await parts.next()) {
      for (const session of part.value) this.#queue.push(session);
      yield false;
    }
    this.#addResult(part.value ?? (await this.#readInput(inputFile)));
    yield true;
  }

  #addResult(read: FileReadResult): void {
    if (read.summary) this.#summaries.push(read.summary);
    for (const session of read.sessions) this.#queue.push(session);
    for (const expectation of read.expectations) this.#expected.push(expectation);
    for (const problem of read.problems) this.#problems.push(problem);
    this.#sources.push(...read.sources);
  }

  /**
   * The index of the last file that may contain an evaluation set; -1 if there is none. Earlier sessions may be runs of
   * its cases, so they wait for it. Searches the bytes of each file for a key, which is cheap compared with parsing.
   */
  async #lastEvaluationSet(files: readonly InputFile[]): Promise<number> {
    const keys = this.#formats.flatMap(({ expectationKeys }) => expectationKeys ?? []);
    for (let index = keys.length > 0 ? files.length - 1 : 0; index > 0; index -= 1) {
      this.#options.signal.throwIfAborted();
      const { file = '-' } = files[index] ?? {};
      if (file === '-' || (await this.#contains(file, keys))) return index;
    }
    return -1;
  }

  async #contains(file: string, keys: readonly string[]): Promise<boolean> {
    try {
      const bytes = await this.#files.read(file, this.#options.signal);
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return keys.some((key) => buffer.includes(JSON.stringify(key)));
    } catch {
      // Reading the file for its sessions reports the problem.
      return false;
    }
  }

  /** Removes the sessions at the queue's head that no later file can change. */
  #takeComplete(): Session[] {
    const open = this.#queue.findIndex((session) => !this.#isComplete(session));
    return this.#queue.splice(0, open < 0 ? this.#queue.length : open);
  }

  #isComplete({ source, partOf, turns }: Session): boolean {
    return !this.#joining.has(source.format) && partOf === undefined && !turns.some(hasOpenSubAgent);
  }

  /** Empties the queue: joins its sessions and pairs them with the expectations. */
  #join(files: readonly InputFile[]): Session[] {
    const joined = joinSessions(this.#queue, (format) => this.#joining.has(format));
    const paired = pairExpectations(attachSubAgents(joined.sessions), this.#expected);
    this.#joinProblems = [...joined.problems, ...paired.problems];
    this.#queue = [];
    return sortByFile(paired.sessions, files);
  }

  /** Empties the list while it is iterated, so that each session can be released as soon as it is consumed. */
  *#finished(sessions: Session[]): Generator<Session, void> {
    sessions.reverse();
    for (let session = sessions.pop(); session; session = sessions.pop()) yield this.#finish(session);
  }

  /** Adds a unique id and the user's supplements. */
  #finish(session: Session): Session {
    const id = this.#ids.claim(session.id);
    if (id !== session.id) {
      const { file, pointer } = session.source;
      const message = `Another session has the id "${session.id}". This one is renamed to "${id}".`;
      this.#idProblems.of(file).warn('duplicate-session-id', pointer, message);
    }
    return withSupplements(id === session.id ? session : { ...session, id }, this.#options);
  }
}

async function* emptyIterable(): AsyncGenerator<never, void> {}

/** Whether a later file may be the log of a sub-agent that this turn started. */
function hasOpenSubAgent({ steps }: Turn): boolean {
  return steps.some((step: Step) => {
    if (step.type !== 'agent') return false;
    return step.turns.length === 0 ? step.id !== undefined : step.turns.some(hasOpenSubAgent);
  });
}

function sortByFile(sessions: readonly Session[], files: readonly { readonly file: string }[]): Session[] {
  const positions = new Map(files.map(({ file }, index) => [file, index]));
  const positionOf = ({ source }: Session) => positions.get(source.file) ?? files.length;
  return sessions.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/** Fills in what the trace lacks and the user supplied. */
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
  const message = `Unknown format "${name}". Available formats: ${names}.`;
  return createProblem('error', 'unknown-format', inputs[0] ?? '', message);
}

function noTraceProblem(inputs: readonly string[], { length: files }: readonly FileSummary[]): Problem {
  const looked =
    files === 0 ? 'no file was found' : files === 1 ? 'the file is not a trace' : `none of ${files} files is a trace`;
  const message = `No traces to evaluate: ${looked}.`;
  return createProblem('warning', NO_SESSIONS, inputs[0] ?? '', message);
}
