import { fileURLToPath } from 'node:url';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import type { Configuration, ConfigurationInput } from '../config/schema.ts';
import type { Report } from '../core/report.ts';
import type { RunEvent } from '../engine/events.ts';
import type { Files } from '../input/files.ts';
import type { CancellationToken } from '../protocol/request.ts';
import { type Evaluation, Job } from './job.ts';
import { Landing, type LandingParts, type ReadSessions } from './landing.ts';
import { Paced } from './paced.ts';

export type { Evaluation } from './job.ts';

/** The part of the library that an evaluation in the editor uses. */
export type EvaluateFiles = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: {
    readonly signal: AbortSignal;
    readonly files?: Files;
    readonly onFile: (file: string) => void;
    readonly onRead?: (read: ReadSessions) => void;
    readonly onResult: (event: RunEvent) => void;
    /** While a person has the word: what it waits for. */
    readonly onWait?: (what: string) => void;
  },
) => Promise<ReadSessions & { readonly report: Report }>;

interface EvaluatorParts extends LandingParts {
  readonly evaluateFiles: EvaluateFiles;
  /** What is held of these files has changed. */
  readonly refresh: (paths: Iterable<string>, when: 'now' | 'soon') => void;
  /**
   * An evaluation has ended. @param touched files of which something else is held now. @param paths of files and folders of
   * which all is held now that is in them.
   */
  readonly onLanded: (touched: readonly string[], paths: readonly string[]) => void;
}

/** Evaluates files one request after the other, so that of two results of a file the later request's stays. */
export class Evaluator {
  readonly #parts: EvaluatorParts;
  /** What has not begun. */
  readonly #waiting = new Set<Job>();
  #running: { readonly job: Job; readonly landing: Landing } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /**
   * Joins an evaluation of the same files that has not begun yet. Rejects for what nobody expected only; cancelling gives an
   * incomplete evaluation within a second.
   */
  evaluate(uris: readonly string[], progress: WorkDoneProgressReporter, token: CancellationToken): Promise<Evaluation> {
    const paths = uris.map((uri) => fileURLToPath(uri));
    const waiting = [...this.#waiting].find((job) => job.covers(paths)) ?? this.#enqueue(paths);
    return waiting.join(progress, token);
  }

  /** Whether a file is being evaluated as it is on disk, or is about to be. */
  isEvaluating(path: string): boolean {
    if ([...this.#waiting].some((job) => job.isAbout(path))) return true;
    const running = this.#running;
    return running ? running.job.isAbout(path) && running.landing.isCurrent(path) : false;
  }

  #enqueue(paths: readonly string[]): Job {
    const job = new Job(paths, (started) => this.#evaluate(started));
    this.#waiting.add(job);
    this.#last = this.#last.then(() => {
      this.#waiting.delete(job);
      return job.run();
    });
    return job;
  }

  async #evaluate(job: Job): Promise<Evaluation> {
    const { paths, signal } = job;
    const { evaluateFiles, refresh, onLanded } = this.#parts;
    const landing = new Landing(this.#parts);
    this.#running = { job, landing };
    using shown = new Paced(() => refresh(landing.show(), 'soon'));
    const withdraw = () => {
      shown[Symbol.dispose]();
      refresh(landing.withdraw(), 'now');
    };
    job.onImpatience(withdraw);
    try {
      await landing.begin(paths);
      const { report, ...read } = await evaluateFiles(
        paths,
        {},
        {
          signal,
          files: landing.files,
          onRead: landing.onRead,
          onFile: () => job.tellFile(),
          onWait: (what) => job.tellWait(what),
          onResult: (event) => {
            // What is told of what was stopped is that it was.
            if (signal.aborted) return;
            landing.onResult(event);
            shown.soon();
            job.tellResult(event);
          },
        },
      );
      shown[Symbol.dispose]();
      const { rows, touched } = await landing.land(paths, report, read);
      refresh(touched, 'now');
      onLanded(touched, report.run.complete ? paths : []);
      return {
        complete: report.run.complete,
        sessions: rows.sessions.length,
        problems: rows.problems.map(({ row }) => row),
      };
    } finally {
      withdraw();
      this.#running = undefined;
    }
  }
}
