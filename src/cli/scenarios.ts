import { findScenarioFiles, readScenarioFile } from '../app/scenario-files.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { printProblems } from './print-problems.ts';
import { scenarioFromTrace } from './scenarios-from.ts';
import { listScenariosCommand } from './scenarios-list.ts';
import { prepareScenarioRun, runScenariosCommand, type ScenarioRunArguments } from './scenarios-run.ts';
import { UsageError } from './usage-error.ts';

export interface ScenariosArguments extends ScenarioRunArguments {
  readonly run?: true;
  /** A trace. */
  readonly from?: string;
}

const CONCURRENT_READS = 8;

/** `turnwise scenarios`. @returns the exit code. @throws UsageError */
export async function scenariosCommand(
  patterns: readonly string[],
  args: ScenariosArguments,
  host: CommandHost,
): Promise<number> {
  using interrupt = listenForInterrupt(host);
  if (args.from !== undefined) {
    if (args.run || patterns.length > 0) {
      throw new UsageError('--from makes a new scenario: neither name scenario files nor use --run with it.');
    }
    return await scenarioFromTrace(args.from, args, host, interrupt.signal);
  }
  for (const option of ['session', 'turn'] as const) {
    if (args[option] !== undefined) throw new UsageError(`--${option} belongs to --from, which names a trace.`);
  }
  if (!args.run) return await listScenariosCommand(patterns, args, host, interrupt.signal);
  const prepared = await prepareScenarioRun(args, host, interrupt);
  if (!prepared) return EXIT_CODES.input;
  const found = await findScenarioFiles(patterns, prepared.loaded, host.cwd, interrupt.signal);
  const files = await mapConcurrent(found.files, CONCURRENT_READS, (file) => readScenarioFile(file, host.cwd));
  const issues = files.flatMap((file) => file.issues.map((issue) => file.toProblem(issue)));
  const problems = [...found.problems, ...(await Promise.all(issues))];
  await printProblems(host, problems, args);
  if (problems.some(({ severity }) => severity === 'error')) return EXIT_CODES.input;
  return await runScenariosCommand(files, args, prepared);
}
