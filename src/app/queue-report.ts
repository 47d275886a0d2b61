import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Pointer } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { Judges } from '../engine/judges.ts';
import { type EvidenceRange, type LocationLookup, withLocations } from '../engine/locations.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import {
  decodeOutcome,
  decodeSession,
  lookUpRange,
  type QueuedSession,
  type SessionRanges,
} from '../queue/session-content.ts';
import type { QueuedResult, RunOutcome, SessionQueue } from '../queue/session-queue.ts';
import type { BoundRun } from './bound-run.ts';
import { createRunRecorder, type ProblemRecorder, type RecordedRunParts, type RunRecording } from './record-run.ts';
import { reduceParts } from './recorded-report.ts';

export interface QueueReportOptions {
  readonly storage: OutcomeStorage;
  /** Resolves pointers in the files, where they are; null: by the ranges that were queued. */
  readonly locate: LocationLookup | null;
  /** Problems of reading the sessions. */
  readonly problems: readonly Problem[];
  readonly record?: RunRecording | undefined;
  readonly parts: Omit<RecordedRunParts, 'judges' | 'locate'>;
}

export interface QueueReport {
  readonly report: Report;
  readonly outcome: RunOutcome;
}

/** Makes the report of a run whose sessions are all evaluated, from what is in the queue. */
export async function reportQueuedRun(
  queue: SessionQueue,
  plan: RunPlan,
  run: BoundRun,
  { storage, locate, problems, record, parts }: QueueReportOptions,
): Promise<QueueReport> {
  const versions = new ReportedVersions();
  const judges = versions.of(run.judges);
  const recorder = record && (await createRunRecorder(record, { ...parts, judges, locate: locate ?? NOWHERE }));
  await recorder?.begin(plan);
  const outcomes: SessionOutcome[] = [];
  const parked: Problem[] = [];
  let sessions = 0;
  for await (const group of byFile(queue.results(plan.id))) {
    const evaluated = await storeOutcomes(group, { recorder, storage, locate, versions, index: sessions });
    outcomes.push(...evaluated);
    parked.push(...group.flatMap(parkedProblem));
    sessions += group.length;
  }
  const unfinishedFile = parked[0]?.file ?? null;
  const durationMs = Date.now() - Date.parse(plan.startedAt);
  const reduced = await reduceParts(
    {
      plan,
      outcomes,
      totals: { sessions, unfinishedFile, complete: parked.length === 0, durationMs },
      problems: [...problems, ...parked],
    },
    {
      storage,
      metrics: run.metrics,
      judge: run.judges.defaultJudge,
      usageBeside: run.usageBeside,
      earlier: await recorder?.earlierAttempts(outcomes),
    },
  );
  const finished = recorder ? await recorder.finish(reduced, outcomes) : reduced;
  const report = { ...finished, problems: [...finished.problems, ...run.problems, ...(recorder?.problems ?? [])] };
  const errors = report.problems.filter(({ severity }) => severity === 'error').length;
  return { report, outcome: { verdict: report.verdict, sessions, parked: parked.length, errors } };
}

const NOWHERE: LocationLookup = () => new Map();

/** Lines are found in one pass over a file for so many sessions of it. */
const MAX_GROUP = 500;

/** Results that follow each other and are of one file. */
async function* byFile(results: AsyncIterable<QueuedResult>): AsyncGenerator<readonly DecodedResult[], void> {
  let group: DecodedResult[] = [];
  for await (const result of results) {
    const { outcome, reason, content } = result;
    const decoded = { ...decodeSession(content), outcome, reason };
    if (group.length >= MAX_GROUP || (group[0] && group[0].session.source.file !== decoded.session.source.file)) {
      yield group;
      group = [];
    }
    group.push(decoded);
  }
  if (group.length > 0) yield group;
}

interface DecodedResult extends QueuedSession {
  readonly outcome: string | null;
  readonly reason: string | null;
}

interface OutcomeSinks extends Pick<QueueReportOptions, 'storage' | 'locate'> {
  readonly recorder: ProblemRecorder | undefined;
  readonly versions: ReportedVersions;
  /** Of the first session of the group. */
  readonly index: number;
}

/** @returns the outcomes of a group, as the storage has them */
async function storeOutcomes(
  group: readonly DecodedResult[],
  { recorder, storage, locate, versions, index }: OutcomeSinks,
): Promise<SessionOutcome[]> {
  const evaluated = group.flatMap(({ outcome: text, session }, at) => {
    if (text === null) return [];
    const { outcome, versions: reported } = decodeOutcome(text);
    versions.add(reported);
    return [{ outcome, session, index: index + at }];
  });
  const located = withLocations(
    evaluated.map(({ outcome }) => outcome),
    locate ?? rangesLookup(group),
    true,
  );
  const stored: SessionOutcome[] = [];
  for (const [at, { session, index: position }] of evaluated.entries()) {
    const outcome = located[at];
    if (!outcome) continue;
    const recorded = recorder ? await recorder.session(outcome, session, position) : outcome;
    stored.push(storage.put(recorded));
  }
  return stored;
}

function rangesLookup(group: readonly { readonly ranges: SessionRanges }[]): LocationLookup {
  return (file, pointers) => {
    const found = new Map<Pointer, EvidenceRange>();
    for (const pointer of pointers) {
      const ranges = group.flatMap((session) => lookUpRange(session.ranges, file, pointer) ?? []);
      // The smallest value around it: sessions of one file may share what is around them.
      const [range] = ranges.sort((a, b) => b.line - a.line || a.endLine - b.endLine);
      if (range) found.set(pointer, range);
    }
    return found;
  };
}

function parkedProblem({ session: { id, source }, outcome, reason }: DecodedResult): Problem[] {
  if (outcome !== null) return [];
  const why = reason ?? 'No worker evaluated it.';
  return [createProblem('warning', 'parked', source.file, `Session ${id} was not evaluated in three tries: ${why}`)];
}

/** The versions that the judges of all workers reported. */
class ReportedVersions {
  readonly #byModel = new Map<string, Set<string>>();

  add(reported: Readonly<Record<string, readonly string[]>>): void {
    for (const [model, versions] of Object.entries(reported))
      for (const version of versions) this.#of(model).add(version);
  }

  /** The same judges, whose versions are those of all workers. */
  of({ defaultJudge, byMetric }: Judges): Judges {
    const withVersions = <Named extends { readonly provider: string; readonly model: string }>(judge: Named) => ({
      ...judge,
      versions: this.#of(`${judge.provider}/${judge.model}`),
    });
    return {
      defaultJudge: defaultJudge && withVersions(defaultJudge),
      byMetric: new Map(Array.from(byMetric, ([metric, judge]) => [metric, withVersions(judge)])),
    };
  }

  #of(model: string): Set<string> {
    const versions = this.#byModel.get(model) ?? new Set();
    this.#byModel.set(model, versions);
    return versions;
  }
}
