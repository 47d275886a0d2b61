import { relative, resolve } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import { assertNever } from '../core/assert-never.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Session } from '../core/session.ts';
import { createRunId } from '../engine/plan.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import type { CallLog, ChatClient } from '../llm/chat-client.ts';
import { createFolder, writeFile } from '../output/write-file.ts';
import { ModuleFunction } from '../sandbox/module-function.ts';
import type { Agent } from '../scenarios/agents/agent.ts';
import { chatCompletionsAgent } from '../scenarios/agents/chat-completions.ts';
import { customAgent } from '../scenarios/agents/custom.ts';
import { replayAgent, replayedUser } from '../scenarios/agents/replay.ts';
import { openScenarioProcess } from '../scenarios/open-scenario-process.ts';
import {
  type FinishedAttempt,
  type PlannedAttempt,
  runScenarios,
  type ScenarioEvent,
  type ScenarioFile,
} from '../scenarios/run-scenarios.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { simulatedUser } from '../scenarios/simulated-user.ts';
import { type AttemptUser, missingUser, scriptedUser } from '../scenarios/user.ts';
import type { Environment } from '../store/home.ts';
import { chooseAgent } from './choose-agent.ts';
import { attemptsAt, sameName } from './list-scenarios.ts';
import { loadRun } from './load-run.ts';
import type { ScenarioSource } from './scenario-files.ts';

export interface ScenarioRunOptions {
  /** Paths are relative to it. */
  readonly cwd: string;
  /** The root of the project, which gets the session files. */
  readonly project: string;
  readonly files: readonly ScenarioInput[];
  readonly configuration: Configuration;
  /** The folder of its file. */
  readonly configurationFolder: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Instead of what each scenario says. */
  readonly attempts?: number | undefined;
  readonly agent?: string | undefined;
  readonly retries?: number | undefined;
  /** Only scenarios whose name contains it, in any case. */
  readonly filter?: string | undefined;
  readonly onEvent?: (event: ScenarioEvent) => void;
  readonly onCall?: (call: CallLog) => void;
  /** What the code of scenarios prints. */
  readonly log: (text: string) => void;
}

/** A file of scenarios. */
export type ScenarioInput = Pick<ScenarioSource, 'file' | 'scenarios' | 'toProblem' | 'lineOf'>;

export interface ScenarioRun {
  /** Of the run that evaluates them, too. */
  readonly id: string;
  readonly attempts: readonly FinishedAttempt[];
  /** Where their session files are, relative to `cwd`. */
  readonly folder: string;
  readonly problems: readonly Problem[];
}

/** Runs scenarios: their attempts become session files in `.turnwise/runs/<run id>` of the project. */
export async function runScenarioFiles(options: ScenarioRunOptions): Promise<ScenarioRun> {
  const { cwd, project, signal, retries, onEvent } = options;
  const { simulation } = options.configuration;
  const id = createRunId(new Date());
  const runs = resolve(project, '.turnwise', 'runs');
  const folder = resolve(runs, id);
  await createFolder(folder);
  // Sessions are a person's texts, and results: no source. A file of the user's stays as it is.
  const ignore = resolve(project, '.turnwise', '.gitignore');
  if ((await nodeFileSystem.stat(ignore).catch(() => null)) === null) await writeFile(ignore, '*\n');
  const planner = new AttemptPlanner(options);
  const attempts = await runScenarios(
    options.files.map((input) => planner.scenarioFile(input)),
    {
      folder,
      concurrency: simulation.concurrency,
      retries: retries ?? simulation.retries,
      unmockedTools: simulation.unmockedTools,
      signal,
      onEvent,
    },
  );
  return {
    id,
    attempts,
    folder: relative(cwd, folder),
    problems: [...planner.problems, ...attempts.flatMap(failureOf)],
  };
}

function failureOf({ file, scenario, trial, sessionFile, failure }: FinishedAttempt): Problem[] {
  if (!failure) return [];
  const message = `Attempt ${trial} of "${scenario.name}" did not finish: ${failure.reason}`;
  // Without a session file nothing is evaluated, so that the rest may pass.
  return [createProblem(sessionFile === null ? 'error' : 'warning', 'attempt-failed', file, message)];
}

type SimulationSettings = Configuration['simulation'];
type AgentSettings = SimulationSettings['agents'][string];

/** Decides which attempts are made at the scenarios of a file, and with what. */
class AttemptPlanner {
  readonly problems: Problem[] = [];
  readonly #options: ScenarioRunOptions;
  /** By the key of the agent that replays it. */
  readonly #recordings = new Map<string, readonly Session[]>();
  readonly #httpAgents = new Map<string, Agent>();
  /** The file of each scenario. */
  readonly #files = new Map<string, string>();
  #client: ChatClient | null = null;

  constructor(options: ScenarioRunOptions) {
    this.#options = options;
  }

  get #simulation(): SimulationSettings {
    return this.#options.configuration.simulation;
  }

  scenarioFile(input: ScenarioInput): ScenarioFile {
    const { file, scenarios } = input;
    return {
      file,
      open: async () => {
        const { cwd, env, log } = this.#options;
        const { agents, unmockedTools, requestTimeoutMs } = this.#simulation;
        const opened = await openScenarioProcess({
          file: resolve(cwd, file),
          scenarios,
          handlers: handlersOf(agents),
          unmockedTools,
          env,
          envNames: this.#simulation.env,
          timeoutMs: requestTimeoutMs,
          memoryLimitMb: this.#simulation.memoryLimitMb,
          log,
        });
        const issues = opened.type === 'opened' ? opened.issues : [opened.issue];
        this.problems.push(...(await Promise.all(issues.map((issue) => input.toProblem(issue)))));
        if (opened.type === 'failed') return null;
        const selected = opened.process.scenarios.filter((scenario) => this.#isSelected(scenario));
        await this.#prepare(selected, input);
        return opened.process;
      },
      plan: ({ scenarios: loaded }) =>
        loaded
          .filter((scenario) => this.#isSelected(scenario) && this.#files.get(scenario.name) === file)
          .flatMap((scenario) => this.#attemptsAt(scenario, file)),
    };
  }

  #isSelected({ name }: Scenario): boolean {
    const { filter } = this.#options;
    return filter === undefined || name.toLowerCase().includes(filter.toLowerCase());
  }

  /** Opens what attempts at these scenarios need, and is not open. */
  async #prepare(scenarios: readonly Scenario[], { file, lineOf }: ScenarioInput): Promise<void> {
    const { configuration, configurationFolder, signal, cwd } = this.#options;
    for (const scenario of scenarios) {
      const line = (await lineOf(scenario.name)) ?? undefined;
      const other = this.#files.get(scenario.name);
      if (other !== undefined) {
        // Both would write the same session files.
        this.problems.push(createProblem('error', 'scenario', file, sameName(scenario.name, other), { line }));
        continue;
      }
      this.#files.set(scenario.name, file);
      const chosen = chooseAgent(scenario, this.#simulation, this.#options.agent);
      if ('problem' in chosen) {
        this.problems.push(createProblem('error', 'no-agent', file, chosen.problem, { line }));
        continue;
      }
      const { agent: name } = chosen;
      const settings = this.#simulation.agents[name];
      if (settings?.type === 'replay' && !this.#recordings.has(name)) {
        const { sessions, problems } = await loadRun(
          [relative(cwd, resolve(configurationFolder, settings.file))],
          configuration,
          {
            signal,
          },
        );
        this.#recordings.set(name, sessions);
        this.problems.push(...problems);
      }
      if (!scenario.turns && settings?.type !== 'replay') this.#client ??= await this.#openSimulator();
    }
  }

  async #openSimulator(): Promise<ChatClient | null> {
    const { configuration, env, signal, onCall } = this.#options;
    const { openSimulator } = await import('./open-models.ts');
    return openSimulator(configuration, this.#simulation.simulator, env, { signal, log: onCall });
  }

  #attemptsAt(scenario: Scenario, file: string): PlannedAttempt[] {
    const simulation = this.#simulation;
    const chosen = chooseAgent(scenario, simulation, this.#options.agent);
    const name = 'agent' in chosen ? chosen.agent : null;
    const settings = name === null ? undefined : simulation.agents[name];
    // A problem says so.
    if (name === null || !settings) return [];
    const opener = this.#opener(name, settings, scenario);
    if (typeof opener === 'string') {
      this.problems.push(createProblem('error', 'no-recording', file, opener));
      return [];
    }
    const count = this.#options.attempts ?? attemptsAt(scenario, simulation);
    return Array.from({ length: count }, (_, index) => ({
      id: `${scenario.name} #${index + 1}`,
      scenario,
      trial: index + 1,
      agent: name,
      ...opener,
    }));
  }

  /** What opens the two sides of an attempt, or a sentence that says why there are none. */
  #opener(
    name: string,
    settings: AgentSettings,
    scenario: Scenario,
  ): Pick<PlannedAttempt, 'openAgent' | 'openUser'> | string {
    const { requestTimeoutMs: timeoutMs } = this.#simulation;
    switch (settings.type) {
      case 'custom':
        return { openAgent: (code) => customAgent({ name, code, timeoutMs }), openUser: () => this.#user(scenario) };
      case 'chat_completions': {
        const agent = this.#httpAgents.get(name) ?? chatCompletionsAgent(name, settings, timeoutMs);
        this.#httpAgents.set(name, agent);
        return { openAgent: () => agent, openUser: () => this.#user(scenario) };
      }
      case 'replay': {
        const recording = findRecording(this.#recordings.get(name) ?? [], scenario);
        if (!recording) {
          return `"${scenario.name}" cannot be replayed: ${settings.file} has no session of a task with this name.`;
        }
        const { turns } = scenario;
        return {
          openAgent: () => replayAgent(name, recording),
          openUser: () => (turns ? scriptedUser(turns) : replayedUser(recording)),
        };
      }
      default:
        return assertNever(settings);
    }
  }

  #user(scenario: Scenario): AttemptUser {
    if (scenario.turns) return scriptedUser(scenario.turns);
    const { maxTurns } = this.#simulation;
    const client = this.#client;
    return client ? simulatedUser({ scenario, client, maxTurns: scenario.maxTurns ?? maxTurns }) : missingUser();
  }
}

/** The recorded session of a scenario, or the only one that there is. */
function findRecording(sessions: readonly Session[], { name }: Scenario): Session | undefined {
  const [first, second] = sessions;
  return sessions.find(({ task, id }) => task?.id === name || id === name) ?? (second ? undefined : first);
}

function handlersOf(agents: SimulationSettings['agents']): Readonly<Record<string, ModuleFunction>> {
  return Object.fromEntries(
    Object.entries(agents).flatMap(([name, settings]) =>
      settings.type === 'custom' && settings.handler instanceof ModuleFunction
        ? [[name, settings.handler] as const]
        : [],
    ),
  );
}
