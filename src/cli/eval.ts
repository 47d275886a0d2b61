import { resolve } from 'node:path';
import { gateAgainstBaseline } from '../app/baseline-gates.ts';
import { folderInProject, withFolder } from '../app/complete-record.ts';
import { dryRun } from '../app/dry-run.ts';
import { type EvaluateStreamOptions, evaluateFileStream } from '../app/evaluate-files.ts';
import { type EvaluatedBefore, reportSince } from '../app/evaluated-before.ts';
import { findProject } from '../app/git-state.ts';
import type { OpenRecording } from '../app/open-recording.ts';
import { planShard, type ShardPlan, shardText, withInputProblems } from '../app/plan-shard.ts';
import { NotRecorded } from '../app/record-run.ts';
import { requiredModels, requiresModels } from '../app/required-models.ts';
import { ResumeRefused } from '../app/resume-check.ts';
import { addAlerts } from '../app/run-alerts.ts';
import type { ConfiguredEvaluation } from '../app/scenario-evaluation.ts';
import { gateShard } from '../app/shard-verdict.ts';
import type { SourceInput } from '../app/source-input.ts';
import { unmatchedGates } from '../app/unmatched-gates.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { lazy } from '../core/cache/memoize.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RecordedRun } from '../core/run-record.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { redactJsonValue } from '../core/secrets.ts';
import type { Session } from '../core/session.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { RunEvent } from '../engine/events.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { nodeFileSystem, withPipe } from '../input/node-file-system.ts';
import { parseContext, parseTools } from '../input/supplements.ts';
import { describeSystemError } from '../input/system-error.ts';
import { recordedAgentestReport } from '../reports/agentest.ts';
import { htmlReport } from '../reports/html/html.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import { tableReport } from '../reports/table.ts';
import { escapeInvisible } from '../reports/terminal-text.ts';
import { compareAgentsOfRun } from '../runs/compare/compare-agents.ts';
import { runOfReport } from '../runs/compare/report-run.ts';
import { isNothingNew } from '../runs/nothing-new.ts';
import { shortRunId } from '../runs/run-label.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { dryRunText } from './dry-run-text.ts';
import { checkInputFormat, configurationFlags, type EvalArguments } from './eval-options.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import type { CommandHost } from './host.ts';
import { describeOtherConfigurations, findInputs } from './inputs.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { createCallFormatter } from './judge-call-text.ts';
import { missingSelection, missingTasks, type TaskCandidate } from './missing-selection.ts';
import { checkNotInputs, writeOutput } from './output-file.ts';
import {
  checkQueueOptions,
  refuseEditorModels,
  requireApiKeys,
  requireModelFolder,
  requireWholePlan,
} from './preconditions.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, type RunProgress, showProgress } from './progress.ts';
import {
  checkReportOutputs,
  parseReportOutputs,
  type ReportOutput,
  showTranscripts,
  writeReports,
} from './report-outputs.ts';
import { announceAlerts } from './run-alerts.ts';
import {
  announceRecord,
  checkShardOptions,
  describeLeftOut,
  findRecord,
  openEvalRecording,
  openEvaluatedBefore,
} from './run-recording.ts';
import { explainInputErrors, isError, openBaseline, printRunProblems, withProblems } from './run-report.ts';
import { UsageError } from './usage-error.ts';

/** `turnwise eval`. @returns the exit code. @throws UsageError */
export async function evaluateCommand(
  patterns: readonly string[],
  args: EvalArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const prepared = await prepareEvaluation(args, host, interrupt, [recordedAgentestReport]);
  if (prepared === null) return EXIT_CODES.input;
  return await evaluatePrepared(patterns, prepared);
}

/** What is known before it is known which sessions there are. */
export interface PreparedEvaluation {
  readonly args: EvalArguments;
  readonly host: CommandHost;
  readonly interrupt: Interrupt;
  readonly outputs: readonly ReportOutput[];
  readonly loaded: LoadedConfiguration;
  readonly configuration: Configuration;
  readonly supplements: Supplements;
}

/**
 * Checks the command line and loads the configuration. Null where that is wrong, and printed.
 *
 * @param writers kinds of reports that only this command has.
 * @throws UsageError
 */
export async function prepareEvaluation(
  args: EvalArguments,
  host: CommandHost,
  interrupt: Interrupt,
  writers: readonly ReportWriter[] = [],
): Promise<PreparedEvaluation | null> {
  const outputs = parseReportOutputs(args, { host, others: writers });
  if (args.dryRun && args.report) {
    throw new UsageError(
      '--report does not go with --dry-run, which makes no report. --format json prints the plan as JSON.',
    );
  }
  await checkReportOutputs(outputs, host);

  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: args.config,
    flags: configurationFlags(args),
    registry: REGISTRY,
    code: args.dryRun ? 'skip' : 'run',
  });
  if (args.dryRun) requireWholePlan(loaded);
  const { configuration } = loaded;
  await printProblems(host, loaded.problems, args);
  const supplements = await readSupplements(args, host, interrupt.signal);
  await printProblems(host, supplements.problems, args);
  if (!configuration || [...loaded.problems, ...supplements.problems].some(isError)) return null;
  checkInputFormat(args.inputFormat, formatsWithMappings(configuration.map));
  refuseEditorModels(configuration, loaded, args.judge);
  checkQueueOptions(args, configuration);
  if (!args.dryRun) requireApiKeys(configuration, { ...host.env, ...loaded.keys });
  await requireModelFolder(configuration);
  if (args.verbose)
    await host.stderr.write(
      `configuration: ${[...configurationFiles(loaded), loaded.riskFile, loaded.judgeFile].flatMap((file) => file ?? []).join(', ') || 'none found, using defaults'}\n`,
    );
  return { args, host, interrupt, outputs, loaded, configuration, supplements };
}

/** What the sessions are, where a program has just made them. */
export interface AttemptSessions {
  /** Of the run. */
  readonly id: string;
  readonly taskMetrics: ConfiguredEvaluation['taskMetrics'];
  readonly scenarioOf: EvaluateStreamOptions['scenarioOf'];
  /** Whether they are a part of those that there could be, which says nothing about patterns of gates. */
  readonly isPart: boolean;
  /** What went wrong with them, asked when all are evaluated. */
  readonly problems: () => readonly Problem[];
  /** The environment with the keys that may be sent. */
  readonly env: CommandHost['env'];
  /** Those that are compared with the first of them, where there are several. */
  readonly agents?: readonly string[] | undefined;
  /** Their files, where some are written only when others are evaluated. */
  readonly files?: AsyncIterable<string> | undefined;
  /** What showed how they were made, and goes on. */
  readonly progress: RunProgress;
  readonly onSession?: ((session: Session) => void) | undefined;
  readonly onResult?: ((event: RunEvent) => void) | undefined;
}

/** Evaluates, writes the reports and records the run. @returns the exit code. @throws UsageError */
export async function evaluatePrepared(
  patterns: readonly string[],
  { args, host, interrupt, outputs, loaded, configuration, supplements }: PreparedEvaluation,
  made?: AttemptSessions,
): Promise<number> {
  const { signal } = interrupt;
  checkShardOptions(args);
  const before = await openEvaluatedBefore(args, patterns, host);
  using recording = args.dryRun
    ? null
    : await openEvalRecording(patterns, configuration, args, host, interrupt, {
        before,
        showsTranscripts: showTranscripts(outputs),
      });
  try {
    const env = args.dryRun
      ? { ...host.env, ...loaded.keys }
      : (made?.env ?? (await allowedEnvironment(configuration, loaded, { args, host, signal })));
    // Twice where only a part is evaluated.
    const stdin = lazy(() => host.readStdin(signal));
    const options = {
      signal,
      env,
      cache: args.cache,
      stdin,
      runId: made?.id,
      taskMetrics: made?.taskMetrics,
      scenarioOf: made?.scenarioOf,
      ...supplements.options,
      ...selectionOptions(args),
      leaveOut: before?.has,
    };
    const inputs = recording?.recording.inputs ?? patterns;
    const expanded = await findInputs(inputs, loaded, host, signal);
    if (!args.quiet && args.config === undefined && !made) {
      const line = await describeOtherConfigurations(inputs, loaded, host);
      if (line !== null) await host.stderr.write(`${sanitizeLine(line)}\n`);
    }
    const others = [...configurationFiles(loaded), loaded.riskFile, loaded.judgeFile, args.tools, args.context].flatMap(
      (file) => file ?? [],
    );
    await checkNotInputs(outputs, { paths: expanded.paths, others }, expanded.files, host, signal);
    const settings = configurationFiles(loaded);
    const reading = { ...options, files: expanded.files };
    const shard = await planOwnShard(expanded, configuration, reading, { settings, args, host, recording });
    return await (args.dryRun ? runDry : runEvaluation)(expanded, configuration, reading, {
      settings,
      others,
      outputs,
      args,
      host,
      recording,
      made,
      before,
      shard,
    });
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    if (error instanceof ResumeRefused || error instanceof NotRecorded) throw new UsageError(error.message);
    throw error;
  }
}

/** The part that the command line names, or that of the run that it continues; null: all. @throws UsageError */
async function planOwnShard(
  { paths, problems }: SourceInput,
  configuration: Configuration,
  options: EvalCommandOptions,
  { settings, args, host, recording }: Pick<EvalContext, 'settings' | 'args' | 'host' | 'recording'>,
): Promise<ShardPlan | null> {
  const shard = args.shard ?? recording?.recording.resume?.manifest.shard;
  if (!shard) return null;
  for (const path of paths) {
    if ((await nodeFileSystem.stat(path))?.kind !== 'other') continue;
    throw new UsageError(`--shard reads its input twice, and ${path} can be read only once. Write it to a file.`);
  }
  const { index, of } = shard;
  const { first, labels, ...plan } = await planShard(paths, configuration, { ...options, shard: { index, of } });
  const candidate = first && toCandidate(first);
  const whole = isWholeRun(args) ? await unmatchedGates(labels, configuration, settingsOf(settings, host)) : [];
  const { ids, shards } = plan.planned;
  if (!args.quiet) {
    const own = shards.filter((number) => number === index).length;
    await host.stderr.write(`Shard ${shardText(shard)}: ${own} of ${pluralize(ids.length, 'session')}\n`);
  }
  return withInputProblems(plan, [
    ...problems,
    ...missingTasks({ sessions: labels, run: { complete: true } }, configuration.tasks?.by, candidate, {
      taskBy: args.taskBy,
      settingsFile: settings[0],
    }),
    ...whole,
  ]);
}

function toCandidate({ id, source, metadata }: Session): TaskCandidate {
  return { id, file: source.file, metadata: Object.keys(metadata ?? {}) };
}

function configurationFiles({ file, agentestFile }: LoadedConfiguration): readonly string[] {
  return [...new Set([file, agentestFile])].flatMap((path) => path ?? []);
}

/** The environment with the keys that may be sent. @throws UsageError where traces may not be sent. */
export async function allowedEnvironment(
  configuration: Configuration,
  loaded: LoadedConfiguration,
  {
    args,
    host,
    signal,
  }: {
    readonly args: Pick<EvalArguments, 'judgeUrl' | 'embedderUrl' | 'yes' | 'quiet'>;
    readonly host: CommandHost;
    readonly signal: AbortSignal;
  },
): Promise<CommandHost['env']> {
  if (!requiresModels(requiredModels(configuration))) return host.env;
  const { requireConsent } = await import('./model-consent.ts');
  return requireConsent({ configuration, loaded, args, signal }, host);
}

type EvalCommandOptions = EvaluateStreamOptions & Required<Pick<EvaluateStreamOptions, 'env' | 'cache' | 'signal'>>;

interface EvalContext {
  /** The configuration files; empty where there is none. */
  readonly settings: readonly string[];
  /** Files that are read besides the traces. */
  readonly others: readonly string[];
  readonly outputs: readonly ReportOutput[];
  readonly args: EvalArguments;
  readonly host: CommandHost;
  /** Null where the run is not recorded. */
  readonly recording: OpenRecording | null;
  /** Absent where the sessions are traces. */
  readonly made: AttemptSessions | undefined;
  /** What `--since-run` leaves out. */
  readonly before: EvaluatedBefore | null;
  /** The part of the run that is evaluated; null: all of it. */
  readonly shard: ShardPlan | null;
}

function selectionOptions(args: EvalArguments): EvaluateStreamOptions {
  const { inputFormat, session, sample, k, estimator, correctBy, agentVersion, metrics: namedMetrics } = args;
  const turn = args.turn === undefined ? undefined : args.turn - 1;
  return { inputFormat, session, turn, sample, k, estimator, correctBy, agentVersion, namedMetrics };
}

async function runDry(
  { paths, problems }: SourceInput,
  configuration: Configuration,
  options: EvalCommandOptions,
  { settings, others, outputs, args, host, before }: EvalContext,
): Promise<number> {
  const { plan, models, labels, problems: found } = await dryRun(paths, configuration, options);
  const inputs = [...others, ...plan.files.map(({ file }) => file)];
  const unmatched = isWholeRun(args) ? await unmatchedGates(labels, configuration, settingsOf(settings, host)) : [];
  const all = [...problems, ...found, ...unmatched];
  for (const { writer: _, ...output } of outputs) {
    const text =
      args.format === 'json'
        ? `${escapeInvisible(JSON.stringify(plan, redactJsonValue, 2))}\n`
        : dryRunText(plan, models);
    await writeOutput(text, output, inputs, host);
  }
  await printProblems(host, all, args);
  if (before && !args.quiet) await host.stderr.write(`${describeLeftOut(before)}\n`);
  return all.some(isError) ? EXIT_CODES.input : EXIT_CODES.passed;
}

async function runEvaluation(
  { paths, problems }: SourceInput,
  configuration: Configuration,
  options: EvalCommandOptions,
  { settings, others, outputs, args, host, recording, made, before, shard }: EvalContext,
): Promise<number> {
  const baseline = await openBaseline(args, host, options.signal);
  const progress = made?.progress ?? createProgress(args, host);
  const { verbose = false, compact = false } = args;
  using storage = new OutcomeFile();
  let firstSession: TaskCandidate | null = null;
  let sessionCount = 0;
  let missed: readonly Problem[] = [];
  const gateAsShard = (evaluated: Report, { planned }: ShardPlan, run: RecordedRun | null) => {
    const isEmpty = planned.ids.length === 0;
    missed = isEmpty || evaluated.sessions.length > 0 ? missingSelection(evaluated, args) : [];
    return withProblems(gateShard(evaluated, run?.manifest.shard, !isEmpty), [...planned.problems.inputs, ...missed]);
  };
  const folder = folderInProject(host.cwd, await findProject(host.cwd));
  const gate = async (ungated: Report, run: RecordedRun | null) => {
    const evaluated = withFolder(ungated, folder);
    if (shard) return gateAsShard(evaluated, shard, run);
    const since = before ? reportSince(evaluated, before) : evaluated;
    // No session is neither worse than a baseline nor unlike earlier runs.
    const isGated = !isNothingNew(since);
    const gated = baseline && isGated ? gateAgainstBaseline(since, run, baseline) : since;
    const report = recording && isGated ? await addAlerts(gated, configuration, run, recording.recording) : gated;
    const isWhole = report.run.complete && isWholeRun(args) && !made?.isPart;
    missed = [
      ...missingTasks(report, configuration.tasks?.by, firstSession, {
        taskBy: args.taskBy,
        settingsFile: settings[0],
      }),
      ...(isWhole ? await unmatchedGates(report.sessions, configuration, settingsOf(settings, host)) : []),
      ...missingSelection(report, args),
    ];
    return withProblems(withAgents(report, run, made?.agents), [...(made?.problems() ?? []), ...problems, ...missed]);
  };
  const streamOptions = {
    ...options,
    ...progress,
    onResult: (event: RunEvent) => {
      progress.onResult(event);
      made?.onResult?.(event);
    },
    storage,
    record: recording ? { ...recording.recording, gate, shard: shard ?? undefined } : undefined,
    onSession: (session: Session) => {
      made?.onSession?.(session);
      sessionCount += 1;
      if (sessionCount === 2) limitHeapGrowth();
      firstSession ??= toCandidate(session);
    },
  };
  const isThreaded = !made && args.jobs !== 1 && args.queue === undefined;
  const openWorkers = isThreaded ? await (await import('./jobs.ts')).workersOf(configuration, args, host) : undefined;
  const evaluated =
    args.queue === undefined
      ? await evaluateFileStream(made?.files ?? paths, configuration, { ...streamOptions, openWorkers })
      : await (await import('./eval-queue.ts')).evaluateThroughQueue(paths, configuration, streamOptions, {
          args,
          host,
          recording,
          progress,
        });
  await progress.end();
  if (!evaluated) return EXIT_CODES.interrupted;
  const { files, sources, locator } = evaluated;
  const completed = recording ? evaluated.report : await gate(evaluated.report, null);
  const report = shard
    ? completed
    : await announceAlerts(completed, configuration, {
        file: settings[0],
        isNamed: args.config !== undefined,
        isRecorded: recording !== null,
        cwd: host.cwd,
        signal: options.signal,
      });
  // A table without sessions, above an error that says why, would only hide the error.
  const isEmpty = missed.some(isError) || (firstSession === null && report.problems.some(isError));
  const written = isEmpty ? outputs.filter(({ writer }) => writer !== tableReport) : outputs;
  const inputs = [...others, ...sources, ...(baseline ? [baseline.file] : [])];
  const runReference = recording && shortRunId(report.run.id);
  const record = recording && (await findRecord(recording, report.run.id));
  const errors = await writeReports(written, { report, record, runReference, locator, inputs, verbose, compact }, host);
  await printRunProblems(report, files, locator, args, host);
  for (const message of errors) await host.stderr.write(`turnwise: ${message}\n`);
  if (before && !args.quiet) await host.stderr.write(`${describeLeftOut(before)}\n`);
  if (showTranscripts(written) && report.sessions.length > 0 && !args.quiet) {
    await host.stderr.write(
      record
        ? `The record of this run and its ${written.some(({ writer }) => writer === htmlReport) ? 'HTML report' : 'report'} have the transcripts${recording?.recording.resume ? ' of the sessions evaluated now' : ''}, without secrets.\n`
        : 'The report has no transcripts, because this run is not recorded.\n',
    );
  }
  if (recording) await announceRecord(recording, report.run.id, configuration, args, host);
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  if (errors.length > 0) return EXIT_CODES.input;
  if (report.problems.some(isError)) {
    await explainInputErrors(report, args, host);
    return EXIT_CODES.input;
  }
  return EXIT_CODES[report.verdict];
}

function settingsOf([file = null]: readonly (string | null)[], { cwd }: CommandHost) {
  return { file, cwd };
}

function isWholeRun({ session, sample, sinceRun }: EvalArguments): boolean {
  return session === undefined && sample === undefined && sinceRun === undefined;
}

/** The calls of --verbose show progress already, and would break a progress bar. */
export function createProgress({ quiet, verbose }: EvalArguments, { stderr, now }: CommandHost): RunProgress {
  if (quiet) return NO_PROGRESS;
  if (verbose) {
    const textOf = createCallFormatter();
    return { ...NO_PROGRESS, onCall: (call) => void stderr.write(textOf(call)) };
  }
  return showProgress(stderr, now);
}

interface Supplements {
  readonly options: Pick<EvaluateStreamOptions, 'tools' | 'context'>;
  readonly problems: readonly Problem[];
}

async function readSupplements(args: EvalArguments, { cwd }: CommandHost, signal: AbortSignal): Promise<Supplements> {
  const read = async <T>(
    file: string | undefined,
    parse: (file: string, bytes: Uint8Array) => ParsedSupplement<T>,
  ): Promise<ParsedSupplement<T>> => {
    if (file === undefined) return { value: null, problems: [] };
    try {
      const path = resolve(cwd, file);
      return parse(file, await withPipe(path).read(path, signal));
    } catch (error) {
      return {
        value: null,
        problems: [
          createProblem('error', 'unreadable', file, `The file cannot be read: ${describeSystemError(error)}.`),
        ],
      };
    }
  };
  const tools = await read(args.tools, parseTools);
  const context = await read(args.context, parseContext);
  return {
    options: { tools: tools.value ?? undefined, context: context.value ?? undefined },
    problems: [...tools.problems, ...context.problems],
  };
}

interface ParsedSupplement<T> {
  readonly value: T | null;
  readonly problems: readonly Problem[];
}

/** Of a run that is not recorded, costs are not known. */
function withAgents(report: Report, recorded: RecordedRun | null, agents: readonly string[] = []): Report {
  if (agents.length < 2) return report;
  const run = recorded ?? runOfReport(report, '');
  return run ? { ...report, agents: compareAgentsOfRun(run, agents) } : report;
}
