import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { GitState, RecordedRun, RecordedSession, RunManifest, RunTotals } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { Judges } from '../engine/judges.ts';
import { type LocationLookup, withLocations } from '../engine/locations.ts';
import type { RunRecorder } from '../engine/run-recorder.ts';
import { describeSystemError } from '../input/system-error.ts';
import type { EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';
import { toRecordedSession } from '../runs/record/session-row.ts';
import type { RunListing, RunRecord, RunStore, RunWriter } from '../runs/run-store.ts';
import { runTotals, tasksHash } from '../runs/run-totals.ts';
import { sessionHashes } from '../runs/session-hashes.ts';
import type { Environment } from '../store/home.ts';
import { configurationHash } from './configuration-hash.ts';
import { findEarlierAttempts } from './earlier-attempts.ts';
import { questionHashes } from './question-hashes.ts';
import { AgentObserver } from './recorded-agent.ts';
import { checkResume } from './resume-check.ts';

/** Where and how a run is recorded. */
export interface RunRecording {
  readonly store: RunStore;
  /** Absolute path; see `findProject`. */
  readonly project: string;
  /** The state of its code; null where nothing may be run to find out. */
  readonly git: Promise<GitState | null> | null;
  /** The folder that paths of traces are relative to. */
  readonly cwd: string;
  /** The paths as they were given. */
  readonly inputs: readonly string[];
  readonly selection?: NonNullable<RunManifest['selection']>;
  readonly name?: string;
  /** A folder or file of its own, instead of the data folder. */
  readonly elsewhere?: string;
  /** Whether the record has the sessions too, without secrets. */
  readonly transcripts?: boolean;
  /** The interrupted run to continue. */
  readonly resume?: RunRecord;
  /** Who stopped it, as a sentence, if somebody did. */
  readonly stoppedBy?: () => string | null;
  /** Called with the id of the run when its record has begun. */
  readonly onStarted?: (id: string) => void;
  /**
   * Adds what the report has beside the evaluation, such as the gates that other runs set, before the record is completed: its verdict is that of the returned report.
   *
   * @param run what the record says; null where nothing could be recorded.
   */
  readonly gate?: (report: Report, run: RecordedRun | null) => Promise<Report>;
  /** Called with the runs that were deleted, because there are too many. */
  readonly onDeleted?: (runs: readonly RunListing[]) => void;
}

/** What a recorder knows of the run itself. */
export interface RecordedRunParts {
  readonly configuration: Configuration;
  readonly judges: Judges;
  readonly locate: LocationLookup;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** A recorder, and what it could not record. */
export interface ProblemRecorder extends RunRecorder {
  readonly problems: readonly Problem[];
}

/** Bytes of all runs of a project. */
const MAX_BYTES = 1_000_000_000;

/** Makes the recorder of one run. What an interrupted run found is read before. */
export async function createRunRecorder(recording: RunRecording, parts: RecordedRunParts): Promise<ProblemRecorder> {
  const known = new Map<string, SessionOutcome>();
  if (recording.resume) {
    for await (const outcome of recording.resume.sessions()) {
      const key = isFinished(outcome) ? knownKey(outcome, outcome.hashes?.content) : null;
      if (key !== null) known.set(key, outcome);
    }
  }
  return new StoreRecorder(recording, parts, known);
}

interface PendingSession {
  readonly outcome: SessionOutcome;
  readonly index: number;
  readonly transcript: Session | undefined;
}

/** How much longer than a pass over the files the time between two passes is. */
const PASS_INTERVAL = 20;

class StoreRecorder implements ProblemRecorder {
  readonly continued: RunRecorder['continued'];
  readonly problems: Problem[] = [];
  readonly #recording: RunRecording;
  readonly #parts: RecordedRunParts;
  readonly #known: ReadonlyMap<string, SessionOutcome>;
  readonly #agent = new AgentObserver();
  #git: GitState | null = null;
  #plan: RunPlan | null = null;
  #manifest: RunManifest | null = null;
  #writer: RunWriter | null = null;
  readonly #pending: PendingSession[] = [];
  #nextWriteAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Settles when everything is written that is not pending. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(recording: RunRecording, parts: RecordedRunParts, known: ReadonlyMap<string, SessionOutcome>) {
    this.#recording = recording;
    this.#parts = parts;
    this.#known = known;
    const { resume } = recording;
    this.continued = resume ? { id: resume.manifest.plan.id, startedAt: resume.manifest.plan.startedAt } : null;
  }

  async begin(plan: RunPlan): Promise<void> {
    const { store, resume, elsewhere, git } = this.#recording;
    this.#git = await git;
    const manifest = await this.#startManifest(plan);
    if (resume) checkResume(resume.manifest, manifest);
    this.#plan = plan;
    this.#manifest = manifest;
    if (resume) {
      this.#writer = await store.resume(resume, manifest);
      return;
    }
    try {
      this.#writer = await store.create(manifest, elsewhere);
      this.#recording.onStarted?.(manifest.id);
    } catch (error) {
      this.#report(`This run is not recorded: ${recordingProblem(error, elsewhere ?? store.folder, !elsewhere)}`);
    }
  }

  known(session: Session): SessionOutcome | null {
    if (this.#known.size === 0) return null;
    const outcome = this.#known.get(knownKey(session, sessionHashes(session).content) ?? '') ?? null;
    if (outcome) this.#agent.add(session);
    return outcome;
  }

  async session(outcome: SessionOutcome, session: Session, index: number): Promise<SessionOutcome> {
    if (!this.#writer) return outcome;
    this.#agent.add(session);
    const hashed = { ...outcome, hashes: sessionHashes(session) };
    this.#pending.push({ outcome: hashed, index, transcript: this.#recording.transcripts ? session : undefined });
    const wait = this.#nextWriteAt - performance.now();
    if (wait <= 0) await this.#writePending();
    else this.#timer ??= setTimeout(() => void this.#writePending(), wait);
    return hashed;
  }

  /**
   * Writes the sessions that wait for the lines of their evidence. Lines are found in one pass over a file, which takes long in a
   * large one: sessions of one file wait for each other so long that the passes take a twentieth of the time.
   */
  async #writePending(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending.splice(0);
    const started = performance.now();
    const outcomes = withLocations(
      pending.map(({ outcome }) => outcome),
      this.#parts.locate,
    );
    const ended = performance.now();
    this.#nextWriteAt = ended + PASS_INTERVAL * (ended - started);
    const writings = outcomes.map((outcome, at) => {
      const { index = 0, transcript } = pending[at] ?? {};
      return this.#writer?.session(outcome, index, transcript);
    });
    this.#writing = Promise.all([this.#writing, ...writings]);
    await this.#writing;
  }

  async earlierAttempts(outcomes: readonly SessionOutcome[]): Promise<readonly EarlierAttempt[]> {
    if (!this.#plan || !this.#parts.configuration.history.attempts) return [];
    const { store, project } = this.#recording;
    const { agentVersion, startedAt } = this.#plan;
    const agent = this.#agent.summary(agentVersion, this.#git);
    return await findEarlierAttempts({ store, project, startedAt, agent, outcomes });
  }

  async finish(report: Report, outcomes: readonly SessionOutcome[]): Promise<Report> {
    const { gate = async (ungated: Report) => ungated } = this.#recording;
    if (!this.#writer || !this.#manifest || !this.#plan) return await gate(report, null);
    await this.#writePending();
    const rows = this.#rows(report, outcomes, this.#plan);
    const { complete, durationMs } = report.run;
    const stoppedBy = this.#recording.stoppedBy?.() ?? 'It was stopped before all sessions were evaluated.';
    const totals = runTotals(report, rows);
    const manifest: RunManifest = {
      ...this.#manifest,
      endedAt: new Date().toISOString(),
      durationMs,
      modelVersions: modelVersions(this.#parts.judges, this.#manifest.modelVersions),
      agent: this.#agent.summary(this.#plan.agentVersion, this.#git),
      state: complete ? 'complete' : 'interrupted',
      ...(complete ? {} : { stoppedBy }),
      tasksHash: complete ? tasksHash(rows) : null,
      totals,
    };
    const gated = await gate(report, { manifest, rows });
    try {
      const completed = { ...manifest, totals: { ...totals, ...gatesOf(gated) }, ...alertsOf(gated) };
      await this.#writer.finish(rows, completed, { report: gated, outcomes });
      if (this.#writer.problem !== null) this.#report(this.#writer.problem);
      await this.#retain();
    } catch (error) {
      this.#report(`This run is not recorded completely: ${errorMessage(error)}.`);
    }
    return gated;
  }

  async #retain(): Promise<void> {
    const { store, project, onDeleted } = this.#recording;
    const deleted = await store.retain(project, {
      runs: this.#parts.configuration.history.keep,
      bytes: MAX_BYTES,
      own: this.#manifest?.id,
    });
    if (deleted.length > 0) onDeleted?.(deleted);
  }

  async #startManifest(plan: RunPlan): Promise<RunManifest> {
    const { configuration, judges, env, signal } = this.#parts;
    const { project, inputs, selection, name, resume } = this.#recording;
    const { boundaryKey: _, ...recordedPlan } = plan;
    const { temperature, samples } = configuration.judge;
    const hasJudge = judges.defaultJudge !== null || judges.byMetric.size > 0;
    const shownName = name ?? resume?.manifest.name;
    return {
      schemaVersion: 1,
      id: plan.id,
      ...(shownName === undefined ? {} : { name: shownName }),
      startedAt: plan.startedAt,
      endedAt: null,
      durationMs: null,
      tool: { name: 'turnwise', version: plan.version },
      project,
      inputs: [...inputs],
      ...(selection && Object.keys(selection).length > 0 ? { selection } : {}),
      plan: recordedPlan,
      questions: hasJudge ? await questionHashes(configuration, { env, signal }) : {},
      sampling: hasJudge ? { temperature, samples } : null,
      modelVersions: resume?.manifest.modelVersions ?? {},
      configuration: configurationHash(configuration),
      agent: this.#agent.summary(plan.agentVersion, this.#git),
      git: this.#git,
      state: 'running',
      tasksHash: null,
      totals: null,
    };
  }

  #rows({ sessions, failures }: Report, outcomes: readonly SessionOutcome[], plan: RunPlan): RecordedSession[] {
    const problems = Map.groupBy(
      failures.flatMap(({ occurrences }) => occurrences),
      ({ session }) => session,
    );
    const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    return sessions.flatMap((report) => {
      const outcome = byId.get(report.id);
      if (!outcome) return [];
      const file = this.#fileInProject(report.source.file);
      return [toRecordedSession({ outcome, report, problems: problems.get(report.id) ?? [], plan, file })];
    });
  }

  /** With `/` on every system, so that runs of several machines can be compared. */
  #fileInProject(file: string): string {
    if (file === '-') return file;
    const { project, cwd } = this.#recording;
    const path = resolve(cwd, file);
    const inside = relative(project, path);
    const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
    return (isInside ? inside : path).replaceAll(sep, '/');
  }

  #report(sentence: string): void {
    this.problems.push(createProblem('warning', 'record', '', `${sentence} The results are not affected.`));
  }
}

function alertsOf({ alerts = [] }: Report): Pick<RunManifest, 'alerts'> {
  return alerts.length === 0 ? {} : { alerts: alerts.map((alert) => ({ ...alert, runs: [...alert.runs] })) };
}

/** Sentences. @param isDataFolder whether the folder is that of all runs */
function recordingProblem(error: unknown, folder: string, isDataFolder: boolean): string {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return `${errorMessage(error)}.`;
  const why = error.code === 'ENOENT' ? 'it cannot be created' : describeSystemError(error);
  return `${folder} cannot be written: ${why}.${isDataFolder ? ' TURNWISE_HOME names another data folder.' : ''}`;
}

/** What gates decided; the answer of a baseline where there is one. */
function gatesOf({ verdict, baseline }: Report): Pick<RunTotals, 'verdict' | 'baseline'> {
  return { verdict, ...(baseline ? { baseline: baseline.answer } : {}) };
}

/** A session with missing results is evaluated again: its answers that are there are cached. */
function isFinished({ missing }: SessionOutcome): boolean {
  return missing.length === 0;
}

/** What a session is recognized by in the run that is continued. */
function knownKey({ id, source }: Pick<Session, 'id' | 'source'>, content: string | undefined): string | null {
  return content === undefined ? null : JSON.stringify([id, source.file, source.pointer, content]);
}

/** The versions that servers reported, by `provider/model`, together with those of the run that is continued. */
function modelVersions({ defaultJudge, byMetric }: Judges, before: Readonly<Record<string, string>>) {
  const versions: Record<string, string> = { ...before };
  for (const { provider, model, versions: reported } of [defaultJudge, ...byMetric.values()].flatMap((j) => j ?? [])) {
    if (reported.size > 0) versions[`${provider}/${model}`] = [...reported].sort().join(', ');
  }
  return versions;
}
