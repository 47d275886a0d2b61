import { readRecordedTurns } from '../app/recorded-turns.ts';
import { didYouMean } from '../config/suggest.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Report } from '../core/report.ts';
import { describeSystemError } from '../input/system-error.ts';
import { appendText } from '../output/write-file.ts';
import { agentReport } from '../reports/agent.ts';
import { recordedAgentestReport } from '../reports/agentest.ts';
import { githubReport, githubSummary, withoutCommands } from '../reports/github.ts';
import { htmlReport } from '../reports/html/html.ts';
import { REPORT_WRITERS } from '../reports/index.ts';
import type { PointerLineLocator, ReportWriter } from '../reports/report-writer.ts';
import { tableReport } from '../reports/table.ts';
import type { RunRecord } from '../runs/run-store.ts';
import type { EvalArguments } from './eval-options.ts';
import { type CommandHost, supportsColor } from './host.ts';
import { checkNoLikelyInput, checkOutputFile, isSameOutput, type OutputFile, writeOutput } from './output-file.ts';
import { UsageError } from './usage-error.ts';

/** A report of a run, and where it goes. */
export interface ReportOutput extends OutputFile {
  readonly writer: ReportWriter;
}

/** What `--compact` has an effect on, and what is compact anyway. */
const COMPACT_KINDS: ReadonlySet<string> = new Set(['json', 'jsonl']);

/** What has the list of turns. */
const TABLE_KINDS: ReadonlySet<ReportWriter> = new Set([tableReport, githubReport]);

/** What is in the log of a step, and for people or agents there. */
const TEXT_KINDS: ReadonlySet<ReportWriter> = new Set([tableReport, agentReport]);

interface ReportOutputOptions {
  readonly host: Pick<CommandHost, 'stdout' | 'env'>;
  /** Kinds that only this command has. */
  readonly others?: readonly ReportWriter[];
  /** The option that names reports. */
  readonly option?: string;
}

/**
 * The reports that a command line asks for: each `--report`, and the one of `--format` and `--out`.
 *
 * @throws UsageError
 */
export function parseReportOutputs(
  { format, out, report = [], compact }: Pick<EvalArguments, 'format' | 'out' | 'report' | 'compact'>,
  { host, others = [], option: reportOption = '--report' }: ReportOutputOptions,
): ReportOutput[] {
  const writers = [...REPORT_WRITERS, ...others];
  const outputs = report.map((text) => parseReport(text, writers, reportOption));
  const isStandardOutputFree = outputs.every(({ file }) => file !== undefined);
  if (format !== undefined || out !== undefined || isStandardOutputFree) {
    const option = out === undefined ? `--format ${format}` : `--out ${out}`;
    const standard = out === undefined && isCodingAgent(host) ? agentReport : REPORT_WRITERS[0];
    const writer = format === undefined ? standard : writerNamed(format, `--format ${format}`, writers);
    outputs.unshift({ writer, file: out, option });
  }
  if (compact && outputs.every(({ writer }) => !COMPACT_KINDS.has(writer.name))) {
    throw new UsageError(`--compact needs a JSON report. Add ${reportOption} json=FILE.`);
  }
  const [first, second] = outputs.filter(({ file }) => file === undefined);
  if (first && second) {
    throw new UsageError(
      `${first.option} and ${second.option} both write to standard output. Name a file for one of them: ${reportOption} ${second.writer.name}=FILE.`,
    );
  }
  return outputs;
}

/** Variables that coding agents set for the commands that they run. */
const CODING_AGENTS = [
  'AI_AGENT',
  'CLAUDECODE',
  'CODEX_SANDBOX',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'GOOSE_TERMINAL',
  'OPENCODE',
] as const;

/** Whether a coding agent reads the output, and no person at a terminal. */
function isCodingAgent({ stdout, env }: Pick<CommandHost, 'stdout' | 'env'>): boolean {
  return !stdout.terminal && CODING_AGENTS.some((name) => env[name]);
}

/** Reads `KIND` or `KIND=FILE`. */
function parseReport(text: string, writers: readonly ReportWriter[], option: string): ReportOutput {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  const file = at < 0 ? undefined : text.slice(at + 1);
  const writer = writerNamed(name, `${option} ${text}`, writers);
  if (file === '') throw new UsageError(`${option} ${text} names no file. Write ${name}=FILE, or ${name} alone.`);
  return { writer, file: file === '-' ? undefined : file, option: `${option} ${text}` };
}

function writerNamed(name: string, option: string, writers: readonly ReportWriter[]): ReportWriter {
  const writer = writers.find((candidate) => candidate.name === name);
  if (writer) return writer;
  const names = writers.map((candidate) => candidate.name);
  throw new UsageError(
    `${option}: there is no report "${name}".${didYouMean(name, names)} Reports: ${names.join(', ')}.`,
  );
}

/** Whether a report shows the sessions themselves, which the record must have then. */
export function showTranscripts(outputs: readonly ReportOutput[]): boolean {
  return outputs.some(({ writer }) => writer === htmlReport || writer === recordedAgentestReport);
}

/** Checks before the evaluation that each report has a folder and a file of its own. @throws UsageError */
export async function checkReportOutputs(outputs: readonly ReportOutput[], host: CommandHost): Promise<void> {
  for (const { writer, ...output } of outputs) await checkOutputFile(output, host, writer.extension);
  await checkDifferentOutputs(outputs, host);
}

/** @throws UsageError where two reports are one file */
export async function checkDifferentOutputs(outputs: readonly ReportOutput[], host: CommandHost): Promise<void> {
  for (const [index, output] of outputs.entries()) {
    for (const other of outputs.slice(0, index)) {
      if (output.file === undefined || other.file === undefined) continue;
      if (await isSameOutput(output.file, other.file, host))
        throw new UsageError(`${other.option} and ${output.option} write to the same file.`);
    }
  }
}

/** The reports that can be written, and an error message for each other. Of a recorded run, they cost little: none is lost by another. */
export async function separateWritable(
  outputs: readonly ReportOutput[],
  inputs: readonly string[],
  host: CommandHost,
): Promise<{ readonly writable: readonly ReportOutput[]; readonly errors: string[] }> {
  const writable: ReportOutput[] = [];
  const errors: string[] = [];
  for (const output of outputs) {
    try {
      await checkOutputFile(output, host, output.writer.extension);
      await checkNoLikelyInput(output, output.writer.name, inputs, host);
      writable.push(output);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      errors.push(error.message);
    }
  }
  return { writable, errors };
}

export interface EvaluatedReport {
  readonly report: Report;
  /** Null where the run was not recorded. */
  readonly record: RunRecord | null;
  /** What finds the run again; null or absent where it was not recorded. */
  readonly runReference?: string | null;
  /** The line to begin with, of a report in pages. */
  readonly from?: number | undefined;
  /** What finds the lines of evidence where it was not. */
  readonly locator?: PointerLineLocator;
  readonly verbose: boolean;
  readonly compact: boolean;
  /** Files that were read. */
  readonly inputs: readonly string[];
}

/** Writes each report. One that cannot be written loses no other. @returns an error message for each that was not written. */
export async function writeReports(
  outputs: readonly ReportOutput[],
  { report, inputs, locator, ...context }: EvaluatedReport,
  host: CommandHost,
): Promise<string[]> {
  const errors: string[] = [];
  const listsTurns = context.verbose && outputs.some(({ writer }) => TABLE_KINDS.has(writer));
  const turns = listsTurns && context.record ? await readRecordedTurns(context.record) : { locator };
  for (const { writer, file, option } of outputs) {
    const isStandardOutput = file === undefined;
    const color = isStandardOutput && supportsColor(host.stdout, host.env);
    const terminal = isStandardOutput && (host.stdout.terminal || color);
    const columns = isStandardOutput ? host.stdout.columns : 80;
    try {
      const text = writer.write(report, { ...context, ...turns, color, terminal, columns });
      const isInWorkflow = isStandardOutput && host.env.GITHUB_ACTIONS === 'true' && TEXT_KINDS.has(writer);
      await writeOutput(isInWorkflow ? withoutCommands(report, text) : text, { file, option }, inputs, host);
      if (writer === githubReport) await addStepSummary(report, host);
    } catch (error) {
      errors.push(error instanceof UsageError ? error.message : `${option}: ${errorMessage(error)}`);
    }
  }
  return errors;
}

/** GitHub Actions shows what is in this file with the step. Elsewhere there is none. */
async function addStepSummary(report: Report, { env }: CommandHost): Promise<void> {
  const file = env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  try {
    await appendText(file, [...githubSummary(report)].join(''));
  } catch (error) {
    throw new UsageError(`GITHUB_STEP_SUMMARY: ${file} cannot be written: ${describeSystemError(error)}.`);
  }
}
