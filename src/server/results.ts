import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FailureRow, FileRow, Place, ProblemRow, SessionRow } from '../protocol/messages.ts';
import { HeldFile } from './held-file.ts';
import type { HeldProblem, HeldSession, Rows } from './rows.ts';
import type { Edit } from './shift.ts';

/** A part of a list, and how long the list is. */
export interface Part<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

/** What has been found, until it is evaluated again or cleared. All places that it gives are those of the text as it is now. */
export class Results {
  /** The riskiest first. */
  #sessions: readonly HeldSession[] = [];
  /** By the paths of all files that they were read from. */
  #byPath: ReadonlyMap<string, readonly HeldSession[]> = new Map();
  #problems: readonly HeldProblem[] = [];
  readonly #files = new Map<string, HeldFile>();

  /**
   * Rows of a run take the place of all that was held of the files and folders that it evaluated.
   *
   * @param hashes of the bytes that were read, by path.
   */
  replace(
    paths: readonly string[],
    { sessions, problems }: Rows,
    hashes: ReadonlyMap<string, string> = new Map(),
  ): void {
    const evaluated = new Set([...paths, ...sessions.map(({ file }) => file)]);
    const isKept = ({ file }: { readonly file: string }): boolean => !isWithin(file, evaluated);
    this.#sessions = [...this.#sessions.filter(isKept), ...sessions].sort((a, b) => byRisk(a.row, b.row));
    this.#byPath = byPath(this.#sessions);
    this.#problems = [...this.#problems.filter(isKept), ...problems.filter(({ row }) => row.severity === 'error')];
    for (const path of this.#files.keys()) if (isWithin(path, evaluated)) this.#files.delete(path);
    for (const path of new Set([...sessions.flatMap(filesOf), ...problems.map(({ file }) => file)])) {
      if (!this.#files.has(path)) this.#files.set(path, new HeldFile(path, hashes.get(path) ?? null));
    }
  }

  clear(): void {
    this.#sessions = [];
    this.#byPath = new Map();
    this.#problems = [];
    this.#files.clear();
  }

  get problems(): readonly HeldProblem[] {
    return this.#problems;
  }

  /** Of which anything is held. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** @param hash of the bytes that are there now; null: nothing is. @returns whether what is held of it is seen otherwise now. */
  seen(path: string, hash: string | null): boolean {
    return this.#files.get(path)?.seen(hash) ?? false;
  }

  /** @returns whether anything is held of the document. */
  edited(uri: string, edits: readonly Edit[]): boolean {
    const file = this.#files.get(fileURLToPath(uri));
    file?.shift.add(edits);
    return file !== undefined;
  }

  file(path: string): HeldFile | undefined {
    return this.#files.get(path);
  }

  files(offset: number, limit: number): Part<FileRow> {
    const rows = [...this.#files.values()].map((file) => this.#rowOf(file)).sort(fileOrder);
    return { total: rows.length, rows: rows.slice(offset, offset + limit) };
  }

  #rowOf(file: HeldFile): FileRow {
    const sessions = this.sessionsIn(file.path).filter((session) => session.file === file.path);
    const risks = sessions.flatMap(({ row }) => row.risk ?? []);
    const verdicts = sessions.map(({ row }) => row.verdict).sort((a, b) => VERDICT_ORDER[a] - VERDICT_ORDER[b]);
    return {
      uri: file.uri,
      state: file.state,
      sessions: sessions.length,
      verdict: verdicts[0] ?? null,
      risk: risks.length === 0 ? null : Math.max(...risks),
      problems: this.#problems.filter((problem) => problem.file === file.path).map(({ row }) => this.#problemNow(row)),
    };
  }

  /** @param file only those that were read from it, wholly or in part. */
  sessions(offset: number, limit: number, file?: string): Part<SessionRow> {
    const sessions = file === undefined ? this.#sessions : this.sessionsIn(file);
    return {
      total: sessions.length,
      rows: sessions.slice(offset, offset + limit).map((session) => this.rowOf(session)),
    };
  }

  /** Those that were read from a file, wholly or in part. */
  sessionsIn(path: string): readonly HeldSession[] {
    return this.#byPath.get(path) ?? [];
  }

  session(key: string): HeldSession | undefined {
    return this.#sessions.find(({ row }) => row.key === key);
  }

  failures(session: string, offset: number, limit: number): Part<FailureRow> {
    const failures = this.session(session)?.failures ?? [];
    return { total: failures.length, rows: failures.slice(offset, offset + limit).map((row) => this.now(row)) };
  }

  /** What was found, where it stands now. */
  now<Found extends Pick<FailureRow, 'place' | 'related'>>(found: Found): Found {
    const { place, related } = found;
    return {
      ...found,
      place: this.placeNow(place),
      related: related.map((one) => ({ ...one, ...this.placeNow(one) })),
    };
  }

  placeNow({ uri, range }: Place): Place {
    return { uri, range: this.#files.get(fileURLToPath(uri))?.shift.range(range) ?? range };
  }

  #problemNow(row: ProblemRow): ProblemRow {
    return { ...row, place: this.placeNow(row.place) };
  }

  rowOf({ row, file }: HeldSession): SessionRow {
    const state = this.#files.get(file)?.state ?? 'fresh';
    return { ...row, state, turnsDone: null, place: this.placeNow(row.place) };
  }
}

function byPath(sessions: readonly HeldSession[]): ReadonlyMap<string, readonly HeldSession[]> {
  const found = new Map<string, HeldSession[]>();
  for (const session of sessions) {
    for (const path of filesOf(session)) append(found, path, session);
  }
  return found;
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** A session is read from one file, and some of its turns may be from others. */
function filesOf({ file, detail }: HeldSession): readonly string[] {
  return [...new Set([file, ...detail.report.turns.flatMap((turn) => turn.file ?? [])])];
}

function isWithin(file: string, paths: ReadonlySet<string>): boolean {
  for (let path = file; ; path = dirname(path)) {
    if (paths.has(path)) return true;
    if (path === dirname(path)) return false;
  }
}

const VERDICT_ORDER = { failed: 0, undecided: 1, passed: 2 } as const satisfies Record<SessionRow['verdict'], number>;

function byRisk(a: Pick<SessionRow, 'risk' | 'verdict'>, b: Pick<SessionRow, 'risk' | 'verdict'>): number {
  return (b.risk ?? -1) - (a.risk ?? -1) || VERDICT_ORDER[a.verdict] - VERDICT_ORDER[b.verdict];
}

/** What could not be read comes first. */
function fileOrder(a: FileRow, b: FileRow): number {
  const isBroken = ({ verdict }: FileRow) => Number(verdict === null);
  return isBroken(b) - isBroken(a) || (b.risk ?? -1) - (a.risk ?? -1) || (a.uri < b.uri ? -1 : 1);
}
