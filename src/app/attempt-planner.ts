import { dirname, relative, resolve } from 'node:path';
import { expandHeaders } from '../config/environment-variables.ts';
import { locateIssuesIn } from '../config/load.ts';
import { createScenarioMetricsCheck } from '../config/scenario-metrics.ts';
import type { Configuration } from '../config/schema.ts';
import { assertNever } from '../core/assert-never.ts';
import { lazy } from '../core/cache/memoize.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { ScenarioLocation, Session } from '../core/session.ts';
import type { CallLog, ChatClient } from '../llm/chat-client.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import type { Metric } from '../metrics/metric.ts';
import { ModuleFunction } from '../sandbox/module-function.ts';
import type { Agent } from '../scenarios/agents/agent.ts';
import { chatCompletionsAgent } from '../scenarios/agents/chat-completions.ts';
import { customAgent } from '../scenarios/agents/custom.ts';
import { inProcessAgent } from '../scenarios/agents/in-process.ts';
import { openScenarioProcess, type ScenarioIssue } from '../scenarios/open-scenario-process.ts';
import type { PlannedAttempt, ScenarioFile } from '../scenarios/run-scenarios.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { simulatedUser } from '../scenarios/simulated-user.ts';
import { type AttemptUser, missingUser, scriptedUser } from '../scenarios/user.ts';
import type { Environment } from '../store/home.ts';
import { type ChosenAgent, chooseAgents } from './choose-agent.ts';
import { attemptsAt, isNamedLike, sameName } from './list-scenarios.ts';
import { loadRun } from './load-run.ts';
import { missingAgent, RECORDED_AGENT, readRecordedCases } from './recorded-cases.ts';
import { type AttemptOpeners, findRecording, notRecorded, openReplay } from './replayed-attempts.ts';
import type { ScenarioSource } from './scenario-files.ts';

/** What decides which attempts are made. */
export interface AttemptPlanOptions {
  /** Paths are relative to it. */
  readonly cwd: string;
  readonly configuration: Configuration;
  /** Its file, relative to `cwd`; null where there is none. */
  readonly configurationFile: string | null;
  /** All metrics that scenarios can name; by default the built-in ones and the configuration's own. */
  readonly metrics?: readonly Metric[] | undefined;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Instead of what each scenario says. */
  readonly attempts?: number | undefined;
  readonly agent?: string | undefined;
  /** Several: each of them tries each scenario. Instead of `agent`. */
  readonly agents?: readonly string[] | undefined;
  /** Only scenarios whose name contains it, in any case. */
  readonly filter?: string | undefined;
  /**
   * Traces whose sessions answer instead of agents on servers, by the names of scenarios: one attempt at each of them. Those
   * without a trace are not run.
   */
  readonly recordings?: ReadonlyMap<string, string> | undefined;
  /** The code waits for a debugger: one attempt at a time, without limits of time. Called with its port. */
  readonly onDebugger?: ((port: number) => void) | undefined;
  /** Whether a model may play users, asked before the first: the environment with its key, or a sentence that says why not. */
  readonly allowSimulator?: (() => Promise<Environment | string>) | undefined;
  readonly onCall?: ((call: CallLog) => void) | undefined;
  /** What the code of scenarios prints. */
  readonly log: (text: string) => void;
}

/** A file of scenarios. */
export interface ScenarioInput extends Pick<ScenarioSource, 'file' | 'scenarios' | 'cases' | 'toProblem' | 'lineOf'> {
  /** Only these; absent: all. */
  readonly names?: readonly string[] | undefined;
}

/** More attempts of an agent at a scenario. */
export interface MoreAttempts {
  readonly scenario: string;
  readonly agent: string;
  readonly attempts: number;
}

/** What a timer can wait at most. */
const NO_TIME_LIMIT = 2 ** 31 - 1;

type SimulationSettings = Configuration['simulation'];
type AgentSettings = SimulationSettings['agents'][string];

/** Decides which attempts are made at the scenarios of a file, and with what. */
export class AttemptPlanner {
  readonly problems: Problem[] = [];
  readonly #options: AttemptPlanOptions;
  /** By the path of the trace. */
  readonly #recordings = new Map<string, readonly Session[]>();
  /** Of cases of evaluation sets without an agent to try, by the names of their scenarios. */
  readonly #recordedCases = new Map<string, Session>();
  /** By agent, with the variables replaced; null where one is not set, and a problem says so. */
  readonly #headers = new Map<string, Readonly<Record<string, string>> | null>();
  readonly #httpAgents = new Map<string, Agent>();
  /** The file of each scenario. */
  readonly #files = new Map<string, string>();
  readonly #lines = new Map<string, number | undefined>();
  /** The scenario of each attempt, by the id of the attempt. */
  readonly #scenarios = new Map<string, string>();
  /** Attempts that were planned, by what begins their ids. */
  readonly #planned = new Map<string, number>();
  #client: ChatClient | null = null;
  #isSimulatorOpen = false;
  /** Why no model may play users, where one could. */
  #noSimulator: string | undefined;

  constructor(options: AttemptPlanOptions) {
    this.#options = options;
  }

  get #simulation(): SimulationSettings {
    return this.#options.configuration.simulation;
  }

  isIn(scenario: string, file: string): boolean {
    return this.#files.get(scenario) === file;
  }

  /** Where the scenario of an attempt stands. @param attempt its id */
  locateScenario(attempt: string): ScenarioLocation | undefined {
    const scenario = this.#scenarios.get(attempt) ?? '';
    const file = this.#files.get(scenario);
    return file === undefined ? undefined : { file, line: this.#lines.get(scenario) ?? null };
  }

  /** @param more instead of the attempts that each scenario begins with. */
  scenarioFile(input: ScenarioInput, more?: readonly MoreAttempts[]): ScenarioFile {
    const { file, scenarios } = input;
    let issues: readonly ScenarioIssue[] = [];
    return {
      file,
      open: async (signal) => {
        const { cwd, configuration, metrics, env, log, onDebugger } = this.#options;
        const { agents, unmockedTools } = this.#simulation;
        const table = metrics ?? allMetrics(configuration.custom);
        const opened = await openScenarioProcess({
          file: resolve(cwd, file),
          scenarios,
          handlers: handlersOf(agents),
          unmockedTools,
          checkMetrics: createScenarioMetricsCheck(configuration, table),
          env,
          envNames: this.#simulation.env,
          timeoutMs: this.#timeoutMs,
          memoryLimitMb: this.#simulation.memoryLimitMb,
          log,
          onDebugger,
          signal,
        });
        if (opened.type === 'failed') {
          if (signal.aborted) return null;
          this.problems.push(await input.toProblem(opened.issue));
          return null;
        }
        issues = opened.issues;
        return opened.process;
      },
      plan: async ({ scenarios: loaded }) => {
        const selected = loaded.filter((scenario) => this.#isSelected(scenario, input));
        // With more attempts, what is wrong with it was said before.
        if (!more) {
          this.problems.push(...(await Promise.all(issues.map((issue) => input.toProblem(issue)))));
          await this.#prepare(selected, input);
        }
        return selected
          .filter(({ name }) => this.isIn(name, file))
          .flatMap((scenario) => this.#attemptsAt(scenario, file, more));
      },
    };
  }

  /** Of a call of the user's code, in milliseconds. */
  get #timeoutMs(): number {
    return this.#options.onDebugger ? NO_TIME_LIMIT : this.#simulation.requestTimeoutMs;
  }

  #isSelected(scenario: Scenario, { names }: ScenarioInput): boolean {
    if (names && !names.includes(scenario.name)) return false;
    return isNamedLike(scenario, this.#options.filter);
  }

  /** Opens what attempts at these scenarios need, and is not open. */
  async #prepare(scenarios: readonly Scenario[], { file, lineOf, cases }: ScenarioInput): Promise<void> {
    const { configuration, cwd, signal, recordings } = this.#options;
    const readCases = lazy(() => readRecordedCases({ file, cases }, cwd, configuration, signal));
    for (const scenario of scenarios) {
      const line = (await lineOf(scenario.name)) ?? undefined;
      const other = this.#files.get(scenario.name);
      if (other !== undefined) {
        // Both would write the same session files.
        this.problems.push(createProblem('error', 'scenario', file, sameName(scenario.name, other), { line }));
        continue;
      }
      this.#files.set(scenario.name, file);
      this.#lines.set(scenario.name, line);
      if (recordings && !recordings.has(scenario.name)) {
        this.problems.push(createProblem('error', 'no-recording', file, notRecorded(scenario.name), { line }));
        continue;
      }
      for (const chosen of this.#agentsFor(scenario)) {
        if ('problem' in chosen) {
          const recorded = chosen.isNamed ? undefined : (await readCases()).get(scenario.name);
          if (recorded) this.#recordedCases.set(scenario.name, recorded);
          else this.problems.push(createProblem('error', 'no-agent', file, missingAgent(chosen, { cases }), { line }));
          continue;
        }
        const recording = this.#recordingFile(chosen.agent, scenario);
        if (recording !== null && !this.#recordings.has(recording)) {
          const { sessions, problems } = await loadRun([relative('', recording)], configuration, { signal });
          this.#recordings.set(recording, sessions);
          this.problems.push(...problems);
        }
        if (recording === null) await this.#expandHeaders(chosen.agent);
        if (!scenario.turns && recording === null && !recordings) await this.#openSimulator();
      }
    }
  }

  /** The agents that try a scenario. */
  #agentsFor(scenario: Scenario): readonly ChosenAgent[] {
    const { agent, agents = agent === undefined ? undefined : [agent], recordings } = this.#options;
    const chosen = chooseAgents(scenario, this.#simulation, agents);
    // There is one recording of it, whichever agent made it.
    return recordings ? chosen.slice(0, 1) : chosen;
  }

  /** The trace whose sessions answer instead of an agent; null where the agent is asked. */
  #recordingFile(agent: string, { name }: Scenario): string | null {
    const { recordings, configurationFile, cwd } = this.#options;
    const recorded = recordings?.get(name);
    if (recorded !== undefined) return recorded;
    const settings = this.#simulation.agents[agent];
    return settings?.type === 'replay' ? resolve(cwd, dirname(configurationFile ?? ''), settings.file) : null;
  }

  async #expandHeaders(agent: string): Promise<void> {
    const { configurationFile, cwd, env } = this.#options;
    const settings = this.#simulation.agents[agent];
    if (settings?.type !== 'chat_completions' || this.#headers.has(agent)) return;
    const { headers, issues } = expandHeaders(agent, settings.headers ?? {}, env);
    this.#headers.set(agent, issues.length > 0 ? null : headers);
    this.problems.push(...(await locateIssuesIn(configurationFile, issues, cwd)));
  }

  async #openSimulator(): Promise<void> {
    const { configuration, env, signal, onCall, allowSimulator } = this.#options;
    if (this.#isSimulatorOpen) return;
    this.#isSimulatorOpen = true;
    const allowed = allowSimulator ? await allowSimulator() : env;
    if (typeof allowed === 'string') {
      this.#noSimulator = allowed;
      return;
    }
    const { openSimulator } = await import('./open-models.ts');
    this.#client = await openSimulator(configuration, allowed, { signal, log: onCall });
  }

  #attemptsAt(scenario: Scenario, file: string, more?: readonly MoreAttempts[]): PlannedAttempt[] {
    const simulation = this.#simulation;
    const recorded = this.#recordedCases.get(scenario.name);
    if (recorded) {
      const replay = openReplay(RECORDED_AGENT, recorded, scenario);
      return this.#attemptsOf(RECORDED_AGENT, scenario, replay, { subject: scenario.name, more });
    }
    // Those without an agent have a problem that says so.
    const agents = this.#agentsFor(scenario).flatMap((chosen) => ('agent' in chosen ? [chosen.agent] : []));
    const { recordings } = this.#options;
    return agents.flatMap((name) => {
      const settings = simulation.agents[name];
      if (!settings || (recordings && !recordings.has(scenario.name)) || this.#headers.get(name) === null) return [];
      const openers = this.#opener(name, settings, scenario);
      if (typeof openers === 'string') {
        this.problems.push(
          createProblem('error', 'no-recording', file, openers, { line: this.#lines.get(scenario.name) }),
        );
        return [];
      }
      const subject = agents.length === 1 ? scenario.name : `${scenario.name} (${name})`;
      return this.#attemptsOf(name, scenario, openers, { subject, more });
    });
  }

  /** @param subject unique in the run: what begins the ids of the attempts. */
  #attemptsOf(
    agent: string,
    scenario: Scenario,
    openers: AttemptOpeners,
    { subject, more }: { readonly subject: string; readonly more: readonly MoreAttempts[] | undefined },
  ): PlannedAttempt[] {
    const { attempts, recordings } = this.#options;
    const first = recordings ? 1 : (attempts ?? attemptsAt(scenario, this.#simulation));
    const asked = more?.find((one) => one.scenario === scenario.name && one.agent === agent);
    const count = more ? (asked?.attempts ?? 0) : first;
    const before = this.#planned.get(subject) ?? 0;
    this.#planned.set(subject, before + count);
    return Array.from({ length: count }, (_, index) => {
      const trial = before + index + 1;
      const id = `${subject} #${trial}`;
      this.#scenarios.set(id, scenario.name);
      return { id, scenario, trial, agent, ...openers };
    });
  }

  /** What opens the two sides of an attempt, or a sentence that says why there are none. */
  #opener(name: string, settings: AgentSettings, scenario: Scenario): AttemptOpeners | string {
    const recording = this.#recordingFile(name, scenario);
    const replay = recording === null ? null : this.#replay(name, recording, scenario);
    if (typeof replay === 'string') return replay;
    const { requestTimeoutMs } = this.#simulation;
    switch (settings.type) {
      case 'custom': {
        const { handler } = settings;
        const { unmockedTools } = this.#simulation;
        return {
          openAgent: (code, conversationId) =>
            typeof handler === 'function'
              ? inProcessAgent({
                  name,
                  code,
                  timeoutMs: this.#timeoutMs,
                  handler,
                  scenarioName: scenario.name,
                  conversationId,
                  unmockedTools,
                })
              : customAgent({ name, code, timeoutMs: this.#timeoutMs }),
          // A handler is code of the user's, which a replay runs too.
          openUser: replay?.openUser ?? (() => this.#user(scenario)),
        };
      }
      case 'chat_completions': {
        if (replay) return replay;
        const headers = this.#headers.get(name) ?? {};
        const agent =
          this.#httpAgents.get(name) ?? chatCompletionsAgent(name, { ...settings, headers }, requestTimeoutMs);
        this.#httpAgents.set(name, agent);
        return { openAgent: () => agent, openUser: () => this.#user(scenario) };
      }
      case 'replay':
        return replay ?? notRecorded(scenario.name);
      default:
        return assertNever(settings);
    }
  }

  #replay(name: string, file: string, scenario: Scenario): AttemptOpeners | string {
    const settings = this.#simulation.agents[name];
    const isChosen = settings?.type === 'replay' && !this.#options.recordings;
    const wanted = isChosen ? settings.session : undefined;
    const recording = findRecording(this.#recordings.get(file) ?? [], scenario, wanted);
    if (recording) return openReplay(name, recording, scenario);
    const shown = relative(this.#options.cwd, file);
    const which = wanted === undefined ? 'of a task with this name' : `"${wanted}"`;
    return `"${scenario.name}" cannot be replayed: ${shown} has no session ${which}.`;
  }

  #user(scenario: Scenario): AttemptUser {
    if (scenario.turns) return scriptedUser(scenario.turns);
    const { maxTurns } = this.#simulation;
    const client = this.#client;
    return client
      ? simulatedUser({ scenario, client, maxTurns: scenario.maxTurns ?? maxTurns })
      : missingUser(this.#noSimulator);
  }
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
