import { fileURLToPath } from 'node:url';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import type { Configuration, ConfigurationInput } from '../../config/schema.ts';
import { Throttle } from '../../core/async/throttle.ts';
import type { Report } from '../../core/report.ts';
import type { RunEvent } from '../../engine/events.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { companionFiles, existingFiles } from './companion-files.ts';
import { ConfigGroups, type FileGroup, GroupFiles } from './group-by-config.ts';
import { type Evaluation, EvaluationJob } from './job.ts';
import { judgeOutage } from './judge-outage.ts';
import { type LoadedSessions, StreamingRun, type StreamingRunOptions } from './partial-run.ts';
import { EvaluationQueue, type QueueLease } from './queue.ts';
import { type Logger, RunLog } from './run-log.ts';

export type { Evaluation } from './job.ts';

/** The part of the library that an evaluation in the editor uses. */
export type EvaluateFiles = (
  paths: readonly string[],
  configuration: ConfigurationInput | Configuration,
  options: {
    readonly signal: AbortSignal;
    readonly files?: FileSystem;
    readonly onFile: (file: string) => void;
    readonly onRead?: (read: LoadedSessions) => void;
    readonly onResult: (event: RunEvent) => void;
    /** A person has the word: what it waits for. Others are evaluated meanwhile. */
    readonly onWait?: (what: string) => void;
    /** Awaited before it goes on: others may not be done. */
    readonly resume?: () => Promise<void>;
  },
) => Promise<LoadedSessions & { readonly report: Report }>;

interface EvaluatorOptions extends StreamingRunOptions {
  readonly evaluateFiles: EvaluateFiles;
  /** What is held of these files has changed. */
  readonly refresh: (paths: Iterable<string>, when: 'now' | 'soon') => void;
  readonly log: Logger;
  /** Something else is held now of these files. */
  readonly onResults: (touched: readonly string[]) => void;
  /** All is held now that is in these files and folders. */
  readonly onComplete: (paths: readonly string[]) => void;
}

/** What is being evaluated, and how far it is. */
interface RunningJob {
  readonly job: EvaluationJob;
  readonly lease: QueueLease;
  readonly log: RunLog;
  /** Of the group of files that is read and evaluated now. */
  run: StreamingRun | null;
}

/**
 * Evaluates files one request after the other, so that of two results of a file the later request's stays. Only one that waits
 * for a person lets others go before.
 */
export class Evaluator {
  readonly #parts: EvaluatorOptions;
  /** What has not begun. */
  readonly #waiting = new Set<EvaluationJob>();
  readonly #running = new Set<RunningJob>();
  readonly #queue = new EvaluationQueue();

  constructor(parts: EvaluatorOptions) {
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
    if ([...this.#waiting].some((job) => job.includes(path))) return true;
    return [...this.#running].some(({ job, run: landing }) => job.includes(path) && (landing?.isCurrent(path) ?? true));
  }

  #enqueue(paths: readonly string[]): EvaluationJob {
    const job = new EvaluationJob(paths, companionFiles(paths, this.#parts.results));
    this.#waiting.add(job);
    void this.#begin(job);
    return job;
  }

  /** Never rejects: who has joined the job hears how it ends. */
  async #begin(job: EvaluationJob): Promise<void> {
    using place = await this.#queue.acquire();
    const log = new RunLog(this.#parts.log, job.paths);
    const running: RunningJob = { job, lease: place, log, run: null };
    this.#waiting.delete(job);
    this.#running.add(running);
    await job.run(() => log.track(() => this.#evaluate(running), job.signal));
    this.#running.delete(running);
  }

  /** Each group of files under the configuration that is nearest to them. */
  async #evaluate(running: RunningJob): Promise<Evaluation> {
    const { paths, companions: beside, signal } = running.job;
    const grouping = new ConfigGroups(this.#parts.files);
    await grouping.add([...paths, ...(await existingFiles(beside, this.#parts.files))]);
    const evaluated: Evaluation[] = [];
    for (let group = grouping.next(); group && !signal.aborted; group = grouping.next()) {
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
  async #evaluateGroup(
    running: RunningJob,
    group: FileGroup,
  ): Promise<Evaluation & { readonly others: readonly string[] }> {
    const { job, lease: place, log } = running;
    const { signal } = job;
    const { evaluateFiles, refresh, onResults: onLanded } = this.#parts;
    const { files, otherFolders: others } = new GroupFiles(this.#parts.files, group);
    const landing = new StreamingRun({ ...this.#parts, files });
    running.run = landing;
    using shown = new Throttle(() => refresh(landing.showPartial(), 'soon'));
    const withdraw = () => {
      shown[Symbol.dispose]();
      refresh(landing.withdraw(), 'now');
    };
    job.beginGroup(withdraw);
    try {
      await landing.start(group.configuration);
      const { report, ...read } = await evaluateFiles(
        group.paths,
        {},
        {
          signal,
          files: landing.files,
          onRead: landing.onRead,
          onFile: () => {
            log.countFile();
            job.reportFileRead();
          },
          onWait: (what) => {
            job.reportWait(what);
            place.release();
          },
          resume: () => place.reacquire(),
          onResult: (event) => {
            // What is told of what was stopped is that it was.
            if (signal.aborted) return;
            landing.onResult(event);
            shown.schedule();
            job.reportResult(event);
          },
        },
      );
      shown[Symbol.dispose]();
      const { rows, changedPaths: touched } = await landing.finish(
        { paths: group.paths, otherFolders: others, report },
        read,
      );
      refresh(touched, 'now');
      onLanded(touched);
      log.add(report, rows);
      const outage = report.run.complete ? judgeOutage(report) : null;
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
