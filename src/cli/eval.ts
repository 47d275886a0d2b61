import { relative, resolve } from 'node:path';
import { baselinePath, readBaseline } from '../app/baseline-file.ts';
import { gateAgainstBaseline } from '../app/baseline-gates.ts';
import { dryRun } from '../app/dry-run.ts';
import { type EvaluateStreamOptions, evaluateFileStream } from '../app/evaluate-files.ts';
import type { EvaluatedBefore } from '../app/evaluated-before.ts';
import { findProject } from '../app/git-state.ts';
import type { OpenRecording } from '../app/open-recording.ts';
import { requiredModels, requiresModels } from '../app/required-models.ts';
import { ResumeRefused } from '../app/resume-check.ts';
import { addAlerts } from '../app/run-alerts.ts';
import type { ConfiguredEvaluation } from '../app/scenario-evaluation.ts';
import type { SourceInput } from '../app/source-input.ts';
import { unmatchedGates } from '../app/unmatched-gates.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RecordedRun } from '../core/run-record.ts';
import { redactJsonValue, redactSecrets } from '../core/secrets.ts';
import type { Session } from '../core/session.ts';
import { truncate } from '../core/text/truncate.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { RunEvent } from '../engine/events.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import type { FileSummary, Locator } from '../input/load.ts';
import { withPipe } from '../input/node-file-system.ts';
import { parseContext, parseTools } from '../input/supplements.ts';
import { describeSystemError } from '../input/system-error.ts';
import type { ReportWriter } from '../reports/report-writer.ts';
import { tableReport } from '../reports/table.ts';
import { escapeInvisible, sanitizeLine } from '../reports/terminal-text.ts';
import { compareAgentsOfRun } from '../runs/compare/compare-agents.ts';
import { runOfReport } from '../runs/compare/report-run.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { dryRunText } from './dry-run-text.ts';
import { checkInputFormat, configurationFlags, type EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { findInputs } from './inputs.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { createCallFormatter } from './judge-call-text.ts';
import { missingSelection, missingTasks, type TaskCandidate } from './missing-selection.ts';
import { checkNotInputs, writeOutput } from './output-file.ts';
import { refuseEditorModels, requireApiKeys, requireModelFolder, requireWholePlan } from './preconditions.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, type RunProgress, showProgress } from './progress.ts';
import { checkReportOutputs, parseReportOutputs, type ReportOutput, writeReports } from './report-outputs.ts';
import { announceAlerts } from './run-alerts.ts';
import { announceRecord, describeLeftOut, openEvalRecording, openEvaluatedBefore } from './run-recording.ts';
import { UsageError } from './usage-error.ts';

/** `turnwise eval`. @returns the exit code. @throws UsageError */
export async function evaluateCommand(
  patterns: readonly string[],
  args: EvalArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const prepared = await prepareEvaluation(args, host, interrupt);
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
  if (!args.dryRun) requireApiKeys(configuration, { ...host.env, ...loaded.keys });
  await requireModelFolder(configuration);
  if (args.verbose)
    await host.stderr.write(
      `configuration: ${[...configurationFiles(loaded), loaded.riskFile].flatMap((file) => file ?? []).join(', ') || 'none found, using defaults'}\n`,
    );
  return { args, host, interrupt, outputs, loaded, configuration, supplements };
}

/** What the sessions are, where a program has just made them. */
export interface AttemptSessions {
  /** Of the run. */
  readonly id: string;
  readonly taskMetrics: ConfiguredEvaluation['taskMetrics'];
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
  const before = await openEvaluatedBefore(args, host);
  using recording = args.dryRun
    ? null
    : await openEvalRecording(patterns, configuration, args, host, interrupt, before);
  try {
    const env = args.dryRun
      ? { ...host.env, ...loaded.keys }
      : (made?.env ?? (await allowedEnvironment(configuration, loaded, { args, host, signal })));
    const stdin = () => host.readStdin(signal);
    const options = {
      signal,
      env,
      cache: args.cache,
      stdin,
      runId: made?.id,
      taskMetrics: made?.taskMetrics,
      ...supplements.options,
      ...selectionOptions(args),
      leaveOut: before?.has,
    };
    const inputs = recording?.recording.inputs ?? patterns;
    const expanded = await findInputs(inputs, loaded, host, signal);
    const others = [...configurationFiles(loaded), loaded.riskFile, args.tools, args.context].flatMap(
      (file) => file ?? [],
    );
    await checkNotInputs(outputs, { paths: expanded.paths, others }, expanded.files, host, signal);
    return await (args.dryRun ? runDry : runEvaluation)(
      expanded,
      configuration,
      { ...options, files: expanded.files },
      { settings: configurationFiles(loaded), others, outputs, args, host, recording, made, before },
    );
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    if (error instanceof ResumeRefused) throw new UsageError(error.message);
    throw error;
  }
}

function configurationFiles({ file, agentestFile }: LoadedConfiguration): readonly string[] {
  return [...new Set([file, agentestFile])].flatMap((path) => path ?? []);
}

/** The environment with the keys that may be sent. @throws UsageError where traces may not be sent. */
export async function allowedEnvironment(
  configuration: Configuration,
  loaded: LoadedConfiguration,
  { args, host, signal }: { readonly args: EvalArguments; readonly host: CommandHost; readonly signal: AbortSignal },
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
}

function selectionOptions(args: EvalArguments): EvaluateStreamOptions {
  const { inputFormat, session, sample, k, estimator, correctBy, agentVersion } = args;
  const turn = args.turn === undefined ? undefined : args.turn - 1;
  return { inputFormat, session, turn, sample, k, estimator, correctBy, agentVersion };
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
  { settings, others, outputs, args, host, recording, made, before }: EvalContext,
): Promise<number> {
  const baseline = await openBaseline(args, host, options.signal);
  const progress = made?.progress ?? createProgress(args, host);
  const { metrics = [], verbose = false, compact = false } = args;
  // Only the list of turns shows them.
  const showsMessages = verbose && outputs.some(({ writer }) => writer === tableReport);
  const userMessages = new Map<string, readonly (string | null)[]>();
  using storage = new OutcomeFile();
  let firstSession: TaskCandidate | null = null;
  let missed: readonly Problem[] = [];
  const gate = async (evaluated: Report, run: RecordedRun | null) => {
    const gated = baseline ? gateAgainstBaseline(evaluated, run, baseline) : evaluated;
    const report = recording ? await addAlerts(gated, configuration, run, recording.recording) : gated;
    const isWhole = report.run.complete && isWholeRun(args) && !made?.isPart;
    missed = [
      ...missingSelection(report, args),
      ...missingTasks(report, configuration.tasks?.by, firstSession, {
        taskBy: args.taskBy,
        settingsFile: settings[0],
      }),
      ...(isWhole ? await unmatchedGates(report.sessions, configuration, settingsOf(settings, host)) : []),
    ];
    return withProblems(withAgents(report, run, made?.agents), [...(made?.problems() ?? []), ...problems, ...missed]);
  };
  const evaluated = await evaluateFileStream(made?.files ?? paths, configuration, {
    ...options,
    ...progress,
    onResult: (event) => {
      progress.onResult(event);
      made?.onResult?.(event);
    },
    storage,
    record: recording ? { ...recording.recording, gate } : undefined,
    onSession: (session) => {
      const { id, source, metadata, turns } = session;
      made?.onSession?.(session);
      firstSession ??= { id, file: source.file, metadata: Object.keys(metadata ?? {}) };
      if (!showsMessages) return;
      userMessages.set(
        id,
        turns.map(
          ({ input }) => input && truncate(redactSecrets(input.slice(0, 2 * MAX_USER_MESSAGE)), MAX_USER_MESSAGE),
        ),
      );
    },
  });
  await progress.end();
  const { files, sources, locator } = evaluated;
  const completed = recording ? evaluated.report : await gate(evaluated.report, null);
  const report = await announceAlerts(completed, configuration, {
    file: settings[0],
    isNamed: args.config !== undefined,
    isRecorded: recording !== null,
    cwd: host.cwd,
    signal: options.signal,
  });
  // A table without sessions, above an error that says why, would only hide the error.
  const isEmpty = missed.some(isError) || (firstSession === null && report.problems.some(isError));
  const written = isEmpty ? outputs.filter(({ writer }) => writer !== tableReport) : outputs;
  const inputs = [...others, ...sources];
  const errors = await writeReports(
    written,
    { report, userMessages, locator, inputs, metrics, verbose, compact },
    host,
  );
  await printRunProblems(report, files, locator, args, host);
  for (const message of errors) await host.stderr.write(`turnwise: ${message}\n`);
  if (before && !args.quiet) await host.stderr.write(`${describeLeftOut(before)}\n`);
  if (recording) await announceRecord(recording, report.run.id, configuration, args, host);
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  if (errors.length > 0) return EXIT_CODES.input;
  if (report.problems.some(isError)) return EXIT_CODES.input;
  // Nothing new is no failure of a job that runs every night.
  if (before && before.count > 0 && report.sessions.length === 0) return EXIT_CODES.passed;
  return EXIT_CODES[report.verdict];
}

function settingsOf([file = null]: readonly (string | null)[], { cwd }: CommandHost) {
  return { file, cwd };
}

function isWholeRun({ session, sample, sinceRun }: EvalArguments): boolean {
  return session === undefined && sample === undefined && sinceRun === undefined;
}

/** The baseline of `--baseline`; null without it. @throws UsageError where the run is not recorded. */
async function openBaseline({ baseline, record }: EvalArguments, { cwd }: CommandHost, signal: AbortSignal) {
  if (baseline === undefined) return null;
  if (record === 'none') {
    throw new UsageError(
      '--baseline compares what is recorded, and --record none records nothing. Remove one of them.',
    );
  }
  const path = baseline === true ? await baselinePath(cwd, await findProject(cwd)) : resolve(cwd, baseline);
  const file = relative(cwd, path);
  return { file, read: await readBaseline(path, file, signal) };
}

/** Characters of a user's message that a report can show: more than a line of any terminal. */
const MAX_USER_MESSAGE = 2000;

/** The calls of --verbose show progress already, and would break a progress bar. */
export function createProgress({ quiet, verbose }: EvalArguments, { stderr, now }: CommandHost): RunProgress {
  if (quiet) return NO_PROGRESS;
  if (verbose) {
    const textOf = createCallFormatter();
    return { ...NO_PROGRESS, onCall: (call) => void stderr.write(textOf(call)) };
  }
  return showProgress(stderr, now);
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
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

function withProblems(report: Report, before: readonly Problem[]): Report {
  return before.length === 0 ? report : { ...report, problems: [...before, ...report.problems] };
}

const MAX_SKIPPED_FILES = 5;

/** Printed after the report, so that problems are visible at the end. */
async function printRunProblems(
  report: Report,
  files: readonly FileSummary[],
  locator: Locator,
  args: EvalArguments,
  host: CommandHost,
): Promise<void> {
  await printProblems(host, report.problems, { ...args, locator });
  if (args.quiet) return;
  if (args.verbose) {
    for (const { file, format, reason } of files) {
      if (format !== null) await host.stderr.write(`${sanitizeLine(file)}: ${format}, ${sanitizeLine(reason)}\n`);
    }
  }
  const skipped = files.filter((file) => file.skipped);
  const listed = args.verbose ? skipped : skipped.slice(0, MAX_SKIPPED_FILES);
  for (const { file, reason } of listed)
    await host.stderr.write(`${sanitizeLine(file)}: skipped, not a trace: ${sanitizeLine(reason)}\n`);
  const left = skipped.length - listed.length;
  if (left > 0) await host.stderr.write(`and ${left} more skipped; --verbose lists them\n`);
}
