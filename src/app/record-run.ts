import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { GitState, RunManifest } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { Judges } from '../engine/judges.ts';
import { type LocationLookup, withLocations } from '../engine/locations.ts';
import type { RunRecorder } from '../engine/run-recorder.ts';
import { describeSystemError } from '../input/system-error.ts';
import type { EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';
import type { RunListing, RunRecord, RunStore, RunWriter } from '../runs/run-store.ts';
import type { Environment } from '../store/home.ts';
import { type ChangedQuestions, findChangedQuestions } from './changed-questions.ts';
import { completeRecord, fileInProject, folderInProject, type GateReport } from './complete-record.ts';
import { configurationHash } from './configuration-hash.ts';
import { findEarlierAttempts } from './earlier-attempts.ts';
import { planHash, type ShardPlan, shardText } from './plan-shard.ts';
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
  /** Called before the first session where answers of the last run cannot be used again, since the judge is asked otherwise. */
  readonly onQuestionsChanged?: (changed: ChangedQuestions) => void;
  readonly gate?: GateReport;
  /** The part of a run that is recorded; absent: all of it. */
  readonly shard?: ShardPlan | undefined;
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

/** A run whose record is all that it is for cannot be recorded. The message is a sentence. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
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

/** Deletes what is more than a project keeps. @param own the run that was recorded last */
export async function retainRuns(
  { store, project, onDeleted }: Pick<RunRecording, 'store' | 'project' | 'onDeleted'>,
  { history }: Pick<Configuration, 'history'>,
  own: string,
): Promise<void> {
  const deleted = await store.retain(project, { runs: history.keep, bytes: MAX_BYTES, own });
  if (deleted.length > 0) onDeleted?.(deleted);
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
  /** Where the sessions are that were read again. */
  readonly #read = new Set<string>();
  readonly #agent: AgentObserver;
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
    this.#agent = recording.shard?.agent ?? new AgentObserver();
    const { resume } = recording;
    this.continued = resume ? { id: resume.manifest.plan.id, startedAt: resume.manifest.plan.startedAt } : null;
  }

  async begin(plan: RunPlan): Promise<void> {
    const { store, resume, elsewhere, git } = this.#recording;
    this.#git = await git;
    const manifest = await this.#startManifest(plan);
    if (resume) checkResume(resume.manifest, manifest);
    await this.#tellChangedQuestions(manifest);
    this.#plan = plan;
    this.#manifest = manifest;
    if (resume) {
      this.#writer = await store.resume(resume, manifest);
      await this.#writePlanned(this.#writer);
      return;
    }
    try {
      this.#writer = await store.create(manifest, elsewhere);
      this.#recording.onStarted?.(manifest.id);
      await this.#writePlanned(this.#writer);
    } catch (error) {
      const problem = recordingProblem(error, this.#recording);
      const { shard } = this.#recording;
      if (!shard) return this.#report(`This run is not recorded: ${problem}`);
      throw new NotRecorded(
        `Shard ${shardText(shard.shard)} cannot be recorded, and its record is what \`turnwise merge\` needs: ${problem}`,
      );
    }
  }

  async #tellChangedQuestions(manifest: RunManifest): Promise<void> {
    const { store, resume, onQuestionsChanged } = this.#recording;
    // A run that is continued asks the same.
    if (!onQuestionsChanged || resume) return;
    const changed = await findChangedQuestions(store, manifest);
    if (changed) onQuestionsChanged(changed);
  }

  /** A process may have been killed before it had written them. */
  async #writePlanned(writer: RunWriter): Promise<void> {
    const { shard } = this.#recording;
    if (shard) await writer.planned(shard.planned);
  }

  known(session: Session): SessionOutcome | null {
    if (this.#known.size === 0) return null;
    this.#read.add(placeKey(session));
    const outcome = this.#known.get(knownKey(session, sessionHashes(session).content) ?? '') ?? null;
    if (outcome) this.#agent.add(session);
    return outcome;
  }

  unread(): readonly SessionOutcome[] {
    return [...this.#known.values()].filter((outcome) => !this.#read.has(placeKey(outcome)));
  }

  async session(outcome: SessionOutcome, session: Session, index: number): Promise<SessionOutcome> {
    if (!this.#writer) return outcome;
    this.#agent.add(session);
    const hashed = { ...outcome, hashes: outcome.hashes ?? sessionHashes(session) };
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
      this.#recording.shard !== undefined,
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
    // The other attempts of a part of a run are in its other parts.
    if (this.#recording.shard || !this.#plan || !this.#parts.configuration.history.attempts) return [];
    const { store, project } = this.#recording;
    const { agentVersion, startedAt } = this.#plan;
    const agent = this.#agent.summary(agentVersion, this.#git);
    return await findEarlierAttempts({ store, project, startedAt, agent, outcomes });
  }

  async finish(report: Report, outcomes: readonly SessionOutcome[]): Promise<Report> {
    const { gate = async (ungated: Report) => ungated } = this.#recording;
    if (!this.#writer || !this.#manifest || !this.#plan) return await gate(report, null);
    await this.#writePending();
    const manifest: RunManifest = {
      ...this.#manifest,
      modelVersions: modelVersions(this.#parts.judges, this.#manifest.modelVersions),
      agent: this.#agent.summary(this.#plan.agentVersion, this.#git),
    };
    const stoppedBy = this.#recording.stoppedBy?.() ?? 'It was stopped before all sessions were evaluated.';
    const fileOf = ({ source }: Report['sessions'][number]) => fileInProject(source.file, this.#recording);
    const gated = await completeRecord(this.#writer, { report, outcomes, manifest, stoppedBy, fileOf, gate });
    if (this.#writer.problem !== null) this.#report(this.#writer.problem);
    try {
      if (this.#isWithoutSessions(report)) await this.#recording.store.delete([manifest.id]);
      await retainRuns(this.#recording, this.#parts.configuration, manifest.id);
    } catch (error) {
      this.#report(`A run was not deleted: ${errorMessage(error)}.`);
    }
    return gated;
  }

  /** Such a run has nothing to open, to compare or to resume. A record of its own, or of a part of a run, is kept. */
  #isWithoutSessions({ sessions, run: { complete } }: Report): boolean {
    const { elsewhere, shard } = this.#recording;
    return sessions.length === 0 && complete && elsewhere === undefined && !shard;
  }

  async #startManifest(plan: RunPlan): Promise<RunManifest> {
    const { configuration, judges, env, signal } = this.#parts;
    const { project, cwd, inputs, selection, name, resume, shard } = this.#recording;
    const folder = folderInProject(cwd, project);
    const { boundaryKey: _, ...recordedPlan } = plan;
    const { temperature, samples } = configuration.judge;
    const hasJudge = judges.defaultJudge !== null || judges.byMetric.size > 0;
    const shownName = name ?? resume?.manifest.name;
    const manifest: RunManifest = {
      schemaVersion: 1,
      id: plan.id,
      ...(shownName === undefined ? {} : { name: shownName }),
      startedAt: plan.startedAt,
      endedAt: null,
      durationMs: null,
      tool: { name: 'turnwise', version: plan.version },
      project,
      ...(folder === undefined ? {} : { folder }),
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
    if (!shard) return manifest;
    return { ...manifest, shard: { ...shard.shard, plan: planHash(manifest, shard.planned) } };
  }

  #report(sentence: string): void {
    if (this.#recording.shard) {
      const lost = `${sentence} \`turnwise merge\` needs all of it: evaluate the shard again.`;
      this.problems.push(createProblem('error', 'record', '', lost));
      return;
    }
    this.problems.push(createProblem('warning', 'record', '', `${sentence} The results are not affected.`));
  }
}

/** Why there can be no folder, by the code of the system. */
const PLACE_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'it cannot be created'],
  ['EEXIST', 'a file is where a folder has to be'],
  ['ENOTDIR', 'a file is where a folder has to be'],
]);

/** Why a record cannot be written, as sentences. */
export function recordingProblem(
  error: unknown,
  { store, elsewhere }: Pick<RunRecording, 'store' | 'elsewhere'>,
): string {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) {
    return `${errorMessage(error).replace(/\.$/, '')}.`;
  }
  const [folder, isDataFolder] = [elsewhere ?? store.folder, !elsewhere];
  const why = PLACE_PROBLEMS.get(error.code) ?? describeSystemError(error);
  return `${folder} cannot be written: ${why}.${isDataFolder ? ' TURNWISE_HOME names another data folder.' : ''}`;
}

/** A session with missing results is evaluated again: its answers that are there are cached. */
function isFinished({ missing }: SessionOutcome): boolean {
  return missing.length === 0;
}

/** What a session is recognized by in the run that is continued. */
function knownKey(session: Pick<Session, 'id' | 'source'>, content: string | undefined): string | null {
  return content === undefined ? null : `${placeKey(session)} ${content}`;
}

function placeKey({ id, source }: Pick<Session, 'id' | 'source'>): string {
  return JSON.stringify([id, source.file, source.pointer]);
}

/** The versions that servers reported, by `provider/model`, together with those of the run that is continued. */
function modelVersions({ defaultJudge, byMetric }: Judges, before: Readonly<Record<string, string>>) {
  const versions: Record<string, string> = { ...before };
  for (const { provider, model, versions: reported } of [defaultJudge, ...byMetric.values()].flatMap((j) => j ?? [])) {
    if (reported.size > 0) versions[`${provider}/${model}`] = [...reported].sort().join(', ');
  }
  return versions;
}
