import { describeUnreadableFolder } from '../app/data-folder.ts';
import { reportOfRecord } from '../app/recorded-report.ts';
import { LruCache } from '../core/cache/lru-cache.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Report, SessionReport } from '../core/report.ts';
import type { RecordedRun } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import { placeText, quoted, quotedName } from '../reports/agent-text.ts';
import { runOfReport } from '../runs/compare/report-run.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunListing, RunRecord, RunStore } from '../runs/run-store.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { findRun, looksLikePath } from '../store/runs/find-run.ts';
import { ToolError } from './tool-error.ts';

/** A run that is read. */
export interface ProjectRun {
  /** What finds it again. */
  readonly reference: string;
  readonly report: Report;
  /** In the order of the report. */
  readonly sessions: readonly SessionOfRun[];
  /** What comparisons read. */
  readonly recorded: RecordedRun;
  /** The path of a file of the report as it is shown: relative to the project where it is inside. */
  shownFile(file: string): string;
}

export interface SessionOfRun {
  /** One-based, in the run. */
  readonly number: number;
  readonly report: SessionReport;
  /** Relative to the project where it is inside. */
  readonly file: string;
  /** The hash of its content; empty where it is not known. */
  readonly content: string;
  /** As the record has it; null where it has none. */
  readonly transcript: () => Promise<Session | null>;
}

/** Where a turn stands, as `file:line`. */
export function turnPlace(run: ProjectRun, session: SessionOfRun, turn: SessionReport['turns'][number]): string {
  return placeText(turn.file === undefined ? session.file : run.shownFile(turn.file), turn.line);
}

/** What was evaluated, and is not recorded. */
export interface EvaluatedTrace {
  readonly report: Report;
  /** By the id of a session: the hash of its content. */
  readonly contents: ReadonlyMap<string, string>;
  /** The path of a file relative to the project. */
  shownFile(file: string): string;
  /** Where its results are, as long as it is kept. */
  readonly storage: Disposable;
}

/** Runs whose reports stay open: an agent asks several questions about one, or about two. */
const OPEN_RUNS = 3;
/** Evaluations that were not recorded. */
const UNRECORDED = 4;

interface Opened {
  readonly run: ProjectRun;
  readonly storage: Disposable;
}

/** The recorded runs of one project, and what was evaluated in this process. Never those of other projects. */
export class ProjectRuns implements Disposable {
  readonly #store: RunStore;
  readonly #dataFolder: string;
  readonly #project: string;
  readonly #open = new LruCache<string, Opened>(OPEN_RUNS);
  readonly #unrecorded = new LruCache<string, Opened>(UNRECORDED);
  #evaluations: number;

  /** @param dataFolder where the store is. @param evaluations numbers up to this one are taken: they name what is not kept any more */
  constructor(store: RunStore, dataFolder: string, project: string, evaluations = 0) {
    this.#store = store;
    this.#dataFolder = dataFolder;
    this.#project = project;
    this.#evaluations = evaluations;
  }

  /** The newest first. @throws ToolError where they cannot be read */
  async list(): Promise<readonly RunListing[]> {
    const unreadable = await describeUnreadableFolder(this.#dataFolder);
    if (unreadable !== null) throw new ToolError(unreadable);
    return this.#store.list({ project: this.#project });
  }

  /** @param reference as a user names a run, but no path. @throws ToolError with what there is instead */
  async open(reference: string): Promise<ProjectRun> {
    const unrecorded = this.#unrecorded.get(reference);
    if (unrecorded) return unrecorded.run;
    const listing = await this.#find(reference);
    const { id, endedAt, state } = listing.manifest;
    const key = `${id} ${endedAt}`;
    const known = state === 'complete' ? this.#open.get(key) : undefined;
    if (known) return known.run;
    const storage = new OutcomeFile();
    try {
      const record = await this.#store.find(id, this.#project);
      const run = await openRecord(record, storage);
      keep(this.#open, key, { run, storage });
      return run;
    } catch (error) {
      storage[Symbol.dispose]();
      throw new ToolError(`Run ${shortRunId(id)} cannot be read: ${quoted(errorMessage(error))}`);
    }
  }

  /** The number of the last evaluation. */
  get evaluations(): number {
    return this.#evaluations;
  }

  /** Keeps what was evaluated, for further questions. */
  keep({ report, contents, shownFile, storage }: EvaluatedTrace): ProjectRun {
    this.#evaluations += 1;
    const reference = `unrecorded-${this.#evaluations}`;
    const recorded = runOfReport(report, reference);
    if (!recorded) throw new Error('The report of this evaluation cannot be read again.');
    const run: ProjectRun = {
      reference,
      report,
      recorded,
      sessions: report.sessions.map((session, index) => ({
        number: index + 1,
        report: session,
        file: shownFile(session.source.file),
        content: contents.get(session.id) ?? '',
        transcript: () => Promise.resolve(null),
      })),
      shownFile,
    };
    keep(this.#unrecorded, reference, { run, storage });
    return run;
  }

  /** @throws ToolError */
  async #find(reference: string): Promise<RunListing> {
    if (looksLikePath(reference)) {
      throw new ToolError(
        `${quotedName(reference)} is a path. Only runs of this project are read: list_runs lists them.`,
      );
    }
    if (/^unrecorded-\d+$/.test(reference)) {
      throw new ToolError(`${reference} is not kept any more: evaluate_trace evaluates the file again.`);
    }
    const runs = await this.list();
    const found = findIn(reference, runs);
    if (found?.isGone) {
      throw new ToolError(`Run ${shortRunId(found.manifest.id)} was recorded elsewhere, and is not there any more.`);
    }
    if (found) return found;
    if (runs.length === 0) throw new ToolError(NO_RUNS);
    throw new ToolError(`This project has no run ${quotedName(reference)}. list_runs lists its ${runs.length}.`);
  }

  [Symbol.dispose](): void {
    for (const cache of [this.#open, this.#unrecorded]) {
      for (const { storage } of cache.values()) storage[Symbol.dispose]();
      cache.clear();
    }
  }
}

function keep(cache: LruCache<string, Opened>, key: string, opened: Opened): void {
  // Of a run that is still being written.
  cache.get(key)?.storage[Symbol.dispose]();
  const dropped = cache.set(key, opened);
  dropped?.[1].storage[Symbol.dispose]();
}

/** What helps an agent where nothing is recorded. */
export const NO_RUNS =
  'No run of this project is recorded yet. `turnwise eval` records each run; evaluate_trace evaluates one file.';

/** @throws ToolError where a reference means several runs, or more than there are */
function findIn(reference: string, runs: readonly RunListing[]): RunListing | null {
  if (runs.length === 0) return null;
  try {
    return findRun(reference, runs, () => []);
  } catch (error) {
    throw new ToolError(errorMessage(error));
  }
}

async function openRecord(record: RunRecord, storage: OutcomeFile): Promise<ProjectRun> {
  const report = await reportOfRecord(record, storage);
  const rows = await record.rows();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const shown = new Map(
    report.sessions.map(({ id, source }) => [source.file, byId.get(id)?.file ?? source.file] as const),
  );
  return {
    reference: shortRunId(record.manifest.id),
    report,
    recorded: { manifest: record.manifest, rows },
    sessions: report.sessions.map((session, index) => {
      const row = byId.get(session.id);
      return {
        number: index + 1,
        report: session,
        file: row?.file ?? session.source.file,
        content: row?.content ?? '',
        transcript: () => record.transcript(session.id),
      };
    }),
    shownFile: (file) => shown.get(file) ?? file,
  };
}

/** A session by its number or its id; the only one where none is named. @throws ToolError */
export function findSession(run: ProjectRun, wanted: string | number | undefined): SessionOfRun {
  const { sessions, reference } = run;
  const named =
    wanted === undefined
      ? sessions.length === 1
        ? sessions[0]
        : undefined
      : (sessions.find(({ report }) => report.id === wanted) ??
        (/^\d{1,9}$/.test(String(wanted)) ? sessions[Number(wanted) - 1] : undefined));
  if (named) return named;
  const many = `Run ${reference} has ${sessions.length} sessions, numbered from 1`;
  if (wanted === undefined) throw new ToolError(`Say which session. ${many}; find_failures names those with problems.`);
  throw new ToolError(`There is no session ${quotedName(String(wanted))}. ${many}.`);
}
