import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type EvaluateFilesOptions, evaluateFiles } from '../app/evaluate-files.ts';
import { missingKeys, requiredModels } from '../app/required-models.ts';
import type { SourceInput } from '../app/source-input.ts';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { didYouMean } from '../config/suggest.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { formatsWithMappings } from '../formats/mapped/mapped-format.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import type { FileSummary, Locator } from '../input/load.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { parseContext, parseTools } from '../input/supplements.ts';
import { tableReport } from '../reports/table.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import { dryRun } from './dry-run.ts';
import { checkInputFormat, configurationFlags, type EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { createCallFormatter } from './judge-call-text.ts';
import { writeOutput } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, type RunProgress, showProgress } from './progress.ts';
import {
  checkReportOutputs,
  checkReportsAreNotInputs,
  parseReportOutputs,
  type ReportOutput,
  writeReports,
} from './report-outputs.ts';
import { UsageError } from './usage-error.ts';

/** `turnwise eval`. @returns the exit code. @throws UsageError */
export async function evaluateCommand(
  patterns: readonly string[],
  given: EvalArguments,
  host: CommandHost,
): Promise<number> {
  const outputs = parseReportOutputs(given);
  if (given.dryRun && given.report) {
    throw new UsageError(
      '--report does not go with --dry-run, which makes no report. --format json prints the plan as JSON.',
    );
  }
  await checkReportOutputs(outputs, host);

  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: given.config,
    flags: configurationFlags(given),
    registry: REGISTRY,
  });
  const { configuration } = loaded;
  await printProblems(host, loaded.problems, given);
  const supplements = await readSupplements(given, host);
  await printProblems(host, supplements.problems, given);
  if (!configuration || supplements.problems.some(isError)) return EXIT_CODES.input;
  checkInputFormat(given.inputFormat, formatsWithMappings(configuration.map));
  if (!given.dryRun) requireApiKeys(configuration, host);
  if (given.verbose) await host.stderr.write(`configuration: ${loaded.file ?? 'none found, the defaults hold'}\n`);

  try {
    const { env } = host;
    const stdin = () => host.readStdin(signal);
    const options = { signal, env, cache: given.cache, stdin, ...supplements.options, ...selectionOptions(given) };
    const expanded = await findInputs(patterns, configuration, host, signal);
    const inputs = [...expanded.paths, loaded.file, given.tools, given.context].flatMap((file) => file ?? []);
    await checkReportsAreNotInputs(outputs, inputs, host);
    return await (given.dryRun ? runDry : runEvaluation)(
      expanded,
      configuration,
      { ...options, files: expanded.files },
      { outputs, given, host },
    );
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  }
}

/** @throws UsageError before anything is read, rather than when the first answer is due. */
function requireApiKeys(configuration: Configuration, { env }: CommandHost): void {
  const missing = missingKeys(requiredModels(configuration), env);
  if (missing.length > 0) throw new UsageError(missing.join('\n'));
}

/** The files that the command line names; without any, what the configuration's source yields. @throws UsageError */
async function findInputs(
  inputs: readonly string[],
  { source }: Configuration,
  { cwd }: CommandHost,
  signal: AbortSignal,
): Promise<SourceInput> {
  if (inputs.length > 0) return { ...(await expandGlobs(inputs, nodeFileSystem, cwd, signal)), files: nodeFileSystem };
  if (source === undefined) {
    throw new UsageError(
      'Name the files or folders to evaluate. Without any, "source" of a turnwise.config.ts is evaluated.',
    );
  }
  const { readSource } = await import('../app/source-input.ts');
  return readSource(source, signal);
}

type RunOptions = EvaluateFilesOptions & Required<Pick<EvaluateFilesOptions, 'env' | 'cache' | 'signal'>>;

interface EvalContext {
  readonly outputs: readonly ReportOutput[];
  readonly given: EvalArguments;
  readonly host: CommandHost;
}

function selectionOptions(given: EvalArguments): EvaluateFilesOptions {
  const { inputFormat, session, sample, k, correctBy, agentVersion } = given;
  const turn = given.turn === undefined ? undefined : given.turn - 1;
  return { inputFormat, session, turn, sample, k, correctBy, agentVersion };
}

async function runDry(
  { paths, problems }: SourceInput,
  configuration: Configuration,
  options: RunOptions,
  { outputs, given, host }: EvalContext,
): Promise<number> {
  const planned = await dryRun(paths, configuration, options, given.format === 'json' ? 'json' : 'text');
  const all = [...problems, ...planned.problems];
  for (const { file, option } of outputs) await writeOutput(planned.chunks, file, option, host);
  await printProblems(host, all, given);
  return all.some(isError) ? EXIT_CODES.input : EXIT_CODES.passed;
}

async function runEvaluation(
  { paths, problems }: SourceInput,
  configuration: Configuration,
  options: RunOptions,
  { outputs, given, host }: EvalContext,
): Promise<number> {
  const progress = createProgress(given, host);
  const evaluated = await evaluateFiles(paths, configuration, { ...options, ...progress });
  await progress.end();
  const { files, locator, sessions } = evaluated;
  const missed = missingSelection(evaluated.report, given);
  const report = withProblems(evaluated.report, [...problems, ...missed]);
  // A table without sessions, above an error that says why, would only hide the error.
  const isEmpty = missed.length > 0 || (sessions.length === 0 && report.problems.some(isError));
  const written = isEmpty ? outputs.filter(({ writer }) => writer !== tableReport) : outputs;
  const inputs = files.flatMap(({ file, skipped }) => (skipped ? [] : [file]));
  const errors = await writeReports(written, { report, sessions, locator, inputs }, host);
  await printRunProblems(report, files, locator, given, host);
  for (const message of errors) await host.stderr.write(`turnwise: ${message}\n`);
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  if (errors.length > 0) return EXIT_CODES.input;
  return report.problems.some(isError) ? EXIT_CODES.input : EXIT_CODES[report.verdict];
}

/** Calls that are written out one by one show that something happens, and would break a bar. */
function createProgress({ quiet, verbose }: EvalArguments, { stderr, now }: CommandHost): RunProgress {
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
  readonly options: Pick<EvaluateFilesOptions, 'tools' | 'context'>;
  readonly problems: readonly Problem[];
}

async function readSupplements(given: EvalArguments, { cwd }: CommandHost): Promise<Supplements> {
  const read = async <T>(
    file: string | undefined,
    parse: (file: string, bytes: Uint8Array) => ParsedSupplement<T>,
  ): Promise<ParsedSupplement<T>> => {
    if (file === undefined) return { value: null, problems: [] };
    try {
      return parse(file, await readFile(resolve(cwd, file)));
    } catch (error) {
      const reason = errorMessage(error);
      return {
        value: null,
        problems: [createProblem('error', 'unreadable', file, `The file cannot be read: ${reason}.`)],
      };
    }
  };
  const tools = await read(given.tools, parseTools);
  const context = await read(given.context, parseContext);
  return {
    options: { tools: tools.value ?? undefined, context: context.value ?? undefined },
    problems: [...tools.problems, ...context.problems],
  };
}

interface ParsedSupplement<T> {
  readonly value: T | null;
  readonly problems: readonly Problem[];
}

function withProblems(report: Report, before: readonly Problem[]): Report {
  return before.length === 0 ? report : { ...report, problems: [...before, ...report.problems] };
}

/** A session, a turn or a result that was asked for by name and is not there is a mistake, not an empty result. */
function missingSelection({ sessions, run, problems }: Report, given: EvalArguments): Problem[] {
  if (!run.complete || problems.some(isError)) return [];
  if (given.session !== undefined && sessions.length === 0) {
    const message = `There is no session "${given.session}" in what was read; \`turnwise eval\` without --session shows their ids.`;
    return [createProblem('error', 'no-such-session', '--session', message)];
  }
  if (given.turn !== undefined && sessions.length > 0 && sessions.every(({ turns }) => turns.length === 0)) {
    return [createProblem('error', 'no-such-turn', '--turn', `No session has a turn ${given.turn}.`)];
  }
  const by = given.correctBy;
  if (by !== undefined && by !== 'verdict' && !sessions.some(({ metrics }) => Object.hasOwn(metrics, by))) {
    const names = ['verdict', ...new Set(sessions.flatMap(({ metrics }) => Object.keys(metrics)))];
    const message = `No session has a result "${by}".${didYouMean(by, names)} Write verdict, or a name under "metrics" of the sessions.`;
    return [createProblem('error', 'no-such-metric', '--correct-by', message)];
  }
  return [];
}

const MAX_SKIPPED_FILES = 5;

/** After the report, so that at a terminal the mistakes stand where the eye is. */
async function printRunProblems(
  report: Report,
  files: readonly FileSummary[],
  locator: Locator,
  given: EvalArguments,
  host: CommandHost,
): Promise<void> {
  await printProblems(host, report.problems, { ...given, locator });
  if (given.quiet) return;
  if (given.verbose) {
    for (const { file, format, reason } of files) {
      if (format !== null) await host.stderr.write(`${sanitizeLine(file)}: ${format}, ${sanitizeLine(reason)}\n`);
    }
  }
  const skipped = files.filter((file) => file.skipped);
  const shown = given.verbose ? skipped : skipped.slice(0, MAX_SKIPPED_FILES);
  for (const { file, reason } of shown)
    await host.stderr.write(`${sanitizeLine(file)}: skipped, no trace: ${sanitizeLine(reason)}\n`);
  const left = skipped.length - shown.length;
  if (left > 0) await host.stderr.write(`and ${left} more skipped; --verbose lists them\n`);
}
