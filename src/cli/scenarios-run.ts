import { dirname, resolve } from 'node:path';
import type { ScenarioInput } from '../app/attempt-planner.ts';
import { findProject } from '../app/git-state.ts';
import { type OpenScenarioRun, openScenarioRun } from '../app/run-scenarios.ts';
import { locateTools } from '../app/scenario-coverage.ts';
import { configureForScenarios, scenarioSettings } from '../app/scenario-evaluation.ts';
import { AttemptRounds } from '../app/until-decided.ts';
import { JSON_REPORTER } from '../config/agentest.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { createFolder } from '../output/write-file.ts';
import { agentestReport } from '../reports/agentest.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { FinishedAttempt } from '../scenarios/run-scenarios.ts';
import { ToolCoverage, toolsOf } from '../scenarios/tool-coverage.ts';
import {
  allowedEnvironment,
  createProgress,
  evaluatePrepared,
  type PreparedEvaluation,
  prepareEvaluation,
} from './eval.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import type { Interrupt } from './interrupt.ts';
import { printProblems } from './print-problems.ts';
import { coverageLines } from './scenario-coverage.ts';
import { UsageError } from './usage-error.ts';

/** The arguments of `turnwise scenarios --run`: those of `eval`, and what is tried how often. */
export interface ScenarioRunArguments extends EvalArguments {
  readonly attempts?: number;
  readonly agent?: readonly string[];
  readonly filter?: string;
  readonly retries?: number;
  readonly coverage?: true;
  readonly untilDecided?: true;
}

/** As for `eval`, and what the attempts are reported with. */
interface PreparedScenarioRun extends PreparedEvaluation {
  /** Called with each session that is evaluated. */
  readonly onSession: ((session: Session) => void) | undefined;
}

/** Where Agentest's `json` reporter writes. */
const AGENTEST_RESULTS = '.agentest/results.json';

/** Checks the command line and loads the configuration. Null where that is wrong, and printed. @throws UsageError */
export async function prepareScenarioRun(
  args: ScenarioRunArguments,
  host: CommandHost,
  interrupt: Interrupt,
): Promise<PreparedScenarioRun | null> {
  const sessions = new Map<string, Session>();
  const agentest = agentestReport(sessions);
  const prepared = await prepareEvaluation(args, host, interrupt, [agentest]);
  if (!prepared) return null;
  const isConfigured = prepared.loaded.reporters.includes(JSON_REPORTER);
  if (isConfigured) await createFolder(resolve(host.cwd, dirname(AGENTEST_RESULTS)));
  const results = { writer: agentest, file: AGENTEST_RESULTS, option: 'reporters' };
  const outputs = isConfigured ? [...prepared.outputs, results] : prepared.outputs;
  // Transcripts are kept only for the report that has them.
  const isUsed = outputs.some(({ writer }) => writer === agentest);
  return { ...prepared, outputs, onSession: isUsed ? (session) => sessions.set(session.id, session) : undefined };
}

/** Runs scenarios, evaluates their attempts and reports as `eval` does. @returns the exit code. @throws UsageError */
export async function runScenariosCommand(
  files: readonly ScenarioInput[],
  args: ScenarioRunArguments,
  prepared: PreparedScenarioRun,
): Promise<number> {
  const { onSession, host, configuration, loaded, interrupt } = prepared;
  const { signal } = interrupt;
  const rounds = openRounds(args, prepared);
  const env = await allowedEnvironment(configuration, loaded, { args, host, signal });
  const progress = createProgress(args, host);
  const agents = args.agent && [...new Set(args.agent)];
  const run = await openScenarioRun({
    cwd: host.cwd,
    project: await findProject(host.cwd),
    files,
    configuration,
    configurationFile: loaded.file ?? loaded.agentestFile,
    env: { ...host.env, ...env },
    signal,
    attempts: rounds ? rounds.first : args.attempts,
    agents,
    retries: args.retries,
    filter: args.filter,
    onEvent: progress.onAttempt,
    onCall: args.verbose ? undefined : progress.onCall,
    log: (text) => {
      if (args.verbose) for (const line of text.split('\n')) void host.stderr.write(`${sanitizeLine(line)}\n`);
    },
  });
  const attempts = await run.attempt();
  await progress.end();
  if (attempts.length === 0 || signal.aborted) return endEarly(run, attempts.length, args, prepared);
  const { taskMetrics, ...evaluation } = configureForScenarios(configuration, scenarioSettings(attempts));
  const coverage = args.coverage ? new ToolCoverage() : null;
  const code = await evaluatePrepared(
    [run.folder],
    { ...prepared, ...evaluation },
    {
      id: run.id,
      taskMetrics,
      scenarioOf: run.scenarioOf,
      isPart: args.filter !== undefined || attempts.some(({ sessionFile }) => sessionFile === null),
      problems: () => [...run.problems(), ...(rounds?.problems() ?? [])],
      env,
      agents: agents ?? configuration.simulation.compare,
      progress,
      files: rounds?.files(attempts, run),
      onSession: (session) => {
        onSession?.(session);
        coverage?.add(toolsOf(session));
        rounds?.onSession(session);
      },
      onResult: (event) => rounds?.onResult(event),
    },
  );
  if (!args.quiet) {
    if (rounds) await host.stderr.write(`${rounds.summary()}\n`);
    await host.stderr.write(`Sessions of the attempts: ${sanitizeLine(run.folder)}\n`);
  }
  if (coverage) await printCoverage(coverage, attempts, args, prepared);
  return code;
}

/** Null where a fixed number of attempts is made. @throws UsageError */
function openRounds(
  { untilDecided, attempts, estimator }: ScenarioRunArguments,
  { host, configuration, interrupt: { signal } }: PreparedEvaluation,
): AttemptRounds | null {
  if (!untilDecided) return null;
  if (attempts === undefined) {
    throw new UsageError('--until-decided needs --attempts: the most attempts at each scenario.');
  }
  const rounds = new AttemptRounds({
    cwd: host.cwd,
    limit: attempts,
    configuration,
    estimator: estimator ?? null,
    signal,
  });
  if (rounds.first === 0) {
    const k = configuration.gates.attempts?.k;
    throw new UsageError(
      `--attempts ${attempts} cannot decide gates.attempts, which needs ${k} attempts. Make it at least ${k}.`,
    );
  }
  return rounds;
}

async function printCoverage(
  coverage: ToolCoverage,
  attempts: readonly FinishedAttempt[],
  args: ScenarioRunArguments,
  { host, loaded, interrupt: { signal } }: PreparedEvaluation,
): Promise<void> {
  for (const { scenario } of attempts) for (const tool of scenario.mockedTools) coverage.addTool(tool);
  const scenarioFiles = [...new Set(attempts.map(({ file }) => file))];
  const located = await locateTools(coverage.tools, { cwd: host.cwd, loaded, scenarioFiles, signal });
  await printProblems(host, located.problems, args);
  for (const line of coverageLines(located.tools)) await host.stderr.write(`${line}\n`);
}

async function endEarly(
  run: OpenScenarioRun,
  finished: number,
  args: ScenarioRunArguments,
  { host, interrupt }: PreparedEvaluation,
): Promise<number> {
  const { folder } = run;
  const problems = run.problems();
  await printProblems(host, problems, args);
  if (interrupt.signal.aborted) {
    if (finished > 0) {
      const attempts = finished === 1 ? '1 attempt is' : `${finished} attempts are`;
      await host.stderr.write(`${attempts} finished. To evaluate: turnwise eval ${sanitizeLine(folder)}\n`);
    }
    return EXIT_CODES.interrupted;
  }
  if (!problems.some(isError)) await host.stderr.write(`turnwise: ${nothingRan(args)}\n`);
  return EXIT_CODES.input;
}

function nothingRan({ filter }: ScenarioRunArguments): string {
  return filter === undefined
    ? 'No scenario was found. A scenario file is named like refund.sim.ts or refund.scenario.yaml.'
    : `No scenario has "${sanitizeLine(filter)}" in its name. Without --run, its name is listed.`;
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}
