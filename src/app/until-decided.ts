import { relative } from 'node:path';
import type { Configuration } from '../config/schema.ts';
import { raceAbort } from '../core/async/race-abort.ts';
import { memoize } from '../core/cache/memoize.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { RunPlan } from '../core/run-plan.ts';
import { meetsThreshold } from '../core/scoring.ts';
import { pluralize } from '../core/text/pluralize.ts';
import type { RunEvent } from '../engine/events.ts';
import { attemptsGate } from '../engine/plan.ts';
import type { Estimator } from '../metrics/attempts/pass-at-k.ts';
import { gatedEstimate } from '../metrics/attempts/task-attempts.ts';
import type { FinishedAttempt } from '../scenarios/run-scenarios.ts';
import { createSequentialTest, type SequentialTest } from '../stats/sequential-test.ts';
import type { MoreAttempts } from './attempt-planner.ts';
import type { OpenScenarioRun } from './run-scenarios.ts';

export interface UntilDecidedOptions {
  /** Paths of session files are relative to it. */
  readonly cwd: string;
  /** The most attempts of an agent at a scenario. */
  readonly limit: number;
  readonly configuration: Configuration;
  readonly estimator: Estimator | null;
  readonly signal: AbortSignal;
}

/** The attempts of an agent at a scenario. */
interface AttemptTally {
  readonly scenario: string;
  readonly agent: string;
  readonly file: string;
  made: number;
  /** Of those, the ones that say whether the agent succeeds. */
  known: number;
  successes: number;
}

/**
 * Makes attempts in rounds until the gate on each scenario is decided, by a sequential test: each round is evaluated, as part of
 * one run, before the next one is planned. Attempts that ended in an error, or say nothing, decide nothing and count for the limit.
 */
export class AttemptRounds {
  readonly #options: UntilDecidedOptions;
  /** Null: every attempt has to pass. */
  readonly #gate: RunPlan['gates']['attempts'];
  readonly #testWithout: (undecided: number) => SequentialTest;
  readonly #tallies = new Map<string, AttemptTally>();
  readonly #unevaluated = new Set<string>();
  #onEvaluated: (() => void) | null = null;

  constructor(options: UntilDecidedOptions) {
    this.#options = options;
    this.#gate = attemptsGate(options.configuration);
    const { limit } = options;
    this.#testWithout = memoize((undecided: number) =>
      createSequentialTest({ limit: limit - undecided, isMet: (n, c) => this.#isMet(n, c, undecided) }),
    );
  }

  /** Attempts in the first round at each scenario; 0 where the gate needs more than the limit. */
  get first(): number {
    return this.#isMet(this.#options.limit, this.#options.limit, 0) === null ? 0 : this.#testWithout(0).next(0, 0);
  }

  /** What the gate says of attempts of which so many are known; null where it says nothing. */
  #isMet(attempts: number, successes: number, undecided: number): boolean | null {
    const gate = this.#gate;
    if (!gate) return successes < attempts ? false : undecided === 0 || null;
    const { value } = gatedEstimate({ n: attempts, c: successes }, gate, this.#options.estimator);
    return value === null ? null : meetsThreshold(value, gate.value);
  }

  /** The session files of all rounds, to be evaluated one after the other. @param first the attempts of the first round. */
  async *files(first: readonly FinishedAttempt[], run: Pick<OpenScenarioRun, 'attempt'>): AsyncGenerator<string, void> {
    const { cwd, signal } = this.#options;
    let round = first;
    while (round.length > 0) {
      for (const attempt of round) {
        this.#tallyOf(attempt.scenario.name, attempt.agent, attempt.file).made += 1;
        if (attempt.sessionFile !== null) yield relative(cwd, attempt.sessionFile);
      }
      // The reader asks for the next file when it has read all files before.
      await raceAbort(this.#evaluated(), signal);
      if (signal.aborted) return;
      const more = this.#plan();
      round = more.length === 0 ? [] : await run.attempt(more);
    }
  }

  /** To be called with each session that was read. */
  onSession({ id }: { readonly id: string }): void {
    this.#unevaluated.add(id);
  }

  /** To be called with the events of the evaluation. */
  onResult(event: RunEvent): void {
    if (event.type !== 'session') return;
    const { id, task, verdict } = event.session;
    const isSuccess = this.#gate ? event.isCorrect : verdict === 'undecided' ? null : verdict === 'passed';
    const tally = this.#tallies.get(tallyKey(task?.id ?? '', task?.agent ?? ''));
    if (tally && isSuccess !== null) {
      tally.known += 1;
      tally.successes += Number(isSuccess);
    }
    this.#unevaluated.delete(id);
    if (this.#unevaluated.size === 0) this.#onEvaluated?.();
  }

  #evaluated(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEvaluated = resolve;
      if (this.#unevaluated.size === 0) resolve();
    });
  }

  #plan(): MoreAttempts[] {
    return [...this.#tallies.values()].flatMap(({ scenario, agent, made, known, successes }) => {
      const attempts = this.#testWithout(made - known).next(known, successes);
      return attempts === 0 ? [] : [{ scenario, agent, attempts }];
    });
  }

  #tallyOf(scenario: string, agent: string, file: string): AttemptTally {
    const key = tallyKey(scenario, agent);
    const tally = this.#tallies.get(key) ?? { scenario, agent, file, made: 0, known: 0, successes: 0 };
    this.#tallies.set(key, tally);
    return tally;
  }

  /** A warning for each scenario that no attempt decided. */
  problems(): Problem[] {
    return [...this.#tallies.values()].flatMap(({ scenario, file, made, known, successes }) => {
      if (this.#testWithout(made - known).decide(known, successes) !== null) return [];
      const attempts = pluralize(made, 'attempt');
      const message = `"${scenario}" is not decided after ${attempts}: ${made - known} of them ended in an error, or nothing says whether they succeeded.`;
      return [createProblem('warning', 'attempts-undecided', file, message)];
    });
  }

  /** A sentence. */
  summary(): string {
    const tallies = [...this.#tallies.values()];
    const made = tallies.reduce((sum, tally) => sum + tally.made, 0);
    return `Made ${pluralize(made, 'attempt')} of at most ${this.#options.limit * tallies.length}.`;
  }
}

function tallyKey(scenario: string, agent: string): string {
  return JSON.stringify([scenario, agent]);
}
