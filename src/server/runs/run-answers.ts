import { relative } from 'node:path';
import { baselinePath, setBaseline } from '../../app/baseline-file.ts';
import type { RunComparison } from '../../core/run-comparison.ts';
import type { RecordedRun, RecordedSession } from '../../core/run-record.ts';
import type { Leaderboard, MetricDistribution, RunTrend, TrendSubject } from '../../core/run-trend.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { LabelState, MetricToLabel, NextResult, ResultToLabel } from '../../protocol/labels.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { compareRuns } from '../../runs/compare/compare-runs.ts';
import { type ComparisonHeadline, comparisonHeadline } from '../../runs/compare/comparison-headline.ts';
import { unchangedText } from '../../runs/compare/flips.ts';
import { editorRemedies } from '../../runs/remedies.ts';
import type { RunRecord, RunStore } from '../../runs/run-store.ts';
import { metricDistribution } from '../../runs/trend/distribution.ts';
import { leaderboardOf } from '../../runs/trend/leaderboards.ts';
import { loadRuns, TREND_RUNS } from '../../runs/trend/load-runs.ts';
import { runTrend } from '../../runs/trend/run-trend.ts';
import { listSubjects } from '../../runs/trend/subject.ts';
import { toAbortSignal } from '../abort-signal.ts';
import { type RecordedScenario, recordedScenarios } from '../scenarios/recorded-attempts.ts';
import { type LabelParams, ResultLabels } from './label-results.ts';
import { countProgress, type RunReference, type SessionsSoFar, sortByHeadline } from './run-rows.ts';
import { type PairAnswer, type PairParams, TranscriptPairs } from './transcript-pairs.ts';
import { findUnchangedFiles, type UnchangedFiles } from './unchanged-files.ts';

/** What is asked about the records of runs: all that reads more than their manifests. */
export interface RunQuestions {
  readonly compare: {
    readonly params: { readonly runs: readonly RunReference[] };
    readonly result: {
      readonly comparison: RunComparison;
      readonly headline: ComparisonHeadline;
      readonly unchanged: string | null;
    };
  };
  readonly trend: {
    readonly params: { readonly run: RunReference; readonly subject: string | null; readonly task: string | null };
    readonly result: {
      readonly trend: RunTrend | null;
      readonly subjects: readonly Pick<TrendSubject, 'kind' | 'name'>[];
    };
  };
  readonly distribution: {
    readonly params: { readonly run: RunReference; readonly subject: string };
    readonly result: MetricDistribution | null;
  };
  readonly leaderboard: { readonly params: { readonly run: RunReference }; readonly result: Leaderboard };
  readonly sessions: {
    readonly params: { readonly run: RunReference; readonly offset: number; readonly limit: number };
    readonly result: { readonly total: number; readonly rows: readonly RecordedSession[] };
  };
  readonly unchanged: {
    readonly params: { readonly run: RunReference; readonly isTrusted: boolean };
    readonly result: UnchangedFiles;
  };
  readonly progress: { readonly params: { readonly run: RunReference }; readonly result: SessionsSoFar };
  /** The scenarios that were tried in a run. */
  readonly scenarios: { readonly params: { readonly run: RunReference }; readonly result: readonly RecordedScenario[] };
  readonly setBaseline: {
    readonly params: { readonly run: RunReference; readonly reason: string };
    readonly result: BaselineAnswer;
  };
  /** Ends the record of a run whose thread has ended. */
  readonly interrupt: { readonly params: { readonly run: string; readonly stoppedBy: string }; readonly result: null };
  readonly transcripts: { readonly params: PairParams; readonly result: PairAnswer };
  readonly metricsToLabel: {
    readonly params: Omit<LabelParams, 'metric'>;
    readonly result: readonly MetricToLabel[];
  };
  readonly labels: { readonly params: LabelParams; readonly result: LabelState };
  readonly nextResult: {
    readonly params: LabelParams & { readonly skipped: readonly string[] };
    readonly result: NextResult;
  };
  readonly setLabel: {
    readonly params: Parameters<ResultLabels['set']>[0];
    readonly result: Awaited<ReturnType<ResultLabels['set']>>;
  };
  readonly storeCalibration: { readonly params: LabelParams; readonly result: LabelState };
  readonly locateResult: {
    readonly params: LabelParams & { readonly id: string };
    readonly result: ResultToLabel['target'] | null;
  };
}

/** The path of the written file, or what the run is missing, a sentence each. */
export type BaselineAnswer = { readonly written: string } | { readonly missing: readonly string[] };

export type RunQuestion = keyof RunQuestions;

/** Answers questions about runs, wherever their records are read. All of it is plain data. */
export type AnswerRuns = <Name extends RunQuestion>(
  name: Name,
  params: RunQuestions[Name]['params'],
  signal: AbortSignal,
) => Promise<RunQuestions[Name]['result']>;

type Answers = {
  readonly [Name in RunQuestion]: (
    params: RunQuestions[Name]['params'],
    signal: AbortSignal,
  ) => Promise<RunQuestions[Name]['result']>;
};

/** Reads the records of runs in this thread. */
export function createRunAnswers(store: RunStore, files: FileSystem): AnswerRuns {
  const find = ({ id, project }: RunReference): Promise<RunRecord> => store.find(id, project);
  const read = async (run: RunReference): Promise<RecordedRun> => {
    const record = await find(run);
    return { manifest: record.manifest, rows: await record.rows() };
  };
  /** The complete runs of the project of a run, up to that run. */
  const until = async (run: RunReference): Promise<readonly RecordedRun[]> => {
    const { manifest } = await find(run);
    const { runs } = await loadRuns(store, { project: run.project, limit: TREND_RUNS, until: manifest.startedAt });
    return runs;
  };
  const pairs = new TranscriptPairs(find, files);
  const labels = new ResultLabels(find, files);
  const answers: Answers = {
    async compare({ runs }) {
      const comparison = compareRuns(await Promise.all(runs.map(read)), editorRemedies);
      return { comparison, headline: comparisonHeadline(comparison), unchanged: unchangedText(comparison) };
    },
    async trend({ run, subject, task }) {
      const runs = await until(run);
      const subjects = listSubjects(runs, task).map(({ subject: { kind, name } }) => ({ kind, name }));
      return { trend: runTrend(runs, { subject, task }), subjects };
    },
    distribution: async ({ run, subject }) => metricDistribution(await read(run), subject),
    leaderboard: async ({ run }) => leaderboardOf(await until(run)),
    async sessions({ run, offset, limit }) {
      const { rows } = await read(run);
      return { total: rows.length, rows: sortByHeadline(rows).slice(offset, offset + limit) };
    },
    unchanged: async ({ run, isTrusted }, signal) => findUnchangedFiles(await read(run), { files, isTrusted, signal }),
    progress: async ({ run }) => countProgress((await read(run)).rows),
    scenarios: async ({ run }) => recordedScenarios(await find(run)),
    async setBaseline({ run, reason }, signal) {
      const record = await find(run);
      const path = await baselinePath(run.project, run.project);
      const name = relative(run.project, path);
      const outcome = await setBaseline({ store, record, path, name, reason, remedies: editorRemedies, signal });
      return outcome.kind === 'refused' ? { missing: outcome.reasons } : { written: path };
    },
    async interrupt({ run, stoppedBy }) {
      await store.interrupt(run, stoppedBy);
      return null;
    },
    transcripts: (params) => pairs.rows(params),
    metricsToLabel: (params) => labels.metrics(params),
    labels: (params) => labels.state(params),
    nextResult: (params) => labels.next(params),
    setLabel: (params) => labels.set(params),
    storeCalibration: (params) => labels.calibrate(params),
    locateResult: (params) => labels.locate(params),
  };
  return (name, params, signal) => answers[name](params, signal);
}

/** Asks until the request is cancelled. */
export async function askRuns<Name extends RunQuestion>(
  answer: AnswerRuns,
  name: Name,
  params: RunQuestions[Name]['params'],
  token: CancellationToken,
): Promise<RunQuestions[Name]['result']> {
  using stop = toAbortSignal(token);
  return await answer(name, params, stop.signal);
}
