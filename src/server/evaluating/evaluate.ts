import { fileURLToPath } from 'node:url';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import type { Configuration, ConfigurationInput } from '../../config/schema.ts';
import type { Report } from '../../core/report.ts';
import type { RunEvent } from '../../engine/events.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { CancellationToken } from '../../protocol/request.ts';
import { Paced } from '../paced.ts';
import { FilesOfGroup, type Group, Grouping } from './grouping.ts';
import { type Evaluation, Job } from './job.ts';
import { Landing, type LandingParts, type ReadSessions } from './landing.ts';
import { outageOf } from './outage.ts';
import { type Place, Queue } from './queue.ts';
import { type Log, RunLog } from './run-log.ts';
import { filesBeside, present } from './whole-sessions.ts';

export type { Evaluation } from './job.ts';

/** The part of the library that an evaluation in the editor uses. */
export type EvaluateFiles = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: {
    readonly signal: AbortSignal;
    readonly files?: FileSystem;
    readonly onFile: (file: string) => void;
    readonly onRead?: (read: ReadSessions) => void;
    readonly onResult: (event: RunEvent) => void;
    /** A person has the word: what it waits for. Others are evaluated meanwhile. */
    readonly onWait?: (what: string) => void;
    /** Awaited before it goes on: others may not be done. */
    readonly resume?: () => Promise<void>;
  },
) => Promise<ReadSessions & { readonly report: Report }>;

interface EvaluatorParts extends LandingParts {
  readonly evaluateFiles: EvaluateFiles;
  /** What is held of these files has changed. */
  readonly refresh: (paths: Iterable<string>, when: 'now' | 'soon') => void;
  readonly log: Log;
  /** Something else is held now of these files. */
  readonly onLanded: (touched: readonly string[]) => void;
  /** All is held now that is in these files and folders. */
  readonly onComplete: (paths: readonly string[]) => void;
}

/** What is being evaluated, and how far it is. */
interface Running {
  readonly job: Job;
  readonly place: Place;
  readonly log: RunLog;
  /** Of the group of files that is read and evaluated now. */
  landing: Landing | null;
}

/**
 * Evaluates files one request after the other, so that of two results of a file the later request's stays. Only one that waits
 * for a person lets others go before.
 */
export class Evaluator {
  readonly #parts: EvaluatorParts;
  /** What has not begun. */
  readonly #waiting = new Set<Job>();
  readonly #running = new Set<Running>();
  readonly #queue = new Queue();

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
    return [...this.#running].some(({ job, landing }) => job.isAbout(path) && (landing?.isCurrent(path) ?? true));
  }

  #enqueue(paths: readonly string[]): Job {
    const job = new Job(paths, filesBeside(paths, this.#parts.results));
    this.#waiting.add(job);
    void this.#begin(job);
    return job;
  }

  /** Never rejects: who has joined the job hears how it ends. */
  async #begin(job: Job): Promise<void> {
    using place = await this.#queue.take();
    const log = new RunLog(this.#parts.log, job.paths);
    const running: Running = { job, place, log, landing: null };
    this.#waiting.delete(job);
    this.#running.add(running);
    await job.run(() => log.during(() => this.#evaluate(running), job.signal));
    this.#running.delete(running);
  }

  /** Each group of files under the configuration that is nearest to them. */
  async #evaluate(running: Running): Promise<Evaluation> {
    const { paths, beside, signal } = running.job;
    const grouping = new Grouping(this.#parts.files);
    await grouping.add([...paths, ...(await present(beside, this.#parts.files))]);
    const evaluated: Evaluation[] = [];
    for (let group = grouping.take(); group && !signal.aborted; group = grouping.take()) {
      const { others, ...evaluation } = await this.#evaluateGroup(running, group);
      evaluated.push(evaluation);
      await grouping.add(others);
    }
    const outage = evaluated.find((one) => one.outage !== undefined)?.outage;
    const complete = !signal.aborted && evaluated.every((one) => one.complete);
    if (complete) this.#parts.onComplete(paths);
    return {
      complete,
      sessions: evaluated.reduce((sum, { sessions }) => sum + sessions, 0),
      problems: evaluated.flatMap(({ problems }) => problems),
      ...(outage === undefined ? {} : { outage }),
    };
  }

  /** @returns folders, too, that are in it and belong to other groups. */
  async #evaluateGroup(running: Running, group: Group): Promise<Evaluation & { readonly others: readonly string[] }> {
    const { job, place, log } = running;
    const { signal } = job;
    const { evaluateFiles, refresh, onLanded } = this.#parts;
    const { files, others } = new FilesOfGroup(this.#parts.files, group);
    const landing = new Landing({ ...this.#parts, files });
    running.landing = landing;
    using shown = new Paced(() => refresh(landing.show(), 'soon'));
    const withdraw = () => {
      shown[Symbol.dispose]();
      refresh(landing.withdraw(), 'now');
    };
    job.beginGroup(withdraw);
    try {
      await landing.begin(group.configuration);
      const { report, ...read } = await evaluateFiles(
        group.paths,
        {},
        {
          signal,
          files: landing.files,
          onRead: landing.onRead,
          onFile: () => {
            log.countFile();
            job.tellFile();
          },
          onWait: (what) => {
            job.tellWait(what);
            place.leave();
          },
          resume: () => place.resume(),
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
      const { rows, touched } = await landing.land({ paths: group.paths, others, report }, read);
      refresh(touched, 'now');
      onLanded(touched);
      log.add(report, rows);
      const outage = report.run.complete ? outageOf(report) : null;
      return {
        complete: report.run.complete,
        sessions: rows.sessions.length,
        problems: rows.problems.map(({ row }) => row),
        ...(outage === null ? {} : { outage }),
        others: [...others],
      };
    } finally {
      withdraw();
    }
  }
}
