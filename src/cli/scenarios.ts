import { EXIT_CODES } from '../core/verdict.ts';
import { expandGlobs } from '../input/expand-globs.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { prepareEvaluation } from './eval.ts';
import type { CommandHost } from './host.ts';
import { listenForInterrupt } from './interrupt.ts';
import { printProblems } from './print-problems.ts';
import { runScenariosCommand, type ScenarioRunArguments } from './scenarios-run.ts';
import { UsageError } from './usage-error.ts';

export interface ScenariosArguments extends ScenarioRunArguments {
  readonly run?: true;
}

/** `turnwise scenarios`. @returns the exit code. @throws UsageError */
export async function scenariosCommand(
  patterns: readonly string[],
  args: ScenariosArguments,
  host: CommandHost,
): Promise<number> {
  if (!args.run) throw new UsageError('Add --run to run the scenarios.');
  using interrupt = listenForInterrupt(host);
  const prepared = await prepareEvaluation(args, host, interrupt, { agents: true });
  if (!prepared) return EXIT_CODES.input;
  const { paths, problems } = await expandGlobs(patterns, nodeFileSystem, host.cwd, interrupt.signal);
  await printProblems(host, problems, args);
  if (problems.length > 0) return EXIT_CODES.input;
  const files = paths.map((file) => ({ file, scenarios: null }));
  return runScenariosCommand(files, args, prepared);
}
