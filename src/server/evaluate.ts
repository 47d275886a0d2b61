import { fileURLToPath } from 'node:url';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import type { Configuration, ConfigurationInput } from '../config/schema.ts';
import type { Report } from '../core/report.ts';
import type { Session } from '../core/session.ts';
import type { RunEvent } from '../engine/events.ts';
import type { Locator } from '../input/load.ts';
import type { ProblemRow } from '../protocol/messages.ts';
import type { CancellationToken } from '../protocol/request.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Results } from './results.ts';
import { rowsOf } from './rows.ts';

/** The part of the library that an evaluation in the editor uses. */
export type EvaluateFiles = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: {
    readonly signal: AbortSignal;
    readonly onFile: (file: string) => void;
    readonly onResult: (event: RunEvent) => void;
  },
) => Promise<{ readonly report: Report; readonly sessions: readonly Session[]; readonly locator: Locator }>;

export interface Evaluation {
  readonly complete: boolean;
  readonly sessions: number;
  readonly problems: readonly ProblemRow[];
}

/** Progress is for a person: more often than this it only costs. */
const PROGRESS_INTERVAL_MS = 100;

/** Evaluates files one request after the other, so that of two results of a file the later request's stays. */
export class Evaluator {
  readonly #evaluateFiles: EvaluateFiles;
  readonly #results: Results;
  readonly #diagnostics: Diagnostics;
  #last: Promise<unknown> = Promise.resolve();

  constructor(evaluateFiles: EvaluateFiles, results: Results, diagnostics: Diagnostics) {
    this.#evaluateFiles = evaluateFiles;
    this.#results = results;
    this.#diagnostics = diagnostics;
  }

  /** Rejects for what nobody expected only; cancelling gives an incomplete evaluation. */
  evaluate(uris: readonly string[], progress: WorkDoneProgressReporter, token: CancellationToken): Promise<Evaluation> {
    const mine = this.#last.then(() =>
      this.#evaluate(
        uris.map((uri) => fileURLToPath(uri)),
        progress,
        token,
      ),
    );
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #evaluate(
    paths: readonly string[],
    progress: WorkDoneProgressReporter,
    token: CancellationToken,
  ): Promise<Evaluation> {
    const stop = new AbortController();
    const listener = token.onCancellationRequested(() => stop.abort());
    if (token.isCancellationRequested) stop.abort();
    progress.begin('Evaluating');
    try {
      const options = { signal: stop.signal, ...tell(progress) };
      const { report, sessions, locator } = await this.#evaluateFiles(paths, {}, options);
      const rows = rowsOf(report, locator, sessions);
      this.#results.replace(paths, rows);
      await this.#diagnostics.show(this.#results.failuresByUri());
      return {
        complete: report.run.complete,
        sessions: rows.sessions.length,
        problems: rows.problems.map(({ row }) => row),
      };
    } catch (error) {
      if (stop.signal.aborted) return { complete: false, sessions: 0, problems: [] };
      throw error;
    } finally {
      listener.dispose();
      progress.done();
    }
  }
}

function tell(progress: WorkDoneProgressReporter): {
  onFile: (file: string) => void;
  onResult: (event: RunEvent) => void;
} {
  let files = 0;
  let next = 0;
  const isDue = (): boolean => {
    const now = performance.now();
    if (now < next) return false;
    next = now + PROGRESS_INTERVAL_MS;
    return true;
  };
  return {
    onFile: () => {
      files += 1;
      if (isDue()) progress.report(files === 1 ? '1 file read' : `${files} files read`);
    },
    onResult: (event) => {
      if (event.type !== 'turn' || !isDue()) return;
      progress.report(Math.round((100 * event.done) / event.of), `${event.done} of ${event.of} turns`);
    },
  };
}
