import { loadConfiguration } from '../config/load.ts';
import type { Configuration, ConfigurationInput } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import type { Problem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';
import type { Environment } from '../store/home.ts';
import { type EvaluateRunOptions, evaluateFileStream, validateConfiguration } from './evaluate-files.ts';
import { findProject } from './git-state.ts';
import { metricsWith, registryWith } from './plug-ins.ts';
import { runScenarioFiles, type ScenarioRun } from './run-scenarios.ts';
import { configureForScenarios, scenarioSettings } from './scenario-evaluation.ts';
import { findScenarioFiles, readScenarioFile } from './scenario-files.ts';

export interface ScenarioEvaluationOptions
  extends Omit<EvaluateRunOptions, 'record' | 'runId' | 'taskMetrics' | 'turn'> {
  /** A file, or what is in one; default: the nearest file, as on the command line. */
  readonly configuration?: string | ConfigurationInput;
  /** A key of the configuration's agents, instead of those that the scenarios name. */
  readonly agent?: string;
  /** At each scenario, instead of what it says. */
  readonly attempts?: number;
  /** How often an attempt that ended in an error is made again. */
  readonly retries?: number;
  /** Only scenarios whose name contains it, in any case. */
  readonly filter?: string;
  /** Gets what the code of the scenarios prints. */
  readonly onOutput?: (text: string) => void;
}

interface ScenarioConfiguration {
  /** Relative to the working directory; null where a program wrote it. */
  readonly file: string | null;
  readonly configuration: Configuration;
  readonly env: Environment;
}

const CONCURRENT_READS = 8;

/** Attempts at scenarios, and the configuration under which they were made. */
export interface AttemptsToEvaluate extends ScenarioRun {
  readonly configuration: Configuration;
  readonly env: Environment;
}

/** Runs scenarios in the working directory. @throws Error with a sentence per line */
export async function makeAttempts(
  paths: readonly string[],
  { agent, attempts, retries, filter, onOutput, ...options }: ScenarioEvaluationOptions,
): Promise<AttemptsToEvaluate> {
  const cwd = process.cwd();
  const { signal = new AbortController().signal, onCall } = options;
  const own = await scenarioConfiguration(cwd, options);
  const { configuration, env } = own;
  const found = await findScenarioFiles(paths, own, cwd, signal);
  const files = await mapConcurrent(found.files, CONCURRENT_READS, (file) => readScenarioFile(file, cwd));
  const issues = await Promise.all(files.flatMap((file) => file.issues.map((issue) => file.toProblem(issue))));
  throwErrors([...found.problems, ...issues]);
  const made = await runScenarioFiles({
    cwd,
    project: await findProject(cwd),
    files,
    configuration,
    configurationFile: own.file,
    metrics: metricsWith(configuration, options),
    env,
    signal,
    attempts,
    agent,
    retries,
    filter,
    onCall,
    log: (text) => onOutput?.(text),
  });
  // A scenario that is wrong must not be left out of what passes.
  throwErrors(made.problems);
  if (made.attempts.length === 0 && !signal.aborted) throw new Error(nothingRan(filter));
  return { ...made, configuration, env };
}

/** @throws what `evaluateRun` throws */
export async function evaluateAttempts(
  { id, folder, attempts, scenarioOf, problems, configuration, env }: AttemptsToEvaluate,
  options: Omit<EvaluateRunOptions, 'runId' | 'taskMetrics' | 'turn'>,
): Promise<Report> {
  const table = metricsWith(configuration, options);
  const evaluation = configureForScenarios(configuration, scenarioSettings(attempts), table);
  const { taskMetrics } = evaluation;
  const { report } = await evaluateFileStream([folder], evaluation.configuration, {
    ...options,
    env,
    runId: id,
    taskMetrics,
    scenarioOf,
  });
  return { ...report, problems: [...problems, ...report.problems] };
}

async function scenarioConfiguration(
  cwd: string,
  { configuration: written, env = process.env, ...plugIns }: ScenarioEvaluationOptions,
): Promise<ScenarioConfiguration> {
  if (typeof written === 'object') {
    return { file: null, configuration: validateConfiguration(written, plugIns), env };
  }
  const registry = registryWith(plugIns);
  const { configuration, file, agentestFile, keys, problems } = await loadConfiguration({
    cwd,
    ...(written !== undefined && { file: written }),
    registry,
  });
  throwErrors(problems);
  if (!configuration) throw new Error('The configuration cannot be used.');
  return { file: file ?? agentestFile, configuration, env: { ...env, ...keys } };
}

function throwErrors(problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(describeProblem).join('\n'));
}

function describeProblem({ file, line, message }: Problem): string {
  const place = file === '' ? '' : `${file}${line === null ? '' : `:${line}`}: `;
  return `${place}${message}`;
}

function nothingRan(filter: string | undefined): string {
  return filter === undefined
    ? 'No scenario was found. A scenario file is named like refund.sim.ts or refund.scenario.yaml.'
    : `No scenario has "${filter}" in its name.`;
}
