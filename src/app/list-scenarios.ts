import { resolve } from 'node:path';
import { createScenarioMetricsCheck } from '../config/scenario-metrics.ts';
import type { Configuration } from '../config/schema.ts';
import { mapConcurrent } from '../core/async/concurrency.ts';
import { lazy } from '../core/cache/memoize.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { describeDataScenario } from '../scenarios/data-scenarios.ts';
import { checkScenarios, openScenarioProcess, type ScenarioIssue } from '../scenarios/open-scenario-process.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { chooseAgents } from './choose-agent.ts';
import { missingAgent, RECORDED_AGENT, readRecordedCases } from './recorded-cases.ts';
import { readScenarioFile, type ScenarioSource } from './scenario-files.ts';

/** A scenario and where it stands. */
export interface ListedScenario {
  readonly file: string;
  /** From 1; null where its name is no literal. */
  readonly line: number | null;
  readonly name: string;
  /** The key of the agent that it tries; null where there is none. */
  readonly agent: string | null;
  /** Where several are compared: all that try it. */
  readonly agents?: readonly string[];
  readonly attempts: number;
  /** Scripted turns; null where the user is simulated. */
  readonly turns: number | null;
  readonly goal: string | null;
  readonly tags: readonly string[];
}

export interface ListScenariosOptions {
  readonly cwd: string;
  readonly configuration: Configuration;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets what the code of scenario files prints. */
  readonly log: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Processes at once. */
const CONCURRENT_LOADS = 4;

/**
 * Loads scenario files, each in a process of its own, and says what is in them and what is wrong with it.
 *
 * @throws the reason of the signal
 */
export async function listScenarios(
  files: readonly string[],
  options: ListScenariosOptions,
): Promise<{ readonly scenarios: readonly ListedScenario[]; readonly problems: readonly Problem[] }> {
  const loaded = await mapConcurrent(files, CONCURRENT_LOADS, (file) => listFile(file, options));
  const scenarios = loaded.flatMap((one) => one.scenarios);
  return { scenarios, problems: [...loaded.flatMap((one) => one.problems), ...sameNames(scenarios)] };
}

async function listFile(file: string, options: ListScenariosOptions): ReturnType<typeof listScenarios> {
  const source = await readScenarioFile(file, options.cwd);
  const { cwd, configuration, signal } = options;
  const { scenarios, issues } = await loadSource(source, options);
  signal.throwIfAborted();
  const readCases = lazy(() => readRecordedCases(source, cwd, configuration, signal));
  const problems = await Promise.all([...source.issues, ...issues].map((issue) => source.toProblem(issue)));
  const listed: ListedScenario[] = [];
  for (const scenario of scenarios) {
    const line = await source.lineOf(scenario.name);
    const { simulation } = configuration;
    const agents: string[] = [];
    for (const chosen of chooseAgents(scenario, simulation)) {
      if ('agent' in chosen) agents.push(chosen.agent);
      else if (!chosen.isNamed && (await readCases()).has(scenario.name)) agents.push(RECORDED_AGENT);
      else {
        const message = missingAgent(chosen, source);
        problems.push(createProblem('error', 'no-agent', file, message, { line: line ?? undefined }));
      }
    }
    const { name, turns, goal, tags = [] } = scenario;
    listed.push({
      file,
      line,
      name,
      agent: agents[0] ?? null,
      ...(agents.length > 1 ? { agents } : {}),
      attempts: attemptsAt(scenario, simulation),
      turns: turns?.length ?? null,
      goal: goal ?? null,
      tags,
    });
  }
  return { scenarios: listed, problems };
}

interface LoadedSource {
  readonly scenarios: readonly Scenario[];
  readonly issues: readonly ScenarioIssue[];
}

async function loadSource(
  { file, scenarios }: ScenarioSource,
  { cwd, configuration, env, log, signal }: ListScenariosOptions,
): Promise<LoadedSource> {
  const { simulation, custom } = configuration;
  const checkMetrics = createScenarioMetricsCheck(configuration, allMetrics(custom));
  if (scenarios) return checkScenarios(scenarios.map(describeDataScenario), checkMetrics);
  const opened = await openScenarioProcess({
    file: resolve(cwd, file),
    scenarios: null,
    handlers: {},
    unmockedTools: simulation.unmockedTools,
    checkMetrics,
    env,
    envNames: simulation.env,
    timeoutMs: simulation.requestTimeoutMs,
    memoryLimitMb: simulation.memoryLimitMb,
    log,
    signal,
  });
  if (opened.type === 'failed') return { scenarios: [], issues: [opened.issue] };
  await using process = opened.process;
  return { scenarios: process.scenarios, issues: opened.issues };
}

/** Whether a scenario is chosen by a part of its name, in any case. */
export function isNamedLike({ name }: Pick<Scenario, 'name'>, filter = ''): boolean {
  return name.toLowerCase().includes(filter.toLowerCase());
}

/** How many attempts are made at a scenario where the command line does not say it. */
export function attemptsAt(
  { turns, conversationsPerScenario }: Scenario,
  simulation: Configuration['simulation'],
): number {
  return conversationsPerScenario ?? (turns ? 1 : simulation.conversationsPerScenario);
}

/** @param where the place of the other scenario. */
export function sameName(name: string, where: string): string {
  return `"${name}" is also the name of a scenario in ${where}. Give each its own name.`;
}

/** Attempts are grouped by the name of their scenario, so that it must be one in all files. */
function sameNames(scenarios: readonly ListedScenario[]): Problem[] {
  const first = new Map<string, ListedScenario>();
  return scenarios.flatMap((scenario) => {
    const other = first.get(scenario.name);
    if (!other) {
      first.set(scenario.name, scenario);
      return [];
    }
    const where = `${other.file}${other.line === null ? '' : `:${other.line}`}`;
    const message = sameName(scenario.name, where);
    return [createProblem('error', 'scenario', scenario.file, message, { line: scenario.line ?? undefined })];
  });
}
