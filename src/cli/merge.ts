import { relative, resolve } from 'node:path';
import { gateAgainstBaseline } from '../app/baseline-gates.ts';
import { withFolder } from '../app/complete-record.ts';
import { findProject } from '../app/git-state.ts';
import { type MergeJudges, mergeRuns } from '../app/merge-runs.ts';
import { openRecording } from '../app/open-recording.ts';
import { NotRecorded } from '../app/record-run.ts';
import { filesOfRun } from '../app/recorded-files.ts';
import { addAlerts } from '../app/run-alerts.ts';
import { openRunModels, type RunModels } from '../app/run-models.ts';
import { PartsRefused, type RunPart } from '../app/shard-parts.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { createProblem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { RecordedRun, RunManifest } from '../core/run-record.ts';
import { sanitizeLine } from '../core/sanitize.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { isOneOf } from '../output/write-file.ts';
import { recordedAgentestReport } from '../reports/agentest.ts';
import type { PlannedSessions } from '../runs/record/planned-line.ts';
import { shortRunId } from '../runs/run-label.ts';
import type { RunRecord, RunStore } from '../runs/run-store.ts';
import { OutcomeFile } from '../store/outcome-file.ts';
import { openRecords } from '../store/runs/run-store.ts';
import { allowedEnvironment } from './eval.ts';
import type { EvalArguments } from './eval-options.ts';
import { limitOldGeneration } from './heap-growth.ts';
import type { CommandHost } from './host.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { missingSelection } from './missing-selection.ts';
import { inputError } from './output-file.ts';
import { printProblems } from './print-problems.ts';
import { checkDifferentOutputs, parseReportOutputs, separateWritable, writeReports } from './report-outputs.ts';
import { announceAlerts } from './run-alerts.ts';
import { announceRecord, checkRecordPlace, findRecord } from './run-recording.ts';
import { explainInputErrors, isError, openBaseline, withProblems } from './run-report.ts';
import { UsageError } from './usage-error.ts';

export interface MergeArguments
  extends Pick<
    EvalArguments,
    | 'config'
    | 'judge'
    | 'judgeUrl'
    | 'cache'
    | 'yes'
    | 'baseline'
    | 'format'
    | 'report'
    | 'compact'
    | 'quiet'
    | 'verbose'
    | 'name'
  > {
  readonly partial?: true;
  /** A folder or a file. */
  readonly out?: string;
}

/** Reading turns again from a file is 40 % of a merge: 12,800 sessions of two turns need no file, and less than 1 GB. */
const TURNS_IN_MEMORY = 40_000;

/** `turnwise merge`. @returns the exit code. @throws UsageError */
export async function mergeCommand(
  references: readonly string[],
  args: MergeArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  const { signal } = interrupt;
  const { out: elsewhere, ...reporting } = args;
  const outputs = parseReportOutputs(reporting, { host, others: [recordedAgentestReport] });
  await checkDifferentOutputs(outputs, host);
  if (elsewhere !== undefined) await checkRecordPlace('--out', elsewhere, host);
  const loaded = await loadConfiguration({
    cwd: host.cwd,
    file: args.config,
    flags: { judge: args.judge, judgeUrl: args.judgeUrl },
    registry: REGISTRY,
    code: 'run',
  });
  await printProblems(host, loaded.problems, args);
  const { configuration } = loaded;
  if (!configuration || loaded.problems.some(isError)) return EXIT_CODES.input;
  const baseline = await openBaseline(args, host, signal);
  using opened = await openRecording({
    folder: host.cwd,
    env: host.env,
    inputs: [],
    warn: (sentence) => {
      if (!args.quiet) void host.stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
    },
    name: args.name,
    elsewhere,
    stoppedBy: () => stoppedBy(interrupt),
  });
  const { recording } = opened;
  const gate = async (ungated: Report, run: RecordedRun, { problems }: PlannedSessions) => {
    const merged = withFolder(ungated, run.manifest.folder);
    const gated = baseline ? gateAgainstBaseline(merged, run, baseline) : merged;
    const report = await addAlerts(gated, configuration, run, recording);
    return withProblems(report, [...problems.inputs, ...missingSelection(report, selectionOf(run.manifest))]);
  };
  using storage = new OutcomeFile(TURNS_IN_MEMORY);
  using judge = new MergeJudge(configuration, loaded, { args, host, signal });
  try {
    const parts = await findParts(references, recording.store, host);
    await checkNoPart(elsewhere, parts, host);
    limitOldGeneration();
    const merged = await mergeRuns(parts, {
      recording,
      gate,
      configuration,
      isPartial: args.partial === true,
      storage,
      openJudges: (plan) => judge.open(plan),
      signal,
    });
    const [settings] = [loaded.file, loaded.agentestFile].flatMap((file) => file ?? []);
    const report = await announceAlerts(merged, configuration, {
      file: settings,
      isNamed: args.config !== undefined,
      isRecorded: true,
      cwd: host.cwd,
      signal,
    });
    const { file, agentestFile, riskFile, judgeFile } = loaded;
    const others = [file, agentestFile, riskFile, judgeFile, baseline?.file].flatMap((name) => name ?? []);
    const records = parts.map(({ record }) => record);
    const inputs = [...others.map((name) => resolve(host.cwd, name)), ...(await filesOfRun(records, report, host.cwd))];
    const { writable, errors } = await separateWritable(outputs, inputs, host);
    const failed = await writeReports(
      writable,
      {
        report,
        runReference: shortRunId(report.run.id),
        record: await findRecord(opened, report.run.id),
        inputs,
        verbose: args.verbose === true,
        compact: args.compact === true,
      },
      host,
    );
    await printProblems(host, report.problems, args);
    for (const message of [...errors, ...failed]) await host.stderr.write(`turnwise: ${message}\n`);
    await announceRecord(opened, report.run.id, configuration, args, host);
    if (signal.aborted) return EXIT_CODES.interrupted;
    if (errors.length + failed.length > 0) return EXIT_CODES.input;
    if (!report.problems.some(isError)) return EXIT_CODES[report.verdict];
    await explainInputErrors(report, args, host);
    return EXIT_CODES.input;
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    if (error instanceof PartsRefused || error instanceof NotRecorded) throw new UsageError(error.message);
    throw error;
  }
}

function stoppedBy(interrupt: Interrupt): string | null {
  const signal = interrupt.stoppedBy();
  return signal && `It was stopped by ${signal}.`;
}

/** What `turnwise eval` selected, which must have been there. */
function selectionOf({ selection, plan: { turn, correctBy } }: RunManifest): Parameters<typeof missingSelection>[1] {
  return {
    ...(selection?.session === undefined ? {} : { session: selection.session }),
    ...(turn === null ? {} : { turn: turn + 1 }),
    ...(correctBy === null ? {} : { correctBy }),
  };
}

/** @throws UsageError where the merged run would replace one of its parts */
async function checkNoPart(out: string | undefined, parts: readonly RunPart[], { cwd }: CommandHost): Promise<void> {
  const paths = parts.map(({ record }) => record.path);
  if (out !== undefined && (await isOneOf(resolve(cwd, out), paths))) throw inputError({ file: out, option: '--out' });
}

/** The records at these places, each once. @throws UsageError */
async function findParts(
  references: readonly string[],
  store: RunStore,
  { cwd }: CommandHost,
): Promise<readonly RunPart[]> {
  const project = await findProject(cwd);
  const found = new Map<string, RunPart>();
  for (const reference of references) {
    for (const record of await openReference(reference, store, { cwd, project })) {
      found.set(record.path, { record, name: nameOf(record.path, cwd) });
    }
  }
  return [...found.values()];
}

async function openReference(
  reference: string,
  store: RunStore,
  { cwd, project }: { readonly cwd: string; readonly project: string },
): Promise<readonly RunRecord[]> {
  try {
    const path = resolve(cwd, reference);
    const isPath = (await nodeFileSystem.stat(path)) !== null;
    const records = isPath ? await openRecords(path) : [await store.find(reference, project)];
    if (records.length > 0) return records;
    throw new Error(`${reference} has no recorded run.`);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function nameOf(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith('..') ? path : inside;
}

interface MergeAccess {
  readonly args: MergeArguments;
  readonly host: CommandHost;
  readonly signal: AbortSignal;
}

/** The judge that the parts had, as far as the configuration names the same. */
class MergeJudge implements Disposable {
  readonly #configuration: Configuration;
  readonly #loaded: LoadedConfiguration;
  readonly #access: MergeAccess;
  #models: RunModels | null = null;

  constructor(configuration: Configuration, loaded: LoadedConfiguration, access: MergeAccess) {
    this.#configuration = configuration;
    this.#loaded = loaded;
    this.#access = access;
  }

  async open({ judge }: RunManifest['plan']): Promise<MergeJudges> {
    const { args, host, signal } = this.#access;
    const env = await allowedEnvironment(this.#configuration, this.#loaded, { args, host, signal });
    this.#models = await openRunModels(this.#configuration, { env, cache: args.cache, signal });
    const { judges, problems } = this.#models;
    const own = judges.defaultJudge;
    if (own && own.provider === judge?.provider && own.model === judge.model) return { judges, problems };
    const [theirs, ours] = [judge, own].map((name) => (name ? `${name.provider}/${name.model}` : 'none'));
    const message = `Groups of failures with one root cause are not merged: the parts were judged by ${theirs}, and the judge here is ${ours}. Name it with --judge.`;
    return {
      judges: { defaultJudge: null, byMetric: new Map() },
      problems: [createProblem('warning', 'failure-groups', '', message)],
    };
  }

  [Symbol.dispose](): void {
    this.#models?.[Symbol.dispose]();
  }
}
