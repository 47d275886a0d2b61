import {
  type EvaluateRunOptions,
  evaluateFileStream,
  evaluateRun,
  validateConfiguration,
} from './app/evaluate-files.ts';
import type { ScenarioEvaluationOptions } from './app/evaluate-scenarios.ts';
import { type OpenRecording, openRecording } from './app/open-recording.ts';
import type { ConfigurationInput } from './config/schema.ts';
import { createProblem, type Problem } from './core/problem.ts';
import type { Report } from './core/report.ts';
import type { Session } from './core/session.ts';
import { isOneOf, WouldReplaceInput, writeFile } from './output/write-file.ts';
import type { ReportWriter } from './reports/report-writer.ts';

export type { ScenarioEvaluationOptions } from './app/evaluate-scenarios.ts';
export type { PluggedJudge, PlugIns } from './app/plug-ins.ts';
export type { Configuration, ConfigurationInput } from './config/schema.ts';
export type { AgentHandler, HandlerContext, HandlerMessage } from './config/simulation-schema.ts';
export type { AgentChatMessage } from './core/agent-chat-message.ts';
export type { Document } from './core/document.ts';
export type { Finding } from './core/finding.ts';
export type { Problem } from './core/problem.ts';
export type * from './core/report.ts';
export type { Evidence, MetricOutcome, Result, Status } from './core/result.ts';
export type * from './core/session.ts';
export type { RunEvent } from './engine/events.ts';
export type { Format } from './formats/format.ts';
export { FORMATS } from './formats/index.ts';
export type { AnswerCache } from './llm/answer-cache.ts';
export type { CallLog } from './llm/chat-client.ts';
export type { ChatModel } from './llm/chat-model.ts';
export { PROVIDERS } from './llm/providers/index.ts';
export type { ModelProvider } from './llm/providers/provider.ts';
export { type Estimator, type PassAtKEstimate, passAtK, passPowK } from './metrics/attempts/pass-at-k.ts';
export type {
  CustomAnswer,
  CustomMetric,
  CustomSessionContext,
  CustomTurnContext,
} from './metrics/custom/definition.ts';
export { METRICS } from './metrics/index.ts';
export { type Metric, runMetric, sessionMetric, taskMetric, turnMetric } from './metrics/metric.ts';
export { REPORT_WRITERS } from './reports/index.ts';
export type { ReportWriter } from './reports/report-writer.ts';
export { RULES } from './rules/index.ts';
export { defineRule, type Rule } from './rules/rule.ts';
export {
  type ConversationInput,
  ConversationMetric,
  type MetricModel,
  QualitativeMetric,
  type QualResult,
  QuantitativeMetric,
  type QuantResult,
  type ScoreInput,
} from './sandbox/metric-classes.ts';
export {
  type Mocks,
  type ScenarioOptions,
  scenario,
  sequence,
  type ToolContext,
  type ToolFunction,
  type ToolSequence,
} from './scenarios/api.ts';

/** What is made of a run besides its report. */
export interface RunOutputs {
  /** Records the run, for `turnwise history` and comparisons. The git state of the project is read. */
  readonly record?: RecordOptions;
  /** Reports to write when the run is over. */
  readonly writers?: readonly ReportFile[];
}

export interface EvaluateOptions extends Omit<EvaluateRunOptions, 'record'>, RunOutputs {}

export interface ScenarioTestOptions extends ScenarioEvaluationOptions, RunOutputs {}

/** How a run is recorded. */
export interface RecordOptions {
  readonly name?: string;
  /** A folder or a file of its own, instead of the data folder. */
  readonly path?: string;
  /** Whether the record has the sessions too, without secrets. */
  readonly transcripts?: boolean;
}

/** A report in a file. */
export interface ReportFile {
  /** One of `REPORT_WRITERS`, or your own. */
  readonly writer: ReportWriter;
  readonly file: string;
}

/** Gives a configuration its type, as the default export of a `turnwise.config.ts`. */
export function defineConfig(configuration: ConfigurationInput): ConfigurationInput {
  return configuration;
}

/**
 * Evaluates trace files, or sessions that the caller made.
 *
 * @param input paths of files and directories, or sessions in Turnwise's canonical shape.
 * @param configuration as in a configuration file; every key is optional.
 * Functions in `custom` are called in this process, one after the other: one that never gives control back blocks it.
 * @throws when the configuration is invalid, the key of a model is missing, or a report cannot be written. Problems of files
 * are in the report's `problems`.
 */
export async function evaluate(
  input: readonly string[] | readonly Session[],
  configuration: ConfigurationInput = {},
  options: EvaluateOptions = {},
): Promise<Report> {
  const { writers = [], record: wanted, ...rest } = options;
  const paths = isPaths(input) ? input : [];
  // Before the models are called.
  for (const { file } of writers) if (await isOneOf(file, paths)) throw inputError(file);
  const problems: Problem[] = [];
  using record = wanted ? await openLibraryRecording(wanted, paths, options, problems) : null;
  const runOptions = { ...rest, record: record?.recording };
  if (!isPaths(input)) {
    const run = { sessions: input, locate: () => new Map() };
    const evaluated = await evaluateRun(run, validateConfiguration(configuration, options), runOptions);
    const report = withProblems(evaluated, problems);
    await writeReportFiles(report, writers, []);
    return report;
  }
  const { report: evaluated, sources } = await evaluateFileStream(input, configuration, runOptions);
  const report = withProblems(evaluated, problems);
  await writeReportFiles(report, writers, sources);
  return report;
}

/**
 * Runs scenarios and evaluates what the agent did, as `turnwise scenarios --run` does: for a test that expects
 * `report.verdict` to be `passed`. Session files are in `.turnwise/runs` of the project.
 *
 * @param paths scenario files, folders or globs, relative to the working directory; none: those of the configuration.
 * @throws when the configuration or a scenario is wrong, none was found, or the key of a model is missing. An attempt that did
 * not finish is a warning in the report's `problems`, and its session is undecided.
 */
export async function runScenarios(
  paths: readonly string[] = [],
  { writers = [], record: wanted, ...options }: ScenarioTestOptions = {},
): Promise<Report> {
  for (const { file } of writers) if (await isOneOf(file, paths)) throw inputError(file);
  const { makeAttempts, evaluateAttempts } = await import('./app/evaluate-scenarios.ts');
  const attempts = await makeAttempts(paths, options);
  const problems: Problem[] = [];
  using record = wanted ? await openLibraryRecording(wanted, [attempts.folder], options, problems) : null;
  const evaluated = await evaluateAttempts(attempts, { ...options, record: record?.recording });
  const report = withProblems(evaluated, problems);
  await writeReportFiles(report, writers, paths);
  return report;
}

function openLibraryRecording(
  { name, path, transcripts }: RecordOptions,
  inputs: readonly string[],
  { env = process.env }: Pick<EvaluateRunOptions, 'env'>,
  problems: Problem[],
): Promise<OpenRecording> {
  const warn = (sentence: string) => problems.push(createProblem('warning', 'record', '', sentence));
  return openRecording({ folder: process.cwd(), env, inputs, warn, name, elsewhere: path, transcripts });
}

function withProblems(report: Report, problems: readonly Problem[]): Report {
  return problems.length === 0 ? report : { ...report, problems: [...report.problems, ...problems] };
}

async function writeReportFiles(
  report: Report,
  writers: readonly ReportFile[],
  inputs: readonly string[],
): Promise<void> {
  for (const { writer, file } of writers) {
    const text = writer.write(report, { terminal: false, color: false, columns: 80 });
    try {
      await writeFile(file, text, { inputs });
    } catch (error) {
      throw error instanceof WouldReplaceInput ? inputError(file) : error;
    }
  }
}

function inputError(file: string): Error {
  return new Error(`The report would replace ${file}, which is an input. Name another file.`);
}

function isPaths(input: readonly string[] | readonly Session[]): input is readonly string[] {
  return input.every((item: unknown) => typeof item === 'string');
}
