import { requiredModels } from '../../app/required-models.ts';
import type { Configuration } from '../../config/schema.ts';
import type { FinishedAttempt } from '../../scenarios/run-scenarios.ts';
import type { SessionResultsView } from '../results/session-results-view.ts';

/** Attempts that end within this time are evaluated together. */
const WAIT_MS = 200;
/** Most of the time is left to the agents, which may be on this machine. */
const REST_FACTOR = 2;

interface EarlyEvaluationOptions {
  readonly evaluate: (
    attempts: readonly FinishedAttempt[],
    signal: AbortSignal,
  ) => Promise<readonly SessionResultsView[]>;
  readonly onResults: (views: readonly SessionResultsView[]) => void;
}

/** Evaluates attempts while others are made. Disposing stops it. */
export class EarlyEvaluation implements Disposable {
  readonly #options: EarlyEvaluationOptions;
  readonly #stop = new AbortController();
  #waiting: FinishedAttempt[] = [];
  /** Set while attempts wait or are evaluated. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EarlyEvaluationOptions) {
    this.#options = options;
  }

  add(attempt: FinishedAttempt): void {
    if (attempt.sessionFile === null) return;
    this.#waiting.push(attempt);
    this.#schedule(WAIT_MS);
  }

  #schedule(wait: number): void {
    if (this.#waiting.length === 0 || this.#stop.signal.aborted) return;
    this.#timer ??= setTimeout(() => void this.#run(), wait);
  }

  async #run(): Promise<void> {
    const { evaluate, onResults } = this.#options;
    const { signal } = this.#stop;
    const attempts = this.#waiting;
    this.#waiting = [];
    const startedAt = performance.now();
    try {
      const views = await evaluate(attempts, signal);
      if (!signal.aborted) onResults(views);
    } catch {
      // The evaluation of the whole run says what is wrong.
    }
    this.#timer = undefined;
    this.#schedule(Math.max(WAIT_MS, REST_FACTOR * (performance.now() - startedAt)));
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }
}

/**
 * Whether rules alone decide what comes of an attempt. Models would be asked twice, and functions of the user run twice, if
 * attempts were evaluated before the run is.
 */
export function isDecidedByRules(configuration: Configuration): boolean {
  const { judge, embedder, custom } = configuration;
  const models = requiredModels(configuration);
  return (
    models.judge === null &&
    models.byMetric.size === 0 &&
    judge.provider !== 'function' &&
    (embedder.provider === 'lexical' || embedder.provider === 'none') &&
    custom.every(({ evaluate }) => evaluate === undefined)
  );
}
