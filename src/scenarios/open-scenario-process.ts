import { basename } from 'node:path';
import type { CheckScenarioMetrics } from '../config/scenario-metrics.ts';
import { configIssue } from '../config/schema-errors.ts';
import { assertNever } from '../core/assert-never.ts';
import type { JsonObject } from '../core/json.ts';
import { errorLocation } from '../sandbox/error-location.ts';
import type { ModuleFunction } from '../sandbox/module-function.ts';
import { type CheckedScenario, checkScenario } from './check-scenario.ts';
import { childEnvironment } from './child-environment.ts';
import type { ScenarioLoadRequest } from './child-messages.ts';
import type { Scenario } from './scenario.ts';
import { type CodeResult, ScenarioHost, type ScenarioHostOptions } from './scenario-host.ts';
import {
  type AgentChatMessage,
  type AttemptCode,
  AttemptFailed,
  AttemptInterrupted,
  type HandlerCall,
  type ScenarioProcess,
  type ToolAnswer,
} from './scenario-process.ts';

export interface OpenScenarioOptions {
  /** Absolute. */
  readonly file: string;
  /** What is in the file, where it is data; null: the file is code, and is run. */
  readonly scenarios: readonly { readonly name: string; readonly options: JsonObject }[] | null;
  /** The functions of agents, by the agents' keys. */
  readonly handlers: Readonly<Record<string, ModuleFunction>>;
  readonly unmockedTools: 'error' | 'passthrough';
  /** By default nothing is said about metrics. */
  readonly checkMetrics?: CheckScenarioMetrics | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that the code gets beside the usual ones. */
  readonly envNames: readonly string[];
  /** Of one call of a tool or a handler. */
  readonly timeoutMs: number;
  readonly memoryLimitMb: number;
  /** Gets what the code prints. */
  readonly log: (text: string) => void;
  /** The process waits for a debugger, at the port that this is called with, before it loads the file. */
  readonly onDebugger?: ((port: number) => void) | undefined;
  /** Aborting ends the process at once while it loads the file. */
  readonly signal?: AbortSignal | undefined;
}

/** Something wrong in a scenario file. */
export interface ScenarioIssue {
  readonly severity: 'error' | 'warning';
  /** A sentence. */
  readonly message: string;
  /** Null where it is about the file. */
  readonly scenario: string | null;
  /** Where in the scenario's options. */
  readonly path: CheckedScenario['issues'][number]['path'];
  /** Where in the file, from 1, when the error says so. */
  readonly line: number | null;
}

/** @see openScenarioProcess */
export type OpenedScenarios =
  | { readonly type: 'opened'; readonly process: ScenarioProcess; readonly issues: readonly ScenarioIssue[] }
  | { readonly type: 'failed'; readonly issue: ScenarioIssue };

const LOAD_TIMEOUT_MS = 30_000;

/**
 * Loads a scenario file in a process of its own, freshly. Never rejects.
 *
 * When the process ends while attempts run, the attempt that ended it fails; the others are interrupted, and get a fresh
 * process when they are opened again. Where it is not known which one it was, each gets a process for itself.
 */
export async function openScenarioProcess(options: OpenScenarioOptions): Promise<OpenedScenarios> {
  const { file, scenarios, handlers, unmockedTools, env, envNames } = options;
  const load: ScenarioLoadRequest = {
    file,
    scenarios: scenarios?.map(({ name, options: own }) => ({ name, options: own })) ?? null,
    handlers: Object.fromEntries(
      Object.entries(handlers).map(([agent, { file: module, path }]) => [agent, { file: module, path: [...path] }]),
    ),
    unmockedTools,
  };
  const loadTimeoutMs = options.onDebugger ? Math.max(LOAD_TIMEOUT_MS, options.timeoutMs) : LOAD_TIMEOUT_MS;
  const host = { ...options, load, env: childEnvironment(env, envNames), loadTimeoutMs };
  const first = new ScenarioHost(host);
  const stop = () => void first[Symbol.asyncDispose]();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  const loaded = await first.load().finally(() => options.signal?.removeEventListener('abort', stop));
  if (loaded.type === 'failed') {
    await first[Symbol.asyncDispose]();
    return { type: 'failed', issue: loadIssue(file, loaded) };
  }
  const issues = loaded.problems.map((problem): ScenarioIssue => ({ ...problem, path: [], line: null }));
  const checked = checkScenarios(loaded.scenarios, options.checkMetrics);
  const process = new SupervisedProcess(checked.scenarios, host, first);
  return { type: 'opened', process, issues: [...issues, ...checked.issues] };
}

function loadIssue(
  file: string,
  { message, stack }: { readonly message: string; readonly stack: string },
): ScenarioIssue {
  const line = errorLocation(file, { message, stack })?.line ?? null;
  const said = message.replaceAll(file, basename(file)).split('\n', 1)[0] ?? '';
  const sentence = /[.!?]$/.test(said) ? said : `${said}.`;
  return { severity: 'error', message: `The file could not be loaded: ${sentence}`, scenario: null, path: [], line };
}

/** Of several scenarios with one name, none can be told from the others: the first is kept. */
export function checkScenarios(
  raw: readonly JsonObject[],
  checkMetrics?: CheckScenarioMetrics,
): {
  readonly scenarios: readonly Scenario[];
  readonly issues: readonly ScenarioIssue[];
} {
  const scenarios = new Map<string, Scenario>();
  const issues: ScenarioIssue[] = [];
  for (const one of raw) {
    const checked = checkScenario(one, checkMetrics);
    const name = typeof one.name === 'string' ? one.name : null;
    const isDuplicate = checked.scenario !== null && scenarios.has(checked.scenario.name);
    if (checked.scenario && !isDuplicate) scenarios.set(checked.scenario.name, checked.scenario);
    const duplicate = configIssue(['name'], `Two scenarios of this file are named "${name}". Give each its own name.`);
    for (const issue of isDuplicate ? [...checked.issues, duplicate] : checked.issues) {
      issues.push({ ...issue, scenario: name, line: null });
    }
  }
  return { scenarios: [...scenarios.values()], issues };
}

interface StartedHost {
  readonly host: ScenarioHost;
  /** Resolves with why it could not be loaded, or null. */
  readonly ready: Promise<string | null>;
}

class SupervisedProcess implements ScenarioProcess {
  readonly scenarios: readonly Scenario[];
  readonly #options: ScenarioHostOptions;
  /** All that were started. */
  readonly #hosts = new Set<ScenarioHost>();
  readonly #suspects = new Set<string>();
  #shared: StartedHost;

  constructor(scenarios: readonly Scenario[], options: ScenarioHostOptions, first: ScenarioHost) {
    this.scenarios = scenarios;
    this.#options = options;
    this.#shared = { host: first, ready: Promise.resolve(null) };
    this.#hosts.add(first);
  }

  openAttempt(name: string, conversationId: string): AttemptCode {
    if (this.#shared.host.ended !== null) {
      for (const suspect of this.#shared.host.suspects) this.#suspects.add(suspect);
      this.#shared = this.#start();
    }
    const isAlone = this.#suspects.has(conversationId);
    const { host, ready } = isAlone ? this.#start() : this.#shared;
    const release = isAlone ? () => void host[Symbol.asyncDispose]() : () => {};
    return new ProcessAttempt({ host, ready, release }, name, conversationId);
  }

  /** A fresh process. */
  #start(): StartedHost {
    const host = new ScenarioHost(this.#options);
    this.#hosts.add(host);
    const ready = host.load().then((loaded) => (loaded.type === 'failed' ? loaded.message : null));
    return { host, ready };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => host[Symbol.asyncDispose]()));
  }
}

interface AttemptHost extends StartedHost {
  readonly release: () => void;
}

class ProcessAttempt implements AttemptCode {
  readonly #host: AttemptHost;
  readonly #scenario: string;
  readonly #conversationId: string;
  #output = '';

  constructor(host: AttemptHost, scenario: string, conversationId: string) {
    this.#host = host;
    this.#scenario = scenario;
    this.#conversationId = conversationId;
  }

  async resolveTool(
    name: string,
    args: JsonObject,
    { turnIndex }: { readonly turnIndex: number },
  ): Promise<ToolAnswer> {
    const result = await this.#request({ type: 'tool', at: this.#at(turnIndex), name, args });
    return result.type === 'tool' ? result.answer : fail(result);
  }

  async callHandler(
    agent: string,
    messages: readonly AgentChatMessage[],
    { turnIndex }: { readonly turnIndex: number },
  ): ReturnType<AttemptCode['callHandler']> {
    const calls: HandlerCall[] = [];
    const at = this.#at(turnIndex);
    const result = await this.#request({ type: 'handler', at, agent, messages: [...messages] }, calls);
    if (result.type === 'handler') return { calls, reply: result.reply };
    if (result.type === 'broken') return { calls, reply: { type: 'failed', reason: result.reason } };
    return fail(result);
  }

  async finalState(): Promise<unknown> {
    const result = await this.#request({ type: 'state', at: this.#at(0) });
    return result.type === 'state' ? result.state : fail(result);
  }

  output(): string {
    return this.#output || this.#host.host.output(this.#conversationId);
  }

  [Symbol.dispose](): void {
    this.#output = this.output();
    this.#host.host.close(this.#conversationId);
    this.#host.release();
  }

  #at(turnIndex: number) {
    return { conversationId: this.#conversationId, scenario: this.#scenario, turnIndex };
  }

  async #request(...request: Parameters<ScenarioHost['request']>): Promise<CodeResult> {
    const { host, ready } = this.#host;
    const failure = await ready;
    if (failure !== null) throw new AttemptFailed(failure);
    return host.request(...request);
  }
}

/** @throws AttemptFailed or AttemptInterrupted */
function fail(result: CodeResult): never {
  switch (result.type) {
    case 'broken':
      throw new AttemptFailed(result.reason);
    case 'interrupted':
      throw new AttemptInterrupted(result.reason);
    case 'tool':
    case 'handler':
    case 'state':
      throw new TypeError(`An answer of the wrong kind: ${result.type}`);
    default:
      return assertNever(result);
  }
}
