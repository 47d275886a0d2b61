import { isNamedLike, type ListedScenario, listScenarios } from '../app/list-scenarios.ts';
import { findScenarioFiles } from '../app/scenario-files.ts';
import { loadConfiguration } from '../config/load.ts';
import { REGISTRY } from '../config/registry.ts';
import { createProblem } from '../core/problem.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { truncate } from '../core/text/truncate.ts';
import { EXIT_CODES } from '../core/verdict.ts';
import { padEnd, sanitizeLine } from '../reports/terminal-text.ts';
import type { CommandHost } from './host.ts';
import { writeStdout } from './output-file.ts';
import { printProblems } from './print-problems.ts';

export interface ScenarioListArguments {
  readonly config?: string;
  readonly filter?: string;
  readonly format?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** `turnwise scenarios` without `--run`: lists them. @returns the exit code. */
export async function listScenariosCommand(
  paths: readonly string[],
  args: ScenarioListArguments,
  host: CommandHost,
  signal: AbortSignal,
): Promise<number> {
  const loaded = await loadConfiguration({ cwd: host.cwd, file: args.config, registry: REGISTRY });
  await printProblems(host, loaded.problems, args);
  if (!loaded.configuration) return EXIT_CODES.input;
  const found = await findScenarioFiles(paths, loaded, host.cwd, signal);
  const listed = await listScenarios(found.files, {
    cwd: host.cwd,
    configuration: loaded.configuration,
    env: host.env,
    log: (text) => void host.stderr.write(text.replace(/[^\n]+/g, sanitizeLine)),
    signal,
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return null;
  });
  if (listed === null) return EXIT_CODES.interrupted;
  const { scenarios, problems } = listed;
  const shown = scenarios.filter((scenario) => isNamedLike(scenario, args.filter));
  const isEmpty = shown.length === 0 && problems.length === 0 && found.problems.length === 0;
  const all = [...found.problems, ...problems, ...(isEmpty ? [nothingFound(args)] : [])];
  await printProblems(host, all, args);
  if (args.format === 'json') await writeStdout([`${JSON.stringify(shown, null, 2)}\n`], host);
  else await writeStdout(listLines(shown), host);
  return all.some(({ severity }) => severity === 'error') ? EXIT_CODES.input : EXIT_CODES.passed;
}

function nothingFound({ filter }: ScenarioListArguments) {
  const message =
    filter === undefined
      ? 'No scenario was found. A scenario file is named like refund.sim.ts or refund.scenario.yaml; "scenarios" of the configuration names others.'
      : `No scenario has "${filter}" in its name. Without --filter, all are listed.`;
  return createProblem('error', 'no-scenario', '', message);
}

const GOAL_WIDTH = 60;

function* listLines(scenarios: readonly ListedScenario[]): Generator<string> {
  const rows = scenarios.map(
    (scenario) => [locationOf(scenario), sanitizeLine(scenario.name), factsOf(scenario)] as const,
  );
  const widthOf = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length));
  const [locations, names] = [widthOf(0), widthOf(1)];
  for (const [location, name, facts] of rows) {
    yield `${padEnd(location, locations)}  ${padEnd(name, names)}  ${facts}\n`;
  }
}

function locationOf({ file, line }: ListedScenario): string {
  return sanitizeLine(line === null ? file : `${file}:${line}`);
}

function factsOf({ turns, goal, agent, agents, attempts }: ListedScenario): string {
  const user = turns === null ? `goal: ${truncate(sanitizeLine(goal ?? ''), GOAL_WIDTH)}` : pluralize(turns, 'turn');
  const compared = agents && `agents ${agents.map(sanitizeLine).join(', ')}`;
  const tried = compared ?? (agent === null ? 'no agent' : `agent ${sanitizeLine(agent)}`);
  return [user, tried, pluralize(attempts, 'attempt')].join(' · ');
}
