import { computeCost } from './app/cost.ts';
import { type ModelOptions, openRunModels } from './app/run-models.ts';
import { type AdkConfiguration, applyCriteria, findAdkConfiguration, warnUnusedJudges } from './config/adk.ts';
import { checkConfiguration, type Registry } from './config/check.ts';
import { REGISTRY, registryFor } from './config/registry.ts';
import type { Configuration, ConfigurationInput } from './config/schema.ts';
import type { Problem } from './core/problem.ts';
import type { Report } from './core/report.ts';
import type { Pointer, Session } from './core/session.ts';
import { evaluateSessions } from './engine/evaluate.ts';
import type { RunEvent } from './engine/events.ts';
import type { LocationLookup } from './engine/locations.ts';
import { formatsWithMappings } from './formats/mapped/mapped-format.ts';
import type { FileSystem } from './input/file-system.ts';
import { type FileSummary, type LoadOptions, type LoadResult, type Locator, load } from './input/load.ts';
import { nodeFileSystem } from './input/node-file-system.ts';
import { selectSessions } from './input/select-sessions.ts';
import { allMetrics } from './metrics/custom/metric-table.ts';
import { type FunctionRunner, sequentialRunner } from './sandbox/function-runner.ts';
import { inProcessRunner } from './sandbox/in-process-runner.ts';
import { ModuleFunctionRunner } from './sandbox/module-function-runner.ts';
import { VERSION } from './version.ts';

export type { Configuration, ConfigurationInput } from './config/schema.ts';
export type { Finding } from './core/finding.ts';
export type { Problem } from './core/problem.ts';
export type * from './core/report.ts';
export type { Evidence, Result, Status } from './core/result.ts';
export type * from './core/session.ts';
export type { RunEvent } from './engine/events.ts';
export type { CallLog } from './llm/chat-client.ts';
export { type Estimator, type PassAtKEstimate, passAtK, passPowK } from './metrics/attempts/pass-at-k.ts';
export type {
  CustomAnswer,
  CustomMetric,
  CustomSessionContext,
  CustomTurnContext,
} from './metrics/custom/definition.ts';

export interface EvaluateOptions extends ModelOptions {
  /** Aborting ends the run with what is finished: `run.complete` is false. */
  readonly signal?: AbortSignal;
  /** Results as they land: each turn, each session. */
  readonly onResult?: (event: RunEvent) => void;
}

export interface EvaluateFilesOptions extends EvaluateOptions {
  /** Where files are read from; by default, the disk. */
  readonly files?: FileSystem;
  /** After each file that was read. */
  readonly onFile?: (file: string) => void;
  /** When everything was read, before anything is evaluated. */
  readonly onRead?: (read: Pick<EvaluatedFiles, 'sessions' | 'locator'>) => void;
  /** Has the last word when everything was read: under what it is evaluated, and with which keys. */
  readonly confirm?: (read: ReadInput) => Promise<Pick<ModelOptions, 'env'> & Pick<ReadInput, 'configuration'>>;
  /** Read every file as this format, whatever detection says. */
  readonly inputFormat?: string;
  /** For traces that carry none. */
  readonly tools?: LoadOptions['tools'];
  readonly context?: LoadOptions['context'];
  /** What the path `-` reads. */
  readonly stdin?: LoadOptions['stdin'];
  /** Only the session with this id. */
  readonly session?: string;
  /** Only this turn of each session, zero-based; earlier ones remain its context. */
  readonly turn?: number;
  /** At most so many sessions, evenly spaced over the input. */
  readonly sample?: number;
  readonly k?: readonly number[];
  readonly correctBy?: string;
  readonly agentVersion?: string;
}

/** What is about to be evaluated, and under what: criteria that stand beside the files are part of it. */
export interface ReadInput {
  readonly sessions: readonly Session[];
  readonly configuration: Configuration;
}

export interface EvaluatedFiles {
  readonly report: Report;
  /** Those that were evaluated, as they were read. */
  readonly sessions: readonly Session[];
  /** Resolves pointers of the report to places in the files, without reading them again. */
  readonly locator: Locator;
  readonly files: readonly FileSummary[];
}

/**
 * Evaluates trace files, or sessions that the caller made.
 *
 * @param input paths of files and directories, or sessions in Turnwise's canonical shape.
 * @param configuration as in a configuration file; every key is optional.
 * Functions in `custom` are called in this process, one after the other: one that never gives control back blocks it.
 * @throws when the configuration is invalid, or the key of a model is missing. What is wrong with files is in the report's
 * `problems`.
 */
export async function evaluate(
  input: readonly string[] | readonly Session[],
  configuration: ConfigurationInput = {},
  options: EvaluateOptions = {},
): Promise<Report> {
  if (isPaths(input)) return (await evaluateFiles(input, configuration, options)).report;
  const read = { sessions: input, problems: [], locate: () => new Map() };
  return evaluateRun(read, validateConfiguration(configuration), options);
}

/** Evaluates trace files, and keeps what is needed to find the report's pointers in them. */
export async function evaluateFiles(
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration = {},
  options: EvaluateFilesOptions = {},
): Promise<EvaluatedFiles> {
  const settings = validateConfiguration(configuration);
  const { inputFormat: format, tools, context, stdin, onFile } = options;
  const signal = options.signal ?? new AbortController().signal;
  const asked = { format, tools, context, stdin, onFile, signal };
  const { sessions, problems, files, locator } = await load(
    paths,
    options.files ?? nodeFileSystem,
    asked,
    formatsWithMappings(settings.map),
  ).catch((error: unknown) => {
    if (signal.aborted) return NOTHING_READ;
    throw error;
  });
  const vocabulary = registryFor(settings);
  const criteria = await loadCompanionCriteria(files, vocabulary);
  const selected = selectSessions(sessions, options);
  options.onRead?.({ sessions: selected, locator });
  const read = {
    sessions: selected,
    problems: [...problems, ...(criteria ? [...criteria.problems, ...warnUnusedJudges(criteria, settings)] : [])],
    locate: (file: string, pointers: Iterable<Pointer>) => locator.locate(file, pointers),
  };
  const wanted = criteria?.criteria ? applyCriteria(settings, criteria.criteria, vocabulary) : settings;
  const decided = await options.confirm?.({ sessions: selected, configuration: wanted });
  const { configuration: last, env } = { configuration: wanted, env: options.env, ...decided };
  return { report: await evaluateRun(read, last, { ...options, env, signal }), sessions: selected, locator, files };
}

/** What a run that was stopped while it was still reading goes on with, so that it has a report as well. */
const NOTHING_READ: LoadResult = { sessions: [], problems: [], files: [], locator: { locate: () => new Map() } };

/** @throws Error with one sentence per line when the configuration is invalid. */
function validateConfiguration(input: ConfigurationInput | Configuration): Configuration {
  const { configuration, issues: complaints } = checkConfiguration(input, REGISTRY);
  if (configuration) return configuration;
  throw new Error(complaints.map(({ message }) => message).join('\n'));
}

/** ADK's evaluation sets come with a `test_config.json`, whose criteria are part of what they expect. */
function loadCompanionCriteria(files: readonly FileSummary[], vocabulary: Registry): Promise<AdkConfiguration | null> {
  const sets = files.filter(({ format }) => format === 'adk-evalset').map(({ file }) => file);
  return findAdkConfiguration(sets, vocabulary);
}

interface RunInput {
  readonly sessions: readonly Session[];
  readonly problems: readonly Problem[];
  readonly locate: LocationLookup;
}

async function evaluateRun(
  { sessions, problems, locate }: RunInput,
  configuration: Configuration,
  options: EvaluateFilesOptions,
): Promise<Report> {
  const { signal = new AbortController().signal, onResult, agentVersion, turn, k, correctBy } = options;
  using models = await openRunModels(configuration, { ...options, signal });
  using inModules = new ModuleFunctionRunner();
  const metrics = allMetrics(configuration.custom, functionRunner(inModules));
  const report = await evaluateSessions({
    metrics,
    sessions,
    problems,
    locate,
    configuration,
    judges: models.judges,
    embedder: models.embedder,
    version: VERSION,
    agentVersion,
    turn,
    k,
    correctBy,
    signal,
    onEvent: onResult,
  });
  const cost = computeCost(models.judges, configuration.judge.price);
  const usage = { ...report.run.usage, ...(cost === null ? {} : { cost }) };
  return { ...report, run: { ...report.run, usage }, problems: [...report.problems, ...models.problems] };
}

/** Functions in a file are called in a process of its own; those that a program hands over, in the program's. */
function functionRunner(inModules: FunctionRunner): FunctionRunner {
  const here = inProcessRunner();
  return sequentialRunner({
    call: (call, signal) => (typeof call.fn === 'function' ? here : inModules).call(call, signal),
  });
}

function isPaths(input: readonly string[] | readonly Session[]): input is readonly string[] {
  return input.every((item: unknown) => typeof item === 'string');
}
