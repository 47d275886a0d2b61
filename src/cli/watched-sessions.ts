import { basename, dirname, resolve } from 'node:path';
import type { Headline, SessionReport } from '../core/report.ts';
import { HEADLINE_KINDS } from '../core/statuses.ts';
import { isSidecar } from '../core/trace-file-names.ts';
import { isEvaluationSet } from '../input/evaluation-sets.ts';
import { sidecarNames } from '../input/sidecar.ts';

/** An evaluated session, compared with its evaluation before. */
export interface SessionChange {
  readonly report: SessionReport;
  readonly kind: 'new' | 'worse' | 'better' | 'changed' | 'same';
  /** Its headline before; null for a new session. */
  readonly before: Headline | null;
}

/** What is kept of a session. */
interface KnownSession {
  readonly headline: Headline;
  /** All of its files, absolute. */
  readonly files: readonly string[];
}

/** What one evaluation found, with paths relative to the working directory. */
export interface WatchedEvaluation {
  readonly sessions: readonly SessionReport[];
  /** All files of a session, by its id. */
  readonly filesOf: ReadonlyMap<string, Iterable<string>>;
  /** Files that were read, without those that cannot be parsed. */
  readonly readFiles: readonly string[];
}

/** Beside these files, a session's results may be others. */
const CRITERIA_FILE = /^test_config\.json$/i;

/** The sessions of the watched files with their last headlines. */
export class WatchedSessions {
  readonly #cwd: string;
  /** By absolute path of their own file, then by their pointer in it: an id can depend on what else is evaluated. */
  readonly #byFile = new Map<string, Map<string, KnownSession>>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  get headlines(): readonly Pick<SessionReport, 'headline'>[] {
    return [...this.#byFile.values()].flatMap((sessions) => [...sessions.values()]);
  }

  /** Takes over the results of an evaluation. A file that cannot be parsed keeps its sessions until it is repaired. */
  record({ sessions, filesOf, readFiles }: WatchedEvaluation): SessionChange[] {
    const now = Map.groupBy(sessions, ({ source }) => this.#absolute(source.file));
    const changes: SessionChange[] = [];
    for (const path of new Set([...readFiles.map((file) => this.#absolute(file)), ...now.keys()])) {
      const before = this.#byFile.get(path);
      const known = new Map<string, KnownSession>();
      for (const report of now.get(path) ?? []) {
        const { headline, source, id } = report;
        changes.push(compare(report, before?.get(source.pointer)?.headline ?? null));
        const files = [source.file, ...(filesOf.get(id) ?? [])].map((file) => this.#absolute(file));
        known.set(source.pointer, { headline, files: [...new Set(files)] });
      }
      if (known.size > 0) this.#byFile.set(path, known);
      else this.#byFile.delete(path);
    }
    return changes;
  }

  /** @returns the number of sessions that were in the file. */
  remove(path: string): number {
    const sessions = this.#byFile.get(path);
    this.#byFile.delete(path);
    return sessions?.size ?? 0;
  }

  /**
   * The files to evaluate after some have changed: with them the other files of their sessions, and the traces that a
   * sidecar, an evaluation set or criteria belong to.
   */
  filesToEvaluate(changed: Iterable<string>, isInput: (path: string) => boolean): readonly string[] {
    const found = new Set<string>();
    for (const path of changed) {
      for (const trace of this.#tracesOf(path)) found.add(trace);
      if (isInput(path) && !isSidecar(path)) found.add(path);
    }
    for (const sessions of this.#byFile.values()) {
      for (const { files } of sessions.values()) {
        if (files.some((file) => found.has(file))) for (const file of files) found.add(file);
      }
    }
    return [...found];
  }

  #tracesOf(path: string): readonly string[] {
    const traces = [...this.#byFile.keys()];
    if (isSidecar(path)) return traces.filter((trace) => sidecarNames(trace).includes(path));
    if (!CRITERIA_FILE.test(basename(path)) && !isEvaluationSet(path)) return [];
    return traces.filter((trace) => dirname(trace) === dirname(path));
  }

  #absolute(file: string): string {
    return resolve(this.#cwd, file);
  }
}

function compare(report: SessionReport, before: Headline | null): SessionChange {
  if (!before) return { report, kind: 'new', before };
  const rank = ({ kind }: Headline) => HEADLINE_KINDS.indexOf(kind);
  const difference = rank(report.headline) - rank(before);
  if (difference !== 0) return { report, kind: difference < 0 ? 'worse' : 'better', before };
  return { report, kind: report.headline.text === before.text ? 'same' : 'changed', before };
}
