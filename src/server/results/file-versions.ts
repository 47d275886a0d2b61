import { fileURLToPath } from 'node:url';
import type { FileRange, FileState, RelatedLocation, StaleCause } from '../../protocol/messages.ts';
import type { TextDelta } from '../../protocol/text-delta.ts';
import type { EvaluatedFile } from './evaluated-file.ts';
import type { FileProblem, SessionResultsView } from './session-view.ts';

/** Something that was found in texts of files. */
export type FileResult = SessionResultsView | FileProblem;

/** Texts by the paths of their files. */
export type VersionsByPath = ReadonlyMap<string, EvaluatedFile>;

/** How what was found stands to its files, and why where that is known. */
interface FileStatus {
  readonly state: FileState;
  readonly changed?: StaleCause;
}

const STATE_RANK = { fresh: 0, stale: 1, gone: 2 } as const satisfies Record<FileState, number>;

/**
 * The texts in which something was found. Of a file that is evaluated again there may be two: what is known of the new one
 * already stands beside what was found in the one before. Of these one is the text of the file to everybody, and knows where
 * what was found in the others stands now.
 */
export class FileVersions {
  readonly #current = new Map<string, EvaluatedFile>();
  readonly #all = new Map<string, Set<EvaluatedFile>>();
  /** Those that an evaluation has read, of which nothing may have been found yet. */
  readonly #reading = new Set<EvaluatedFile>();
  readonly #of = new WeakMap<FileResult, VersionsByPath>();

  get paths(): readonly string[] {
    return [...this.#current.keys()];
  }

  get(path: string): EvaluatedFile | undefined {
    return this.#current.get(path);
  }

  /** An evaluation has read it: from now on it changes with what is edited. */
  startReading(text: EvaluatedFile): void {
    this.#reading.add(text);
    this.#allOf(text.path).add(text);
  }

  /** An evaluation is over. @returns the paths of what it read: what nothing was found in goes when it is settled. */
  endReading(texts: Iterable<EvaluatedFile>): string[] {
    return Array.from(texts).flatMap((text) => (this.#reading.delete(text) ? [text.path] : []));
  }

  /** Something was found in texts, those of them that are not named being what they are to everybody. */
  assign(held: FileResult, texts: VersionsByPath | undefined): void {
    if (texts) this.#of.set(held, texts);
  }

  /** The texts that something was found in. */
  versionsOf(held: FileResult): VersionsByPath | undefined {
    return this.#of.get(held);
  }

  /** While an evaluation goes on: what it has found, in texts of its own. */
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
   * Lets go what nothing is found in any more.
   *
   * @param held all that was found in a file. @param next what is to be its text to everybody, if anything was found in it.
   */
  prune(path: string, held: readonly FileResult[], next?: EvaluatedFile): void {
    const before = this.#current.get(path);
    const used = new Set(held.map((one) => this.#of.get(one)?.get(path) ?? before ?? next).filter((text) => !!text));
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
    for (const one of held) {
      const text = this.#of.get(one)?.get(path) ?? before;
      if (text && text !== current) current.rangeMapper.delegate(rangesIn(one, current.uri), text.rangeMapper);
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

  /** @returns whether the state of anything is another now. */
  updateHash(path: string, hash: string | null, isDirty: boolean): boolean {
    const changed = Array.from(this.#all.get(path) ?? [], (text) => text.updateHash(hash, isDirty));
    return changed.includes(true);
  }

  /** @returns the paths of files whose state is another now. */
  updateInputHash(path: string, hash: string | null): string[] {
    const changed = new Set<string>();
    for (const [of, texts] of this.#all)
      for (const text of texts) if (text.updateInputHash(path, hash)) changed.add(of);
    return [...changed];
  }

  /** The worst of all that anything was found in. */
  fileStatus(path: string): FileStatus {
    const texts = [...(this.#all.get(path) ?? [])].filter((text) => !this.#reading.has(text));
    return combinedStatus([...texts, this.#current.get(path)]);
  }

  /** Of what was found: the worst of its files. */
  sessionStatus(session: SessionResultsView): FileStatus {
    const texts = this.#of.get(session);
    return combinedStatus(session.files.map((path) => texts?.get(path) ?? this.#current.get(path)));
  }

  /** Where something stands now. */
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

/** What is wrong with the file itself weighs more than what is wrong with its configuration. */
function combinedStatus(texts: readonly (EvaluatedFile | undefined)[]): FileStatus {
  const state = worstState(texts.flatMap((text) => text?.state ?? []));
  if (state !== 'stale') return { state };
  const causes = new Set(texts.flatMap((text) => (text?.state === 'stale' ? [text.changed] : [])));
  const changed = (['file', 'configuration', 'sidecar'] as const).find((cause) => causes.has(cause));
  return changed === undefined ? { state } : { state, changed };
}

/** All places in a file that something has: the objects themselves, by which a text knows them. */
function* rangesIn(held: FileResult, uri: string): Generator<FileRange> {
  if (held.row.place.uri === uri) yield held.row.place.range;
  if (!('turnPlaces' in held)) return;
  for (const { uri: at, range, lineEnd } of held.turnPlaces) {
    if (at !== uri) continue;
    yield range;
    yield lineEnd;
  }
  for (const { place, related } of [...held.failures, ...held.observations]) {
    if (place.uri === uri) yield place.range;
    yield* relatedRanges(related, uri);
  }
}

function* relatedRanges(related: readonly RelatedLocation[], uri: string): Generator<FileRange> {
  for (const place of related) if (place.uri === uri) yield place.range;
}
