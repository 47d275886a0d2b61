import { pathToFileURL } from 'node:url';
import type { Connection } from 'vscode-languageserver/node';
import { type ATTEMPT_PHASES, type RunningScenario, scenarioProgress } from '../../protocol/scenarios.ts';
import type { AttemptIdentity } from '../../scenarios/session-file.ts';

type Phase = (typeof ATTEMPT_PHASES)[number];

/** At most 20 a second. */
const INTERVAL_MS = 50;
/** Of what the code prints between two notifications. */
const MAX_OUTPUT_CHARACTERS = 65_536;

/** Tells the editor how a run of scenarios goes on. */
export class ScenarioProgress implements Disposable {
  readonly #connection: Pick<Connection, 'sendNotification'>;
  readonly #run: string;
  /** Phases that were not told. */
  readonly #attempts = new Map<string, { uri: string; name: string; trial: number; agent: string; phase: Phase }>();
  /** Results that were not told, by scenario. */
  readonly #results = new Map<string, RunningScenario>();
  #counts = { done: 0, of: 0 };
  #output = '';
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param run as the editor names it. */
  constructor(connection: Pick<Connection, 'sendNotification'>, run: string) {
    this.#connection = connection;
    this.#run = run;
  }

  plan(attempts: number): void {
    this.#counts.of += attempts;
    this.#tellSoon();
  }

  setPhase(
    file: string,
    { scenario, trial, agent }: Pick<AttemptIdentity, 'scenario' | 'trial' | 'agent'>,
    phase: Phase,
  ): void {
    const uri = pathToFileURL(file).href;
    const { name } = scenario;
    this.#attempts.set(JSON.stringify([file, name, trial, agent]), { uri, name, trial, agent, phase });
    if (phase === 'evaluating') this.#counts.done += 1;
    this.#tellSoon();
  }

  showResult(result: RunningScenario): void {
    this.#results.set(JSON.stringify([result.uri, result.name]), result);
    this.#tellSoon();
  }

  print(text: string): void {
    this.#output = (this.#output + text).slice(0, MAX_OUTPUT_CHARACTERS);
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#isOver) return;
    this.#timer ??= setTimeout(() => this.#tell(), INTERVAL_MS);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const attempts = [...this.#attempts.values()];
    const results = [...this.#results.values()];
    const output = this.#output;
    this.#attempts.clear();
    this.#results.clear();
    this.#output = '';
    const params = { run: this.#run, attempts, ...this.#counts, output, ...(results.length > 0 && { results }) };
    // A closed connection cannot be notified.
    this.#connection.sendNotification(scenarioProgress.method, params).catch(() => {});
  }

  /** What was not told is told at once: it comes before the answer to the request. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#timer) this.#tell();
  }
}
