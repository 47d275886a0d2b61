import type { Report } from '../core/report.ts';
import type { RecordedAttempt, RecordedSession, RunManifest, RunTotals } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { PlannedSessions } from './record/planned-line.ts';
import type { RecordedReport } from './record/report-lines.ts';

/** The recorded runs of this installation, and those recorded elsewhere that it knows. */
export interface RunStore extends Disposable {
  /** Its folder, which may not exist yet: something in it changes when a run does. */
  readonly folder: string;
  /** Begins a record. @param elsewhere a folder or file of its own instead of the data folder; a reference to it is kept. */
  create(manifest: RunManifest, elsewhere?: string): Promise<RunWriter>;
  /**
   * Continues an incomplete record with the manifest of its continuation, which has the same id.
   *
   * @throws Error with a sentence where a living process writes it, or where it is complete.
   */
  resume(record: RunRecord, manifest: RunManifest): Promise<RunWriter>;
  /** The newest first, from the index alone. */
  list(query: RunQuery): readonly RunListing[];
  /**
   * Finds a run by what a user writes: an id, or the beginning of one or of its last part
   * (`shortRunId`), a name, `last`, `last~2`, `baseline`, a branch (its newest
   * complete run), or the path of a record.
   *
   * @throws Error with a sentence that says what there is instead.
   */
  find(reference: string, project: string): Promise<RunRecord>;
  /**
   * Marks a run as interrupted whose writer in this process has ended before the run did. Nothing happens to a run that has
   * ended, or that another process writes.
   *
   * @param stoppedBy what ended it, as a sentence.
   */
  interrupt(id: string, stoppedBy: string): Promise<void>;
  /** The sessions of a run that are attempts of these tasks (`attempt.group`), in its order. @throws where it cannot be read */
  attempts(run: RunListing, groups: ReadonlySet<string>): Promise<readonly RecordedAttemptRow[]>;
  rename(id: string, name: string | null): Promise<void>;
  /** Runs that are baselines are never removed by `retain`; `find` gives the one that was set last. */
  setBaseline(id: string, isBaseline: boolean): Promise<void>;
  /** Baselines are deleted too: the caller asks before. @throws Error with a sentence where a living process writes one. */
  delete(ids: readonly string[]): Promise<void>;
  /** Writes one file with everything, which `find` reads anywhere. */
  export(id: string, file: string): Promise<void>;
  /** Deletes the oldest runs beyond the bounds, never a baseline nor one that is being written. @returns what it deleted */
  retain(project: string, bounds: RunBounds): Promise<readonly RunListing[]>;
}

export interface RunBounds {
  /** The run after which this is done: it stays. */
  readonly own?: string | undefined;
  readonly runs: number;
  readonly bytes: number;
}

export interface RunQuery {
  /** Absolute path; null: of all projects. */
  readonly project: string | null;
  readonly offset?: number;
  readonly limit?: number;
  /** Only those that began after this, ISO 8601. */
  readonly after?: string;
}

/** The part of a manifest that lists read: small, since there may be 10,000. `find` gives all of it. */
export interface ListedManifest
  extends Omit<
    RunManifest,
    'plan' | 'questions' | 'inputs' | 'sampling' | 'modelVersions' | 'schemaVersion' | 'totals'
  > {
  readonly totals: Omit<RunTotals, 'means'> | null;
  /** The default judge; null for rules only. */
  readonly judge: RunManifest['plan']['judge'];
}

/** A run in a list. */
export interface RunListing {
  readonly manifest: ListedManifest;
  /** Its folder or file. */
  readonly path: string;
  readonly bytes: number;
  readonly isBaseline: boolean;
  /** ISO 8601; null where it is none. */
  readonly baselineSince: string | null;
  /** Whether a living process still writes it; a `running` run that none writes was killed. */
  readonly isLive: boolean;
  /** It was recorded elsewhere, and there is nothing any more. */
  readonly isGone: boolean;
}

/** The report of a run, and the outcomes of its sessions in their order, as they were recorded. */
export interface ReducedRun {
  readonly report: Report;
  readonly outcomes: readonly SessionOutcome[];
}

/** A record that is being written. Sessions may arrive from several evaluations at once. */
export interface RunWriter {
  readonly path: string;
  /** Of one part of a run: what all parts evaluate. Never rejects: `problem` says what failed. */
  planned(planned: PlannedSessions): Promise<void>;
  /**
   * Resolves when a process that is killed afterwards has not lost it. Never rejects: `problem` says what failed.
   *
   * @param transcript the session, to be stored without secrets; only where the user wants transcripts in the record.
   */
  session(outcome: SessionOutcome, index: number, transcript?: Session): Promise<void>;
  /** Appends what depends on all sessions, and completes the manifest. */
  finish(rows: readonly RecordedSession[], manifest: RunManifest, reduced?: ReducedRun): Promise<void>;
  /** The sentence about what could not be recorded, such as on a full disk; null so far. */
  readonly problem: string | null;
}

/** The part of a row that later attempts are compared with. */
export interface RecordedAttemptRow extends Pick<RecordedSession, 'content' | 'task'> {
  readonly attempt: RecordedAttempt;
}

/** A record that is read. */
export interface RunRecord {
  readonly manifest: RunManifest;
  readonly path: string;
  /** Of an incomplete record, of the sessions that had finished. */
  rows(): Promise<readonly RecordedSession[]>;
  /** The rows of sessions that are attempts of these tasks (`attempt.group`); empty of an incomplete record. */
  attempts(groups: ReadonlySet<string>): Promise<readonly RecordedAttemptRow[]>;
  /** The finished sessions with all results, in the order of the input. */
  sessions(): AsyncIterable<SessionOutcome>;
  /** The same with their transcripts, without secrets; null where the record has none. */
  transcribedSessions(): AsyncIterable<{ readonly outcome: SessionOutcome; readonly transcript: Session | null }>;
  /** Of a part of a run, what all its parts evaluate; null of a whole run, and where it is damaged. */
  planned(): Promise<PlannedSessions | null>;
  /** What was reported; null where the run did not get so far, and in records of versions that did not keep it. */
  report(): Promise<RecordedReport | null>;
  /** A session as it was read, without secrets; null where the record has no transcripts. */
  transcript(id: string): Promise<Session | null>;
  /** All of them, in the order of the input. */
  transcripts(): AsyncIterable<Session>;
}
