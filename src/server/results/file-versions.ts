import { fileURLToPath } from 'node:url';
import type { FileRange, FileState, RelatedLocation, StaleCause } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import type { EvaluatedFile } from './evaluated-file.ts';
import type { FileProblem, SessionResultsView } from './session-results-view.ts';

/** Results that belong to files. */
export type FileResult = SessionResultsView | FileProblem;

/** Versions by the paths of their files. */
export type VersionsByPath = ReadonlyMap<string, EvaluatedFile>;

/** Whether results match their files, and if not, why. */
interface FileStatus {
  readonly state: FileState;
  readonly changed?: StaleCause;
}

const STATE_RANK = { fresh: 0, stale: 1, gone: 2 } as const satisfies Record<FileState, number>;

/**
 * The versions of files that have results. A file that is evaluated again may have two: the new one, with results so
 * far, and the earlier one. One of them is the current version; it maps the ranges of the other one as well.
 */
export class FileVersions {
  readonly #current = new Map<string, EvaluatedFile>();
  readonly #all = new Map<string, Set<EvaluatedFile>>();
  /** Versions that a running evaluation has read, perhaps without results yet. */
  readonly #reading = new Set<EvaluatedFile>();
  readonly #of = new WeakMap<FileResult, VersionsByPath>();

  get paths(): readonly string[] {
    return [...this.#current.keys()];
  }

  get(path: string): EvaluatedFile | undefined {
    return this.#current.get(path);
  }

  /** An evaluation has read a version: from now on it follows the edits. */
  startReading(text: EvaluatedFile): void {
    this.#reading.add(text);
    this.#allOf(text.path).add(text);
  }

  /** An evaluation has ended. @returns the paths that it read: versions without results are removed by `prune`. */
  endReading(texts: Iterable<EvaluatedFile>): string[] {
    return Array.from(texts).flatMap((text) => (this.#reading.delete(text) ? [text.path] : []));
  }

  /** Assigns the versions that a result belongs to; for paths without one, the current version counts. */
  assign(result: FileResult, texts: VersionsByPath | undefined): void {
    if (texts) this.#of.set(result, texts);
  }

  /** The versions that a result belongs to. */
  versionsOf(result: FileResult): VersionsByPath | undefined {
    return this.#of.get(result);
  }

  /** Adds a session of a running evaluation, with its own versions. */
  addCurrent(session: SessionResultsView, texts: VersionsByPath): void {
    for (const path of session.files) {
      const text = texts.get(path);
      const current = this.#current.get(path);
      if (!text || text === current) continue;
      if (current) current.rangeMapper.delegate(rangesIn(session, text.uri), text.rangeMapper);
      else this.#current.set(path, text);
    }
  }

  /**
   * Removes versions without results.
   *
   * @param results all results of the file. @param next the version to make current, if it has results.
   */
  prune(path: string, results: readonly FileResult[], next?: EvaluatedFile): void {
    const before = this.#current.get(path);
    const used = new Set(
      results.map((result) => this.#of.get(result)?.get(path) ?? before ?? next).filter((text) => !!text),
    );
    const current = [next, before, ...used].find((text) => text && used.has(text));
    const all = [...used, ...[...(this.#all.get(path) ?? [])].filter((text) => this.#reading.has(text))];
    if (all.length === 0) this.#all.delete(path);
    else this.#all.set(path, new Set(all));
    if (!current) {
      this.#current.delete(path);
      return;
    }
    this.#current.set(path, current);
    if (used.size === 1) return;
    for (const result of results) {
      const text = this.#of.get(result)?.get(path) ?? before;
      if (text && text !== current) current.rangeMapper.delegate(rangesIn(result, current.uri), text.rangeMapper);
    }
  }

  clear(): void {
    this.#current.clear();
    this.#all.clear();
    for (const text of this.#reading) this.#allOf(text.path).add(text);
  }

  addEdits(path: string, edits: readonly TextDelta[]): void {
    for (const text of this.#all.get(path) ?? []) text.addEdits(edits);
  }

  isInput(path: string): boolean {
    return [...this.#all.values()].some((texts) => [...texts].some((text) => text.dependsOn(path)));
  }

  /** @returns whether any state has changed. */
  updateHash(path: string, hash: string | null, isDirty: boolean): boolean {
    const changed = Array.from(this.#all.get(path) ?? [], (text) => text.updateHash(hash, isDirty));
    return changed.includes(true);
  }

  /** @returns the paths whose state has changed. */
  updateInputHash(path: string, hash: string | null): string[] {
    const changed = new Set<string>();
    for (const [of, texts] of this.#all)
      for (const text of texts) if (text.updateInputHash(path, hash)) changed.add(of);
    return [...changed];
  }

  /** The worst status of a file's versions. */
  fileStatus(path: string): FileStatus {
    const texts = [...(this.#all.get(path) ?? [])].filter((text) => !this.#reading.has(text));
    return combinedStatus([...texts, this.#current.get(path)]);
  }

  /** The worst status of a session's files. */
  sessionStatus(session: SessionResultsView): FileStatus {
    const texts = this.#of.get(session);
    return combinedStatus(session.files.map((path) => texts?.get(path) ?? this.#current.get(path)));
  }

  /** The current range. */
  mapRange(uri: string, range: FileRange): FileRange {
    return this.#current.get(fileURLToPath(uri))?.rangeMapper.map(range) ?? range;
  }

  #allOf(path: string): Set<EvaluatedFile> {
    const all = this.#all.get(path) ?? new Set();
    this.#all.set(path, all);
    return all;
  }
}

function worstState(states: readonly FileState[]): FileState {
  return states.reduce((a, b) => (STATE_RANK[b] > STATE_RANK[a] ? b : a), 'fresh');
}

/** A change of the file itself weighs more than one of its configuration. */
function combinedStatus(texts: readonly (EvaluatedFile | undefined)[]): FileStatus {
  const state = worstState(texts.flatMap((text) => text?.state ?? []));
  if (state !== 'stale') return { state };
  const causes = new Set(texts.flatMap((text) => (text?.state === 'stale' ? [text.outdatedBecause] : [])));
  const changed = (['file', 'configuration', 'sidecar'] as const).find((cause) => causes.has(cause));
  return changed === undefined ? { state } : { state, changed };
}

/** All ranges of a result in a file: the objects themselves, which are the keys of the range mapper. */
function* rangesIn(result: FileResult, uri: string): Generator<FileRange> {
  if (result.row.location.uri === uri) yield result.row.location.range;
  if (!('turnPlaces' in result)) return;
  for (const { uri: at, range, lineEnd } of result.turnPlaces) {
    if (at !== uri) continue;
    yield range;
    yield lineEnd;
  }
  for (const { location, related } of [...result.failures, ...result.observations]) {
    if (location.uri === uri) yield location.range;
    yield* relatedRanges(related, uri);
  }
}

function* relatedRanges(related: readonly RelatedLocation[], uri: string): Generator<FileRange> {
  for (const location of related) if (location.uri === uri) yield location.range;
}
