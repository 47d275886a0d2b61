import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoizeWeak } from '../../core/cache/memoize.ts';
import { createSessionModel } from '../../panel/panel-session.ts';
import {
  type FileLocation,
  type FileProblemRow,
  type FileRow,
  NO_HEADLINES,
  type SessionProblemRow,
  type SessionRow,
} from '../../protocol/messages.ts';
import type { SortOrder } from '../../protocol/results-outline.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import { byHeadline } from '../../report-model/session-order.ts';
import { isInside, isWithin } from '../disk/paths.ts';
import { companionInputPaths, EvaluatedFile, isCompanionInput, isConfigurationFile } from './evaluated-file.ts';
import { type FileResult, FileVersions, type VersionsByPath } from './file-versions.ts';
import { statusWithScores } from './outdated-scores.ts';
import { countHeadlines, fileOrder } from './result-order.ts';
import { rewritePaths } from './rewrite-paths.ts';
import type { FileProblem, ResultRows, SessionResultsView } from './session-results-view.ts';
import { locateSummaries } from './turn-summary.ts';

/** A page of a list, and the length of the list. */
export interface ListPage<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

/** All results, until they are evaluated again or cleared. All ranges are those of the current text. */
export class EvaluationResults {
  /** Final results. */
  #settled: readonly SessionResultsView[] = [];
  /** Results of running evaluations, shown in place of the final ones, by the versions that each evaluation reads. */
  readonly #partialSessions = new Map<VersionsByPath, readonly SessionResultsView[]>();
  /** The worst first. */
  #sessions: readonly SessionResultsView[] = [];
  #byKey: ReadonlyMap<string, SessionResultsView> = new Map();
  /** By the paths of all files that they were read from. */
  #byPath: ReadonlyMap<string, readonly SessionResultsView[]> = new Map();
  #problems: ReadonlyMap<string, readonly FileProblem[]> = new Map();
  readonly #texts = new FileVersions();
  /** Files that may be traces, judged by their names. */
  readonly #candidates = new Set<string>();
  #lookalikes: readonly string[] = [];

  /**
   * The results of a run replace all earlier results of the files and folders that it evaluated.
   *
   * @param texts the versions that were read, by path. @param others folders inside that were not evaluated.
   * @returns here and below: the files whose results have changed.
   */
  replace(
    paths: readonly string[],
    rows: ResultRows,
    texts: VersionsByPath = new Map(),
    others: ReadonlySet<string> = new Set(),
  ): readonly string[] {
    const evaluated = new Set([...paths, ...rows.sessions.map(({ file }) => file)]);
    const reported = new Set(rows.problems.map(({ file }) => file));
    const isEvaluated = (file: string) => isWithin(file, evaluated) && !isWithin(file, others);
    const broken = this.#brokenFiles(rows);
    const versions = withAllVersions(texts, rows);
    for (const [path, version] of broken) versions.set(path, version);
    this.#endPartial(texts, rows);
    return this.#settle(
      (result) => {
        const { file } = result;
        if ('turnPlaces' in result && broken.has(file)) return true;
        return !isEvaluated(file) && !reported.has(file) && !isInputOfAny(file, [...evaluated, ...texts.keys()]);
      },
      rows,
      versions,
      'new',
    );
  }

  /** Files that can no longer be read keep their last results: they are outdated. @returns the versions of these results. */
  #brokenFiles({ sessions, problems }: ResultRows): VersionsByPath {
    const readable = new Set(sessions.flatMap(filesOf));
    const errors = problems.filter(({ row, file }) => row.severity === 'error' && !readable.has(file));
    return new Map(
      errors.flatMap(({ file }) => {
        const version = this.#settled.some((session) => session.file === file) ? this.#texts.get(file) : undefined;
        return version ? [[file, version] as const] : [];
      }),
    );
  }

  /** The results of a stopped run replace only the sessions and problems that it reports. */
  merge(rows: ResultRows, texts: VersionsByPath): readonly string[] {
    const keys = new Set(rows.sessions.map(({ row }) => row.key));
    const reported = new Set(rows.problems.map(({ file }) => file));
    const isPinned = (result: FileResult) =>
      'turnPlaces' in result ? !keys.has(result.row.key) : !reported.has(result.file);
    this.#endPartial(texts, rows);
    return this.#settle(isPinned, rows, withAllVersions(texts, rows), 'old');
  }

  /** A run has left results. What an earlier run, which waits, shows of the same sessions gives way to them. */
  #endPartial(texts: VersionsByPath, { sessions }: ResultRows): void {
    this.#partialSessions.delete(texts);
    const keys = new Set(sessions.map(({ row }) => row.key));
    for (const [run, views] of this.#partialSessions) {
      this.#partialSessions.set(
        run,
        views.filter(({ row }) => !keys.has(row.key)),
      );
    }
  }

  /** Adds the stored results of files that have none now. */
  restore(rows: ResultRows, texts: VersionsByPath): readonly string[] {
    return this.#settle(() => true, rows, withAllVersions(texts, rows), 'old');
  }

  /** Moves the results of a file to its new path. */
  move(from: string, text: EvaluatedFile): readonly string[] {
    const moved = this.#settled.filter(({ files }) => files.includes(from));
    const rows = rewritePaths({ sessions: moved, problems: this.#problems.get(from) ?? [] }, from, text.path);
    const texts = new Map(moved.flatMap((session) => [...this.versionsOf(session)]));
    texts.delete(from);
    texts.set(text.path, text);
    this.#candidates.delete(from);
    const isPinned = (result: FileResult) => result.file !== text.path && !filesOf(result).includes(from);
    return this.#settle(isPinned, rows, withAllVersions(texts, rows), 'new');
  }

  /** @param next which of two versions of a file becomes the current one. */
  #settle(
    isPinned: (result: FileResult) => boolean,
    { sessions, problems }: ResultRows,
    texts: VersionsByPath,
    next: 'new' | 'old',
  ): readonly string[] {
    const before = this.problems;
    const errors = problems.filter(({ row }) => row.severity === 'error');
    const gone = [...this.#settled, ...before].filter((result) => !isPinned(result));
    this.#settled = [...this.#settled.filter(isPinned), ...sessions];
    this.#problems = Map.groupBy([...before.filter(isPinned), ...errors], ({ file }) => file);
    for (const result of [...sessions, ...errors]) this.#texts.assign(result, texts);
    this.#list();
    const touched = new Set([...texts.keys(), ...[...gone, ...sessions, ...errors].flatMap(filesOf)]);
    for (const path of touched) {
      const results = [...this.sessionsIn(path), ...(this.#problems.get(path) ?? [])];
      const old = next === 'old' ? this.#texts.get(path) : undefined;
      this.#texts.prune(path, results, old ?? texts.get(path));
    }
    return [...touched];
  }

  /**
   * An evaluation has ended: its results so far are removed.
   *
   * @param texts the versions that it has read.
   */
  endRun(texts: VersionsByPath): readonly string[] {
    const paths = (this.#partialSessions.get(texts) ?? []).flatMap(filesOf);
    if (this.#partialSessions.delete(texts)) this.#list();
    const touched = new Set([...paths, ...this.#texts.endReading(texts.values())]);
    for (const path of touched) {
      this.#texts.prune(path, [...this.sessionsIn(path), ...(this.#problems.get(path) ?? [])]);
    }
    return [...new Set(paths)];
  }

  /** An evaluation has read a version: from now on it follows the edits. */
  addVersion(text: EvaluatedFile): void {
    this.#texts.startReading(text);
  }

  /**
   * Shows results of a running evaluation.
   *
   * @param sessions all its sessions so far, new and old. @param texts the versions that it has read: always the same map.
   */
  showPartial(
    views: readonly SessionResultsView[],
    sessions: readonly SessionResultsView[],
    texts: VersionsByPath,
  ): void {
    for (const session of [...views, ...sessions]) {
      const before = session.row.turnsDone === null ? undefined : this.#byKey.get(session.row.key);
      this.#texts.assign(session, before ? this.#texts.versionsOf(before) : texts);
    }
    for (const session of views) this.#texts.addCurrent(session, texts);
    this.#partialSessions.set(texts, sessions);
    this.#list();
  }

  clear(): void {
    this.#settled = [];
    this.#partialSessions.clear();
    this.#problems = new Map();
    this.#list();
    this.#texts.clear();
  }

  get problems(): readonly FileProblem[] {
    return [...this.#problems.values()].flat();
  }

  /** Files with results. */
  get paths(): readonly string[] {
    return this.#texts.paths;
  }

  /** The results of a file that are stored: the sessions that begin in it, and its problems. */
  persistableIn(path: string): ResultRows {
    const sessions = this.sessionsIn(path).filter(({ file, row }) => file === path && row.turnsDone === null);
    return { sessions, problems: this.#problems.get(path) ?? [] };
  }

  /** @param hash of the current bytes; null: the file is gone. @returns whether its state has changed. */
  updateHash(path: string, hash: string | null, isDirty = false): boolean {
    return this.#texts.updateHash(path, hash, isDirty);
  }

  /** Like `updateHash`, for a possible input of other files. @returns the paths whose state has changed. */
  updateInputHash(path: string, hash: string | null): readonly string[] {
    return this.#texts.updateInputHash(path, hash);
  }

  /** A document has unsaved changes. */
  addEdits(path: string, edits: readonly TextDelta[]): void {
    this.#texts.addEdits(path, edits);
  }

  /** Whether an evaluation of a file may give something else now: it has changed, or could not be read. */
  needsEvaluation(path: string): boolean {
    const file = this.#texts.get(path);
    if (!file || file.state === 'gone') return false;
    return file.isChanged || this.#problems.has(path);
  }

  /** Whether any file was, or could have been, evaluated with this input. */
  isInput(path: string): boolean {
    return this.#texts.isInput(path);
  }

  /** The current version of a file. */
  file(path: string): EvaluatedFile | undefined {
    return this.#texts.get(path);
  }

  /** A file that may be a trace was found or deleted. @returns whether that is a change. */
  addCandidate(path: string): boolean {
    const isNews = !this.#candidates.has(path);
    this.#candidates.add(path);
    return isNews && !this.#texts.get(path);
  }

  /** Files that look like traces by their content, and are neither evaluated nor traces by their names. */
  get lookalikes(): readonly string[] {
    return this.#lookalikes.filter((path) => !this.#texts.get(path) && !this.#candidates.has(path));
  }

  listLookalikes(offset: number, limit: number): ListPage<FileRow> {
    const paths = this.lookalikes;
    return { total: paths.length, rows: paths.slice(offset, offset + limit).map(candidateRow) };
  }

  /** @returns the files that came or went. */
  setLookalikes(paths: readonly string[]): readonly string[] {
    const [before, now] = [new Set(this.#lookalikes), new Set(paths)];
    this.#lookalikes = paths.toSorted();
    return [...this.#lookalikes.filter((path) => !before.has(path)), ...[...before].filter((path) => !now.has(path))];
  }

  /** Known files that may be traces, judged by their names. */
  get candidates(): readonly string[] {
    return [...this.#candidates];
  }

  removeCandidate(path: string): boolean {
    return this.#candidates.delete(path) && !this.#texts.get(path);
  }

  /** Evaluated files, then those that were not evaluated yet, then unreadable ones. */
  files(offset: number, limit: number, sort: SortOrder = 'outcome'): ListPage<FileRow> {
    const evaluated = this.#texts.paths.map((path) => this.#rowOf(path)).sort(fileOrder(sort));
    const unreadable = evaluated.filter(isUnreadable);
    const readable = evaluated.filter((row) => !isUnreadable(row));
    const others = [...this.#candidates].filter((path) => !this.#texts.get(path)).sort();
    const rows = [...readable, ...others.map(candidateRow), ...unreadable];
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }

  #rowOf(path: string): FileRow {
    const sessions = this.sessionsIn(path).filter((session) => session.file === path);
    const risks = sessions.flatMap(({ row }) => row.risk ?? []);
    return {
      uri: pathToFileURL(path).href,
      ...statusWithScores(this.#texts.fileStatus(path), sessions),
      sessions: sessions.length,
      headlines: countHeadlines(sessions),
      risk: risks.length === 0 ? null : risks.reduce((a, b) => Math.max(a, b)),
      problems: (this.#problems.get(path) ?? []).map(({ row }) => this.#problemNow(row)),
    };
  }

  /** @param file only sessions that were read from it, entirely or in part. */
  sessions(offset: number, limit: number, file?: string): ListPage<SessionRow> {
    const sessions = file === undefined ? this.#sessions : this.sessionsIn(file);
    return {
      total: sessions.length,
      rows: sessions.slice(offset, offset + limit).map((session) => this.sessionRow(session)),
    };
  }

  /** All sessions; another list after every change. */
  get all(): readonly SessionResultsView[] {
    return this.#sessions;
  }

  /** Sessions that were read from a file, entirely or in part. */
  sessionsIn(path: string): readonly SessionResultsView[] {
    return this.#byPath.get(path) ?? [];
  }

  session(key: string): SessionResultsView | undefined {
    return this.#byKey.get(key);
  }

  /** What views derive from a session; computed once, since a session that changes gets a new view. */
  readonly model = memoizeWeak(createSessionModel);

  /** The summaries of a session's turns, in the order of its report. */
  readonly turnSummaries = memoizeWeak(locateSummaries);

  /** The versions of its files that a session was evaluated in, by path. */
  versionsOf(session: SessionResultsView): VersionsByPath {
    const texts = this.#texts.versionsOf(session);
    return new Map(
      session.files.flatMap((path) => {
        const text = texts?.get(path) ?? this.#texts.get(path);
        return text ? [[path, text]] : [];
      }),
    );
  }

  failures(session: string, offset: number, limit: number): ListPage<SessionProblemRow> {
    const failures = this.session(session)?.failures ?? [];
    return {
      total: failures.length,
      rows: failures.slice(offset, offset + limit).map((row) => this.currentFinding(row)),
    };
  }

  /** A finding with its current ranges. */
  currentFinding<Found extends Pick<SessionProblemRow, 'location' | 'related'>>(finding: Found): Found {
    const { location, related } = finding;
    return {
      ...finding,
      location: this.currentLocation(location),
      related: related.map((range) => ({ ...range, ...this.currentLocation(range) })),
    };
  }

  currentLocation({ uri, range }: FileLocation): FileLocation {
    return { uri, range: this.#texts.mapRange(uri, range) };
  }

  #problemNow(row: FileProblemRow): FileProblemRow {
    return { ...row, location: this.currentLocation(row.location) };
  }

  sessionRow(session: SessionResultsView): SessionRow {
    const { row } = session;
    const status = statusWithScores(this.#texts.sessionStatus(session), [session]);
    return { ...row, ...status, location: this.currentLocation(row.location) };
  }

  /** Updates the lists of what is shown. */
  #list(): void {
    const sessions = new Map(this.#settled.map((session) => [session.row.key, session]));
    for (const session of [...this.#partialSessions.values()].flat()) sessions.set(session.row.key, session);
    this.#sessions = [...sessions.values()].sort((a, b) => byHeadline(a.row, b.row));
    this.#byKey = sessions;
    const byPath = new Map<string, SessionResultsView[]>();
    for (const session of this.#sessions) for (const path of session.files) appendTo(byPath, path, session);
    this.#byPath = byPath;
  }
}

function appendTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function filesOf(result: FileResult): readonly string[] {
  return 'files' in result ? result.files : [result.file];
}

/**
 * Whether a file is the configuration or the sidecar of one of these paths, whose evaluation reports its problems
 * again.
 */
function isInputOfAny(file: string, paths: readonly string[]): boolean {
  if (isConfigurationFile(file)) return paths.some((path) => isInside(path, dirname(file)));
  return isCompanionInput(file) && paths.some((path) => companionInputPaths(path).includes(file));
}

/** With a version for every file that has results. */
function withAllVersions(texts: VersionsByPath, { sessions, problems }: ResultRows): Map<string, EvaluatedFile> {
  const paths = new Set([...sessions, ...problems].flatMap(filesOf));
  const unknown = [...paths].filter((path) => !texts.has(path));
  return new Map([...texts, ...unknown.map((path) => [path, new EvaluatedFile(path, null)] as const)]);
}

function candidateRow(path: string): FileRow {
  const uri = pathToFileURL(path).href;
  return { uri, state: 'new', sessions: 0, headlines: NO_HEADLINES, risk: null, problems: [] };
}

/** Whether nothing could be read of it. */
function isUnreadable({ sessions, problems }: FileRow): boolean {
  return sessions === 0 && problems.length > 0;
}
