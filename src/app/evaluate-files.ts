import { checkConfiguration } from '../config/check.ts';
import type { Configuration, ConfigurationInput } from '../config/schema.ts';
import { withoutSlowParts } from '../config/without-models.ts';
import type { Report } from '../core/report.ts';
import type { Pointer, Session } from '../core/session.ts';
import { type EvaluationInput, evaluateSessions } from '../engine/evaluate.ts';
import type { RunEvent } from '../engine/events.ts';
import type { LocationLookup } from '../engine/locations.ts';
import type { OutcomeStorage } from '../engine/outcome-storage.ts';
import type { TaskMetrics } from '../engine/plan.ts';
import type { SessionWorkers } from '../engine/session-workers.ts';
import type { Locator, ReadSummary } from '../input/load.ts';
import type { Estimator } from '../metrics/attempts/pass-at-k.ts';
import { RULES } from '../rules/index.ts';
import { type FunctionRunner, sequentialRunner } from '../sandbox/function-runner.ts';
import { inProcessRunner } from '../sandbox/in-process-runner.ts';
import { describeCustomMetrics } from '../sandbox/metric-classes.ts';
import { ModuleFunctionRunner } from '../sandbox/module-function-runner.ts';
import { VERSION } from '../version.ts';
import { matchCalibrations } from './judge-calibrations.ts';
import { type LoadedRun, type LoadRunOptions, loadRun, streamRun } from './load-run.ts';
import { isOfShard } from './plan-shard.ts';
import { metricsWith, type PlugIns, registryWith } from './plug-ins.ts';
import { createRunRecorder, type RunRecording } from './record-run.ts';
import { type ModelOptions, openRunModels } from './run-models.ts';

export interface EvaluateRunOptions extends ModelOptions, PlugIns {
  /** Aborting ends the run with the finished results: `run.complete` is false. */
  readonly signal?: AbortSignal;
  /** Results as they arrive: each turn, each session. */
  readonly onResult?: (event: RunEvent) => void;
  /** Called before each session is evaluated. */
  readonly onSessionStart?: (session: Session) => void;
  /** How many sessions are evaluated at once; by default as many as suit the models. */
  readonly sessionsAtOnce?: number;
  /** Only this turn of each session, zero-based; earlier ones remain its context. */
  readonly turn?: number;
  readonly k?: readonly number[];
  /** Default: unbiased. */
  readonly estimator?: Estimator;
  readonly correctBy?: string;
  readonly agentVersion?: string;
  /** Metrics that the user named: the table says why one of them has no score. */
  readonly namedMetrics?: readonly string[] | undefined;
  /** What some tasks have instead of the metrics of the configuration. */
  readonly taskMetrics?: readonly TaskMetrics[];
  /** Default: a new one. */
  readonly runId?: string;
  /** Records the run while it is evaluated. */
  readonly record?: RunRecording;
  /**
   * Opens threads for the sessions of a configuration; null where this thread evaluates all. They have nothing of what a program plugs in.
   *
   * @param addsHashes whether outcomes have the hashes of their sessions.
   */
  readonly openWorkers?:
    | ((configuration: Configuration, addsHashes: boolean) => (SessionWorkers & Disposable) | null)
    | undefined;
}

export interface EvaluateFilesOptions extends EvaluateRunOptions, Omit<LoadRunOptions, 'signal'> {
  /** Called when everything was read, before evaluation. */
  readonly onRead?: (read: Pick<EvaluatedFiles, 'sessions' | 'locator' | 'stateChangingTools'>) => void;
  /** Called when everything was read. Decides under which configuration it is evaluated, and with which keys. */
  readonly confirm?: (
    read: ConfirmRequest,
  ) => Promise<Pick<ModelOptions, 'env' | 'editorModels'> & Pick<LoadedRun, 'configuration'>>;
}

/** What is about to be evaluated, under a configuration that includes the criteria beside the files. */
export interface ConfirmRequest extends Pick<LoadedRun, 'sessions' | 'configuration'> {
  /** Evaluates the same sessions with neither models nor functions of the user, which takes a moment. */
  readonly evaluateLocally: (onResult?: (event: RunEvent) => void) => Promise<Report>;
}

export interface EvaluatedFiles {
  readonly report: Report;
  /** The evaluated sessions, as they were read. */
  readonly sessions: readonly Session[];
  /** Resolves pointers of the report to ranges in the files, without reading them again. */
  readonly locator: LoadedRun['locator'];
  readonly files: LoadedRun['files'];
  /** As the configuration names them. */
  readonly stateChangingTools: Configuration['stateChangingTools'];
}

/** Evaluates trace files, and returns the sessions too. See `evaluateFileStream`, which keeps none. */
export async function evaluateFiles(
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration = {},
  options: EvaluateFilesOptions = {},
): Promise<EvaluatedFiles> {
  const signal = options.signal ?? new AbortController().signal;
  const run = await loadRun(paths, validateConfiguration(configuration, options), { ...options, signal });
  const { sessions, locator, files, problems } = run;
  const { stateChangingTools } = run.configuration;
  options.onRead?.({ sessions, locator, stateChangingTools });
  const locate = locationLookup(locator);
  const input = { sessions, summary: () => ({ problems }), locate };
  const confirmed = await options.confirm?.({
    sessions,
    configuration: run.configuration,
    evaluateLocally: (onResult) =>
      evaluateRun(input, withoutSlowParts(run.configuration), { ...options, record: undefined, signal, onResult }),
  });
  const { configuration: settings, ...access } = { configuration: run.configuration, env: options.env, ...confirmed };
  const { env, editorModels = options.editorModels } = access;
  const report = await evaluateRun(input, settings, { ...options, env, editorModels, signal });
  return { report, sessions, locator, files, stateChangingTools };
}

export function locationLookup(
  locator: Locator,
  isIndexed = (file: string) => locator.isIndexed?.(file) ?? false,
): LocationLookup {
  const locate = (file: string, pointers: Iterable<Pointer>) => locator.locate(file, pointers);
  return Object.assign(locate, { isIndexed });
}

export interface EvaluateStreamOptions extends EvaluateRunOptions, Omit<LoadRunOptions, 'signal'> {
  /** Where outcomes are put aside: the report can be read as long as it is open. */
  readonly storage?: OutcomeStorage;
  /** Called for each session when it is read. Keep what a report needs of it, and not the session. */
  readonly onSession?: (session: Session) => void;
}

/**
 * Evaluates trace files as they are read: each session is released once it is evaluated.
 *
 * @param paths an iterable: files that are written while earlier ones are evaluated, each whole in itself.
 */
export async function evaluateFileStream(
  paths: readonly string[] | AsyncIterable<string>,
  configuration: ConfigurationInput | Configuration = {},
  options: EvaluateStreamOptions = {},
): Promise<Omit<EvaluatedFiles, 'sessions' | 'stateChangingTools'> & Pick<ReadSummary, 'sources'>> {
  const { signal = new AbortController().signal, onSession } = options;
  const run = await streamRun(paths, validateConfiguration(configuration, options), {
    ...options,
    isOwn: options.record?.shard && isOfShard(options.record.shard),
    rereads: true,
    signal,
  });
  const { locator, summary } = run;
  const sessions = untilAborted(run.sessions, signal, onSession);
  // Nothing waits for the next file, which may be written only when the last one is evaluated.
  const isIndexed = Symbol.asyncIterator in paths ? () => true : undefined;
  const locate = locationLookup(locator, isIndexed);
  const { storage } = options;
  const report = await evaluateRun({ sessions, summary, locate, storage }, run.configuration, { ...options, signal });
  const { files, sources } = summary();
  return { report, locator, files, sources };
}

/** Ends where an abort stops the reading. */
export async function* untilAborted(
  sessions: AsyncIterable<Session>,
  signal: AbortSignal,
  onSession: ((session: Session) => void) | undefined,
): AsyncGenerator<Session, void> {
  try {
    for await (const session of sessions) {
      onSession?.(session);
      yield session;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** @throws Error with one sentence per line when the configuration is invalid. */
export function validateConfiguration(input: ConfigurationInput | Configuration, plugIns: PlugIns = {}): Configuration {
  const { configuration, issues } = checkConfiguration(describeCustomMetrics(input), registryWith(plugIns));
  if (configuration) return configuration;
  throw new Error(issues.map(({ message }) => message).join('\n'));
}

type RunInput = Pick<EvaluationInput, 'sessions' | 'summary' | 'locate' | 'storage'>;

/** Opens the models of a run and evaluates its sessions. */
export async function evaluateRun(
  input: RunInput,
  configuration: Configuration,
  options: EvaluateRunOptions,
): Promise<Report> {
  const {
    signal = new AbortController().signal,
    onResult,
    onSessionStart,
    sessionsAtOnce,
    agentVersion,
    namedMetrics,
    taskMetrics,
    runId,
    turn,
    k,
    estimator,
    correctBy,
    rules = [],
    record,
    env = process.env,
  } = options;
  using models = await openRunModels(configuration, { ...options, signal });
  const { judges } = models;
  const recorder =
    record && (await createRunRecorder(record, { configuration, judges, locate: input.locate, env, signal }));
  using moduleFunctions = new ModuleFunctionRunner();
  const metrics = metricsWith(configuration, options, functionRunner(moduleFunctions));
  const { calibrations, informing, problems } = await matchCalibrations(configuration, judges, metrics, {
    env,
    signal,
  });
  using workers = options.openWorkers?.(configuration, record !== undefined) ?? null;
  const report = await evaluateSessions({
    ...input,
    workers: workers ?? undefined,
    configuration,
    metrics,
    calibrations,
    informing,
    rules: [...RULES, ...rules],
    judges,
    embedder: models.embedder,
    boundaryKey: models.boundaryKey,
    version: VERSION,
    agentVersion,
    namedMetrics,
    taskMetrics,
    runId,
    turn,
    k,
    estimator,
    correctBy,
    signal,
    onEvent: onResult,
    onSessionStart,
    sessionsAtOnce,
    recorder,
    isPart: record?.shard !== undefined,
  });
  return { ...report, problems: [...report.problems, ...problems, ...models.problems, ...(recorder?.problems ?? [])] };
}

/** Functions of a file are called in a process of their own; those that a program passes, in the program's. */
export function functionRunner(moduleFunctions: FunctionRunner): FunctionRunner {
  const inProcess = inProcessRunner();
  return sequentialRunner({
    call: (call, signal) => (typeof call.fn === 'function' ? inProcess : moduleFunctions).call(call, signal),
  });
}
