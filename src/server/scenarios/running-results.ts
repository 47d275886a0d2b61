import type { FinishedAttempt } from '../../scenarios/run-scenarios.ts';
import type { AttemptIdentity } from '../../scenarios/session-file.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';
import type { StoredScenarioResult } from './attempt-results.ts';
import { buildScenarioResult } from './scenario-result.ts';

interface RunningResultsOptions {
  /** Paths of attempts are relative to it. */
  readonly project: string;
  /** In milliseconds of the epoch. */
  readonly startedAt: number;
  /** @param pending attempts of the scenario that are not evaluated yet. */
  readonly show: (result: StoredScenarioResult, pending: number) => void;
}

interface RunningAttempts {
  readonly planned: readonly AttemptIdentity[];
  /** By their ids: those that are evaluated, or cannot be. */
  readonly known: Map<string, FinishedAttempt>;
}

/** The results of a run that goes on: attempts count as soon as they are evaluated. */
export class RunningResults {
  readonly #options: RunningResultsOptions;
  /** Of each scenario, by the ids of its attempts. */
  readonly #scenarios = new Map<string, RunningAttempts>();
  /** By their session files. */
  readonly #finished = new Map<string, FinishedAttempt>();
  readonly #views = new Map<string, SessionResultsView>();

  constructor(options: RunningResultsOptions) {
    this.#options = options;
  }

  plan(attempts: readonly AttemptIdentity[]): void {
    for (const planned of Map.groupBy(attempts, ({ scenario }) => scenario.name).values()) {
      const scenario: RunningAttempts = { planned, known: new Map() };
      for (const { id } of planned) this.#scenarios.set(id, scenario);
    }
  }

  finish(attempt: FinishedAttempt): void {
    // There is nothing to evaluate.
    if (attempt.sessionFile === null) this.#show([attempt]);
    else this.#finished.set(attempt.sessionFile, attempt);
  }

  /** Sessions were evaluated. @returns their attempts: those that were not known to be evaluated. */
  evaluate(views: readonly SessionResultsView[]): readonly FinishedAttempt[] {
    const attempts = views.flatMap((view) => {
      const attempt = this.#finished.get(view.file);
      if (!attempt || this.#views.has(view.file)) return [];
      this.#views.set(view.file, view);
      return attempt;
    });
    this.#show(attempts);
    return attempts;
  }

  #show(attempts: readonly FinishedAttempt[]): void {
    const { project, startedAt, show } = this.#options;
    const changed = new Set<RunningAttempts>();
    for (const attempt of attempts) {
      const scenario = this.#scenarios.get(attempt.id);
      scenario?.known.set(attempt.id, attempt);
      if (scenario) changed.add(scenario);
    }
    for (const { planned, known } of changed) {
      const own = planned.flatMap(({ id }) => known.get(id) ?? []);
      const result = buildScenarioResult(own, {
        project,
        startedAt,
        finishedAt: new Date(),
        run: null,
        viewOf: (file) => this.#views.get(file),
      });
      if (result) show(result, planned.length - own.length);
    }
  }
}
