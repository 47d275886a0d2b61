import type { Configuration } from '../config/schema.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { GitState, RecordedRun, RunManifest } from '../core/run-record.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { type Judges, NO_JUDGES, usageBeside } from '../engine/judges.ts';
import { withScorePlaces } from '../engine/locations.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import { createRunId } from '../engine/plan.ts';
import type { PlannedSessions } from '../runs/record/planned-line.ts';
import { completeRecord } from './complete-record.ts';
import { findEarlierAttempts } from './earlier-attempts.ts';
import { NotRecorded, type RunRecording, recordingProblem, retainRuns } from './record-run.ts';
import { reduceParts } from './recorded-report.ts';
import { type CheckedParts, checkParts, PartsRefused, type RunPart } from './shard-parts.ts';

/** The judges that merge groups of failures with one root cause, and what is wrong with them. */
export interface MergeJudges {
  readonly judges: Judges;
  readonly problems: readonly Problem[];
}

export interface MergeOptions {
  readonly recording: Omit<RunRecording, 'gate' | 'git' | 'inputs' | 'cwd'>;
  /** See `GateReport`. */
  readonly gate: (report: Report, run: RecordedRun, planned: PlannedSessions) => Promise<Report>;
  readonly configuration: Pick<Configuration, 'history'>;
  /** Merges what is of one run. Where that is not all of it, it is undecided. */
  readonly isPartial: boolean;
  readonly storage: OutcomeStorage;
  /** Opens the judge of the parts; called only where it named problems. */
  readonly openJudges: (plan: RunManifest['plan']) => Promise<MergeJudges>;
  readonly signal: AbortSignal;
}

/**
 * Makes one run of its parts: the one that a single process would have recorded, but for its id and times.
 *
 * @throws PartsRefused with a sentence per line
 */
export async function mergeRuns(parts: readonly RunPart[], options: MergeOptions): Promise<Report> {
  const checked = await checkParts(parts);
  const { gaps, leftOut } = checked;
  if (gaps.length + leftOut.length > 0 && !options.isPartial) {
    throw new PartsRefused([...leftOut, ...gaps, gaps.length > 0 ? PARTIAL : WITHOUT_OTHERS].join('\n'));
  }
  options.signal.throwIfAborted();
  return await mergeChecked(checked, options);
}

const PARTIAL = '--partial merges what is there; the run is undecided then.';
const WITHOUT_OTHERS = '--partial merges the others, which are all of the run.';

async function mergeChecked(checked: CheckedParts, options: MergeOptions): Promise<Report> {
  const { recording, gate, configuration, storage, openJudges, signal } = options;
  const { planned, gaps, leftOut, files } = checked;
  const { store, project, elsewhere } = recording;
  const begun = mergedManifest(checked, recording);
  const writer = await store.create(begun, elsewhere).catch((error: unknown) => {
    throw new NotRecorded(`The merged run cannot be recorded: ${recordingProblem(error, recording)}`);
  });
  const outcomes: SessionOutcome[] = [];
  for await (const { at, outcome, transcript } of sessionsInOrder(checked)) {
    if (signal.aborted) break;
    await writer.session(withScorePlaces(outcome), at, transcript ?? undefined);
    outcomes.push(storage.put(outcome));
  }
  const isJudged = outcomes.some(({ problems }) => problems.some((problem) => problem.isJudged));
  const { judges, problems } =
    begun.plan.judge && isJudged && !signal.aborted
      ? await openJudges(begun.plan)
      : { judges: NO_JUDGES, problems: [] };
  const { id, startedAt, plan, agent } = begun;
  const earlier =
    configuration.history.attempts && !signal.aborted
      ? await findEarlierAttempts({ store, project, startedAt, agent, outcomes })
      : [];
  const report = await reduceParts(
    {
      plan: { ...plan, id, startedAt },
      outcomes,
      totals: {
        sessions: planned.ids.length,
        unfinishedFile: null,
        complete: gaps.length === 0 && !signal.aborted,
        lacksParts: gaps.length > 0 && !signal.aborted,
        durationMs: longest(checked),
      },
      problems: [...planned.problems.reading],
    },
    { storage, judge: judges.defaultJudge, earlier, usageBeside: () => usageBeside(judges, []) },
  );
  const warnings = [
    ...leftOut.map((part) => createProblem('warning', 'part-left-out', '', part)),
    ...gaps.map((gap) => createProblem('warning', 'incomplete-merge', '', gap)),
  ];
  const gated = await completeRecord(writer, {
    report: { ...report, problems: [...report.problems, ...warnings, ...problems] },
    outcomes,
    manifest: begun,
    stoppedBy: recording.stoppedBy?.() ?? `It was merged without some of its parts. ${gaps.join(' ')}`,
    fileOf: ({ id: session, source }) => files.get(session) ?? source.file,
    gate: async (merged, run) => (run ? await gate(merged, run, planned) : merged),
  });
  if (writer.problem !== null) throw new NotRecorded(writer.problem);
  await retainRuns(recording, configuration, id);
  return gated;
}

/** The sessions of all parts in the order of the input, with their place in it: `--resume` evaluates those that are missing. */
async function* sessionsInOrder({
  planned,
  byShard,
}: CheckedParts): AsyncGenerator<RecordedOutcome & { readonly at: number }, void> {
  const readers = new Map(Array.from(byShard, ([index, { record }]) => [index, new PartReader(record)]));
  for (const [at, id] of planned.ids.entries()) {
    const session = await readers.get(planned.shards[at] ?? 0)?.take(id);
    if (session) yield { at, ...session };
  }
}

interface RecordedOutcome {
  readonly outcome: SessionOutcome;
  readonly transcript: Session | null;
}

/** The sessions of a part, asked for in its order; some may be missing. */
class PartReader {
  readonly #sessions: AsyncIterator<RecordedOutcome>;
  /** Read, and not asked for yet. */
  #next: RecordedOutcome | null = null;

  constructor(record: RunPart['record']) {
    this.#sessions = record.transcribedSessions()[Symbol.asyncIterator]();
  }

  async take(id: string): Promise<RecordedOutcome | null> {
    const session = this.#next ?? (await this.#read());
    const isIt = session?.outcome.id === id;
    this.#next = isIt ? null : session;
    return isIt ? session : null;
  }

  async #read(): Promise<RecordedOutcome | null> {
    const { done, value } = await this.#sessions.next();
    return done ? null : value;
  }
}

/** What the parts have in common, under an id and a time of its own. */
function mergedManifest({ byShard }: CheckedParts, { project, name }: MergeOptions['recording']): RunManifest {
  const manifests = Array.from(byShard.values(), ({ record }) => record.manifest);
  const [first] = manifests;
  if (!first) throw new PartsRefused('Name the parts to merge.');
  const { shard: _, stoppedBy: _stopped, name: _name, alerts: _alerts, ...common } = first;
  const now = new Date();
  const id = createRunId(now);
  const startedAt = now.toISOString();
  return {
    ...common,
    id,
    ...(name === undefined ? {} : { name }),
    startedAt,
    endedAt: null,
    durationMs: null,
    project,
    plan: { ...common.plan, id, startedAt },
    modelVersions: mergeVersions(manifests),
    git: mergeGitStates(manifests.map(({ git }) => git)),
    state: 'running',
    tasksHash: null,
    totals: null,
  };
}

/** The same model can be a new version while shards run. */
function mergeVersions(manifests: readonly RunManifest[]): Record<string, string> {
  const versions = new Map<string, Set<string>>();
  for (const [model, text] of manifests.flatMap(({ modelVersions }) => Object.entries(modelVersions))) {
    const known = versions.get(model) ?? new Set();
    versions.set(model, known);
    for (const version of text.split(', ')) known.add(version);
  }
  return Object.fromEntries(Array.from(versions, ([model, known]) => [model, [...known].sort().join(', ')] as const));
}

/** Null where the parts were not at one commit. */
function mergeGitStates(states: readonly (GitState | null)[]): GitState | null {
  const [first = null] = states;
  if (!first || states.some((git) => git?.commit !== first.commit)) return null;
  const branches = new Set(states.map((git) => git?.branch ?? null));
  return {
    commit: first.commit,
    branch: branches.size === 1 ? first.branch : null,
    dirty: states.some((git) => git?.dirty),
  };
}

/** Of parts that ran at the same time. */
function longest({ byShard }: CheckedParts): number {
  return Math.max(0, ...Array.from(byShard.values(), ({ record }) => record.manifest.durationMs ?? 0));
}
