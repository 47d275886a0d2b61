import { dirname, resolve } from 'node:path';
import { findProject } from '../app/git-state.ts';
import { runScenarioFiles, type ScenarioInput, type ScenarioRun } from '../app/run-scenarios.ts';
import { locateTools } from '../app/scenario-coverage.ts';
import { configureForScenarios, scenarioThresholds } from '../app/scenario-evaluation.ts';
import type { Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { agentestReport } from '../reports/agentest.ts';
import { sanitizeLine } from '../reports/terminal-text.ts';
import type { FinishedAttempt } from '../scenarios/run-scenarios.ts';
import { ToolCoverage } from '../scenarios/tool-coverage.ts';
import { allowedEnvironment, evaluatePrepared, type PreparedEvaluation, prepareEvaluation } from './eval.ts';
import type { EvalArguments } from './eval-options.ts';
import type { CommandHost } from './host.ts';
import type { Interrupt } from './interrupt.ts';
import { printProblems } from './print-problems.ts';
import { NO_PROGRESS, showProgress } from './progress.ts';
import { coverageLines } from './scenario-coverage.ts';

/** The arguments of `turnwise scenarios --run`: those of `eval`, and what is tried how often. */
export interface ScenarioRunArguments extends EvalArguments {
  readonly attempts?: number;
  readonly agent?: string;
  readonly filter?: string;
  readonly retries?: number;
  readonly coverage?: true;
}

/** As for `eval`, and what the attempts are reported with. */
interface PreparedScenarioRun extends PreparedEvaluation {
  /** Called with each session that is evaluated. */
  readonly onSession: ((session: Session) => void) | undefined;
}

/** Checks the command line and loads the configuration. Null where that is wrong, and printed. @throws UsageError */
export async function prepareScenarioRun(
  args: ScenarioRunArguments,
  host: CommandHost,
  interrupt: Interrupt,
): Promise<PreparedScenarioRun | null> {
  const sessions = new Map<string, Session>();
  const agentest = agentestReport(sessions);
  const prepared = await prepareEvaluation(args, host, interrupt, { agents: true, writers: [agentest] });
  if (!prepared) return null;
  // Transcripts are kept only for the report that has them.
  const isUsed = prepared.outputs.some(({ writer }) => writer === agentest);
  return { ...prepared, onSession: isUsed ? (session) => sessions.set(session.id, session) : undefined };
}

/** Runs scenarios, evaluates their attempts and reports as `eval` does. @returns the exit code. @throws UsageError */
export async function runScenariosCommand(
  files: readonly ScenarioInput[],
  args: ScenarioRunArguments,
  prepared: PreparedScenarioRun,
): Promise<number> {
  const { onSession, host, configuration, loaded, interrupt } = prepared;
  const { signal } = interrupt;
  const env = await allowedEnvironment(configuration, loaded, { args, host, signal });
  const progress = args.quiet || args.verbose ? NO_PROGRESS : showProgress(host.stderr, host.now);
  const made = await runScenarioFiles({
    cwd: host.cwd,
    project: await findProject(host.cwd),
    files,
    configuration,
    configurationFolder: resolve(host.cwd, dirname(loaded.file ?? '')),
    env: { ...host.env, ...env },
    signal,
    attempts: args.attempts,
    agent: args.agent,
    retries: args.retries,
    filter: args.filter,
    onEvent: progress.onAttempt,
    onCall: progress.onCall,
    log: (text) => {
      if (args.verbose) for (const line of text.split('\n')) void host.stderr.write(`${sanitizeLine(line)}\n`);
    },
  });
  await progress.end();
  const finished = made.attempts.length;
  if (finished === 0 || signal.aborted) return endEarly(made, args, prepared);
  const gated = { ...prepared, configuration: configureForScenarios(configuration, scenarioThresholds(made.attempts)) };
  const coverage = args.coverage ? new ToolCoverage() : null;
  const code = await evaluatePrepared([made.folder], gated, {
    id: made.id,
    problems: made.problems,
    env,
    onSession: (session) => {
      onSession?.(session);
      coverage?.addSession(session);
    },
  });
  if (!args.quiet) await host.stderr.write(`Sessions of the attempts: ${sanitizeLine(made.folder)}\n`);
  if (coverage) await printCoverage(coverage, made.attempts, args, prepared);
  return code;
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
  { attempts: { length }, folder, problems }: ScenarioRun,
  args: ScenarioRunArguments,
  { host, interrupt }: PreparedEvaluation,
): Promise<number> {
  await printProblems(host, problems, args);
  if (interrupt.signal.aborted) {
    if (length > 0) {
      const attempts = length === 1 ? '1 attempt is' : `${length} attempts are`;
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
