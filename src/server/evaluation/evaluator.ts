import { fileURLToPath } from 'node:url';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import { Throttle } from '../../core/async/throttle.ts';
import type { Report } from '../../core/report.ts';
import type { FileSystem } from '../../input/file-system.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { PositionTable } from '../results/positions.ts';
import { buildRows, type SessionResultsView } from '../results/session-results-view.ts';
import { companionFiles, existingFiles } from './companion-files.ts';
import { ConfigGroups, type FileGroup } from './group-by-config.ts';
import {
  type EvaluateGroup,
  type GroupSettings,
  NO_GROUP_EVENTS,
  type ScenarioEvaluation,
  type StreamedResult,
} from './group-evaluation.ts';
import { type Evaluation, EvaluationJob, type JobOptions } from './job.ts';
import { judgeOutage } from './judge-outage.ts';
import { LostEvaluationError, stuckFileClause } from './lost-evaluation.ts';
import { StreamingRun, type StreamingRunOptions } from './partial-run.ts';
import { EvaluationQueue, type QueueLease } from './queue.ts';
import { type Logger, RunLog } from './run-log.ts';

export type { EvaluateFiles } from './group-evaluation.ts';
export type { Evaluation } from './job.ts';

interface EvaluatorOptions extends StreamingRunOptions {
  readonly evaluateGroup: EvaluateGroup;
  readonly files: FileSystem;
  /** The results of these files have changed. */
  readonly refresh: (paths: Iterable<string>, when: 'now' | 'soon') => void;
  readonly log: Logger;
  /** A group of files is evaluated. */
  readonly onReport: (group: FileGroup, report: Report) => void;
  /** The evaluation has finished with these files. */
  readonly onResults: (touched: readonly string[]) => void;
  /** These files and folders were evaluated completely. */
  readonly onComplete: (paths: readonly string[]) => void;
}

/** A group that is evaluated. */
interface EvaluatedGroup extends Evaluation {
  /** Folders inside the group that belong to other groups. */
  readonly others: readonly string[];
}

/** A running evaluation. */
interface RunningJob {
  readonly job: EvaluationJob;
  readonly lease: QueueLease;
  readonly log: RunLog;
  /** The run of the group of files that is evaluated now. */
  run: StreamingRun | null;
}

/**
 * Evaluates files one request at a time, so that a later request's results win. Only an evaluation that waits for the
 * user lets others run before it.
 */
export class Evaluator {
  readonly #parts: EvaluatorOptions;
  /** Jobs that have not started. */
  readonly #waiting = new Set<EvaluationJob>();
  readonly #running = new Set<RunningJob>();
  readonly #queue = new EvaluationQueue();

  constructor(parts: EvaluatorOptions) {
    this.#parts = parts;
  }

  /**
   * Joins an evaluation of the same files that has not started yet. @param options `isRecorded`: the user asked for it, and it
   * becomes a recorded run. `scenarios`: the files are attempts at scenarios. `overrides`: of the configuration. Rejects on unexpected errors only; cancelling
   * gives an incomplete evaluation within a second.
   */
  evaluate(
    uris: readonly string[],
    progress: WorkDoneProgressReporter,
    token: CancellationToken,
    options: JobOptions = {},
  ): Promise<Evaluation> {
    const paths = uris.map((uri) => fileURLToPath(uri));
    const { rulesOnly = false, withoutEditorModels = false, isRecorded = false, scenarios, overrides } = options;
    const isSame = (job: EvaluationJob) =>
      !job.overrides &&
      job.covers(paths) &&
      (rulesOnly || !job.rulesOnly) &&
      (withoutEditorModels || !job.withoutEditorModels) &&
      (!isRecorded || job.isRecorded);
    const same = scenarios || overrides ? undefined : [...this.#waiting].find(isSame);
    const waiting = same ?? this.#enqueue(paths, options);
    return waiting.join(progress, token);
  }

  /**
   * Evaluates attempts at scenarios by rules alone, beside everything else: the results are neither shown nor stored. Rejects
   * where the evaluation ends unexpectedly.
   */
  async preview(
    paths: readonly string[],
    scenarios: ScenarioEvaluation,
    signal: AbortSignal,
  ): Promise<readonly SessionResultsView[]> {
    const { report, positions, sessions } = await this.#parts.evaluateGroup(
      { paths, configurations: [] },
      { ...NO_GROUP_EVENTS, signal, settings: { rulesOnly: true, scenarios } },
    );
    const table = new PositionTable();
    table.add(positions);
    return buildRows(report, table, sessions).sessions;
  }

  /** Whether nothing is evaluated, or about to be. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  /** Whether a file's current content is being evaluated, or is about to be. */
  isEvaluating(path: string): boolean {
    if ([...this.#waiting].some((job) => job.includes(path))) return true;
    return [...this.#running].some(({ job, run: landing }) => job.includes(path) && (landing?.isCurrent(path) ?? true));
  }

  #enqueue(paths: readonly string[], how: JobOptions): EvaluationJob {
    const job = new EvaluationJob(paths, companionFiles(paths, this.#parts.results), how);
    this.#waiting.add(job);
    void this.#begin(job);
    return job;
  }

  /** Never rejects: callers that joined the job get its outcome. */
  async #begin(job: EvaluationJob): Promise<void> {
    using lease = await this.#queue.acquire();
    const log = new RunLog(this.#parts.log, job.paths);
    const running: RunningJob = { job, lease, log, run: null };
    this.#waiting.delete(job);
    this.#running.add(running);
    await job.run(() => log.track(() => this.#evaluate(running), job.signal));
    this.#running.delete(running);
  }

  /** Evaluates each group of files under its nearest configuration. */
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
    const outage = evaluated.find((evaluation) => evaluation.outage !== undefined)?.outage;
    const complete = !signal.aborted && evaluated.every((evaluation) => evaluation.complete);
    if (complete) this.#parts.onComplete(paths);
    return {
      complete,
      sessions: evaluated.reduce((sum, { sessions }) => sum + sessions, 0),
      problems: evaluated.flatMap(({ problems }) => problems),
      ...(outage === undefined ? {} : { outage }),
    };
  }

  /** A file that stops the evaluation becomes a problem, and the others are evaluated without it. */
  async #evaluateGroup(running: RunningJob, group: FileGroup): Promise<EvaluatedGroup> {
    const unreadable = new Map<string, string>();
    let sessionsAtOnce: number | undefined;
    for (;;) {
      try {
        await running.lease.reacquire();
        const atOnce = sessionsAtOnce === undefined ? {} : { sessionsAtOnce };
        return await this.#tryGroup(running, group, { unreadable, ...atOnce });
      } catch (error) {
        if (!(error instanceof LostEvaluationError) || running.job.signal.aborted) throw error;
        const suspects = error.suspects.length === 0 ? group.paths : error.suspects;
        const [file = ''] = suspects;
        const isKnown = suspects.length === 1 && !unreadable.has(file);
        if (isKnown) unreadable.set(file, stuckFileClause(error.clause));
        // One at a time, only one can be to blame.
        else if (sessionsAtOnce === undefined) sessionsAtOnce = 1;
        else throw error;
      }
    }
  }

  async #tryGroup(
    running: RunningJob,
    group: FileGroup,
    limits: Pick<GroupSettings, 'unreadable' | 'sessionsAtOnce'>,
  ): Promise<EvaluatedGroup> {
    const { job, lease, log } = running;
    const { signal } = job;
    const { evaluateGroup, refresh, onResults: onLanded } = this.#parts;
    const landing = new StreamingRun(this.#parts);
    running.run = landing;
    const finished: string[] = [];
    using updates = new Throttle(() => {
      refresh(landing.showPartial(), 'soon');
      if (finished.length > 0) job.onSessions?.(finished.splice(0));
    });
    const withdraw = () => {
      updates[Symbol.dispose]();
      refresh(landing.withdraw(), 'now');
    };
    const show = ({ event, isLocal }: StreamedResult) => {
      if (isLocal) landing.onLocalResult(event);
      else landing.onResult(event);
      if (event.type === 'session' && !isLocal) finished.push(event.session.source.file);
      job.reportResult(event);
    };
    let filesRead = 0;
    job.beginGroup(withdraw);
    try {
      await landing.start(group.configurations);
      const { report, rulesOnly, positions, sessions, otherFolders } = await evaluateGroup(group, {
        signal,
        settings: {
          rulesOnly: job.rulesOnly,
          withoutEditorModels: job.withoutEditorModels,
          isRecorded: job.isRecorded,
          ...(job.scenarios && { scenarios: job.scenarios }),
          ...(job.overrides && { overrides: job.overrides }),
          ...limits,
        },
        onBusy: () => lease.release(),
        onContent: landing.onContent,
        onRead: landing.onRead,
        onFile: () => {
          filesRead += 1;
          job.reportFileRead(filesRead);
        },
        onWait: (what) => {
          job.reportWait(what);
          lease.release();
        },
        resume: () => lease.reacquire(),
        onJudging: (calls) => job.reportJudging(calls),
        onCall: ({ cached }) => {
          if (!cached) job.reportCall();
        },
        onLocalReport: (local, positions) => {
          landing.addPositions(positions);
          refresh(landing.settleLocal(local), 'now');
        },
        onResults: (results, positions) => {
          landing.addPositions(positions);
          // Results that arrive after cancelling are not shown.
          if (signal.aborted) return;
          for (const result of results) show(result);
          updates.schedule();
        },
      });
      updates[Symbol.dispose]();
      landing.addPositions(positions);
      // A request that ran meanwhile ends first.
      await lease.reacquire();
      const { rows, changedPaths: touched } = await landing.finish(
        { paths: group.paths, otherFolders: new Set(otherFolders), report, rulesOnly: job.rulesOnly || rulesOnly },
        sessions,
      );
      refresh(touched, 'now');
      onLanded(touched);
      this.#parts.onReport(group, report);
      job.endGroup();
      log.countFiles(filesRead);
      log.add(report, rows);
      const outage = report.run.complete ? judgeOutage(report) : null;
      return {
        complete: report.run.complete,
        sessions: rows.sessions.length,
        problems: rows.problems.map(({ row }) => row),
        ...(outage === null ? {} : { outage }),
        others: otherFolders,
      };
    } finally {
      withdraw();
    }
  }
}
