import { resolve } from 'node:path';
import { findProject } from '../app/git-state.ts';
import {
  type JudgeFilePlace,
  judgeFilePlace,
  readLabels,
  withCalibrations,
  withLabels,
  writeLabels,
} from '../app/judge-file.ts';
import { JudgedSessions, readJudgedMetrics } from '../app/judged-run.ts';
import { labelSheet, readLabelSheet } from '../app/label-sheet.ts';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { errorMessage } from '../core/error-message.ts';
import type { JudgeFile } from '../core/judge-labels.ts';
import { labelId } from '../core/label-ids.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { MAX_BYTES } from '../input/decode.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { describeSystemError } from '../input/system-error.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { WouldReplaceInput } from '../output/write-file.ts';
import {
  assessJudge,
  correctedShareOf,
  foreignLabels,
  type JudgeAssessment,
} from '../runs/calibration/calibrate-judge.ts';
import type { JudgedMetric } from '../runs/calibration/judged-results.ts';
import { nextToLabel } from '../runs/calibration/next-labels.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { dataFolder } from '../store/home.ts';
import { openRunStore } from '../store/runs/run-store.ts';
import { type AssessedMetric, assessmentText } from './calibrate-judge-text.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { checkOutputFile, writeOutput, writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { UsageError } from './usage-error.ts';

export interface CalibrateJudgeArguments {
  readonly metric?: string;
  readonly labels?: string;
  readonly export?: string;
  readonly count: number;
  readonly import?: string;
  readonly precision: number;
  readonly config?: string;
  readonly dryRun?: true;
  readonly format: 'table' | 'json';
}

/** `turnwise calibrate judge`. @returns the exit code. @throws UsageError */
export async function calibrateJudgeCommand(
  reference: string,
  args: CalibrateJudgeArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  if (args.export !== undefined && args.import !== undefined) {
    throw new UsageError('--export writes a sheet to fill in, and --import reads it back. Give one of them.');
  }
  const loaded = await loadConfiguration({ cwd: host.cwd, file: args.config, registry: REGISTRY });
  const settings = loaded.problems.filter(({ file }) => file !== loaded.judgeFile);
  await printProblems(host, settings, {});
  if (!loaded.configuration || settings.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
  const place =
    args.labels === undefined
      ? await judgeFilePlace(host.cwd, loaded.file)
      : { path: resolve(host.cwd, args.labels), name: args.labels };
  const { file, problems } = await readLabels(place);
  await printProblems(host, problems, {});
  if (!file) return EXIT_CODES.input;
  const record = await findRun(reference, host);
  const metrics = selectMetrics(await readJudgedMetrics(record), args, file);
  if (interrupt.signal.aborted) return EXIT_CODES.interrupted;
  const context = { args, host, place, file, record, metrics };
  if (args.export !== undefined) {
    const questions = new Map(allMetrics(loaded.configuration.custom).map(({ name, question }) => [name, question]));
    return await exportSheet(args.export, (metric) => questions.get(metric) ?? '', context);
  }
  if (args.import !== undefined) return await importSheet(args.import, interrupt.signal, context);
  return await calibrate(context);
}

interface CommandContext {
  readonly args: CalibrateJudgeArguments;
  readonly host: CommandHost;
  readonly place: JudgeFilePlace;
  readonly file: JudgeFile;
  readonly record: RunRecord;
  readonly metrics: readonly JudgedMetric[];
}

/** @throws UsageError with what there is instead */
async function findRun(reference: string, host: CommandHost): Promise<RunRecord> {
  const warn = (sentence: string) => void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
  using store = openRunStore(dataFolder(host.env), { cwd: host.cwd, warn });
  try {
    return await store.find(reference, await findProject(host.cwd));
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** Those that are named; without a name, all. @throws UsageError */
function selectMetrics(
  metrics: readonly JudgedMetric[],
  { metric, export: out }: CalibrateJudgeArguments,
  { labels }: JudgeFile,
): readonly JudgedMetric[] {
  if (metrics.length === 0) {
    throw new UsageError(
      'No judge answered in this run, so there is nothing to label. Evaluate with --judge, or name another run.',
    );
  }
  const listed = () =>
    metrics.map((one) => {
      const labelled = new Set(labels.map(labelId));
      const done = one.results.filter(({ id }) => labelled.has(id)).length;
      return `  ${one.metric}: ${pluralize(one.results.length, 'result')}, ${done} labelled`;
    });
  if (metric !== undefined) {
    const named = metrics.filter((one) => one.metric === metric);
    if (named.length > 0) return named;
    throw new UsageError(
      [`--metric: the run has no judged results of ${sanitizeLine(metric)}. Judged are:`, ...listed()].join('\n'),
    );
  }
  if (out !== undefined && metrics.length > 1) {
    throw new UsageError(['Name the metric to label with --metric:', ...listed()].join('\n'));
  }
  return metrics;
}

async function exportSheet(
  out: string,
  questionOf: (metric: string) => string,
  { args, host, record, metrics, file, place }: CommandContext,
): Promise<number> {
  const [metric] = metrics;
  if (!metric) return EXIT_CODES.input;
  const next = nextToLabel(metric, file.labels).slice(0, args.count);
  if (next.length === 0) {
    throw new UsageError(
      `All ${pluralize(metric.results.length, 'result')} of ${metric.metric} in this run are labelled.`,
    );
  }
  const output = { file: out === '-' ? undefined : out, option: `--export ${out}` };
  await checkOutputFile(output, host, '.csv');
  const sessions = new JudgedSessions(record, nodeFileSystem, true);
  const rows = [];
  for (const result of next) {
    rows.push({ result, asks: questionOf(metric.metric), session: await sessions.find(result) });
  }
  const traces = next.map((result) => resolve(record.manifest.project, result.file));
  await writeOutput(labelSheet(rows), output, [...new Set(traces), place.path], host);
  const unread = rows.filter(({ session }) => session === null).length;
  const missing =
    unread === 0
      ? ''
      : ` ${pluralize(unread, 'row')} without text: the file changed or is gone. Record runs with --with-transcripts.`;
  await host.stderr.write(
    `${pluralize(next.length, 'result')} of ${metric.metric} to label. Write pass or fail into the column "label", then: turnwise calibrate judge --import ${out === '-' ? 'FILE' : sanitizeLine(out)}${missing}\n`,
  );
  return EXIT_CODES.passed;
}

async function importSheet(
  sheet: string,
  signal: AbortSignal,
  { args, host, file, place, metrics, record }: CommandContext,
): Promise<number> {
  const text = await readSheet(sheet, host, signal);
  const { labels, empty, problems } = readLabelSheet(text, metrics, new Date().toISOString());
  for (const { line, message } of problems) {
    await host.stderr.write(`${sanitizeLine(sheet)}:${line}: ${sanitizeLine(message)}\n`);
  }
  if (labels.length > 0 && !args.dryRun) {
    const inputs = labels.map((label) => resolve(record.manifest.project, label.file));
    await store(place, withLabels(file, labels), [resolve(host.cwd, sheet), ...inputs]);
  }
  const where = args.dryRun ? 'Nothing was written (--dry-run).' : `Written to ${sanitizeLine(place.name)}.`;
  const left = empty === 0 ? '' : ` ${pluralize(empty, 'row')} without a label.`;
  await host.stderr.write(
    labels.length === 0
      ? `No label was taken over.${left}\n`
      : `${pluralize(labels.length, 'label')} taken over. ${where}${left} Next: turnwise calibrate judge\n`,
  );
  return problems.length > 0 || labels.length === 0 ? EXIT_CODES.input : EXIT_CODES.passed;
}

async function readSheet(sheet: string, host: CommandHost, signal: AbortSignal): Promise<string> {
  try {
    const bytes =
      sheet === '-' ? await host.readStdin(signal) : await nodeFileSystem.read(resolve(host.cwd, sheet), signal);
    if (bytes.length > MAX_BYTES) throw new Error('it is too large');
    return new TextDecoder().decode(bytes);
  } catch (error) {
    throw new UsageError(`--import: ${sheet} cannot be read: ${describeSystemError(error)}.`);
  }
}

async function calibrate({ args, host, file, place, metrics }: CommandContext): Promise<number> {
  const at = new Date().toISOString();
  const assessed = metrics.flatMap((metric): AssessedMetric[] => {
    const assessment = assessJudge(metric, file.labels, { precision: args.precision, at });
    const foreign = foreignLabels(metric, file.labels);
    const isLabelled =
      assessment.heldOut + assessment.tuning + foreign.ofOtherQuestions + foreign.ofOtherJudges.size > 0;
    if (!isLabelled && args.metric === undefined) return [];
    const corrected = assessment.calibration && correctedShareOf(metric, file.labels);
    const passed = metric.results.filter(({ verdict }) => verdict === 'pass').length;
    return [{ assessment, foreign, corrected, results: metric.results.length, passed }];
  });
  if (assessed.length === 0) {
    throw new UsageError(
      `There are no labels in ${place.name}. Make a sheet to fill in with: turnwise calibrate judge --metric ${metrics[0]?.metric} --export labels.csv`,
    );
  }
  const calibrations = assessed.flatMap(({ assessment }) => assessment.calibration ?? []);
  const isStored = calibrations.length > 0 && !args.dryRun;
  if (isStored) await store(place, withCalibrations(file, calibrations), []);
  await writeStdout(
    args.format === 'json'
      ? `${JSON.stringify({ metrics: assessed.map(toJson), file: isStored ? place.name : null }, null, 2)}\n`
      : assessmentText(assessed, { file: isStored ? place.name : null, dryRun: args.dryRun === true }),
    host,
  );
  return calibrations.length > 0 ? EXIT_CODES.passed : EXIT_CODES.input;
}

/** @throws UsageError */
async function store(place: JudgeFilePlace, file: JudgeFile, inputs: readonly string[]): Promise<void> {
  try {
    await writeLabels(place, file, { inputs });
  } catch (error) {
    throw new UsageError(
      error instanceof WouldReplaceInput
        ? `--labels: ${place.name} is an input and is not replaced. Name another file.`
        : `${place.name} cannot be written: ${describeSystemError(error)}.`,
    );
  }
}

function toJson({ assessment, foreign, corrected, results, passed }: AssessedMetric): unknown {
  const { calibration: _, ...rest }: JudgeAssessment = assessment;
  return {
    ...rest,
    notCounted: {
      otherJudges: Object.fromEntries(foreign.ofOtherJudges),
      otherQuestions: foreign.ofOtherQuestions,
    },
    run: { results, passed, corrected: corrected?.estimate ?? null, labels: corrected?.labels ?? 0 },
  };
}
