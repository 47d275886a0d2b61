import * as l10n from '@vscode/l10n';
import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import { Throttle } from '../../core/async/throttle.ts';
import { secondsLeft } from '../../core/time-left.ts';
import type { RunEvent } from '../../engine/events.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { isWithin } from '../disk/paths.ts';
import { problemsSoFar } from '../text/inline-text.ts';
import type { Overrides, ScenarioEvaluation } from './group-evaluation.ts';

export interface Evaluation {
  readonly complete: boolean;
  readonly sessions: number;
  readonly problems: readonly FileProblemRow[];
  /** Why no question to a judge was answered, where some were asked. */
  readonly outage?: string;
}

export interface JobOptions {
  readonly rulesOnly?: boolean;
  /** Nobody asked for it, and the editor's models may be asked only by the user. */
  readonly withoutEditorModels?: boolean;
  readonly isRecorded?: boolean;
  readonly scenarios?: ScenarioEvaluation | undefined;
  readonly overrides?: Overrides | undefined;
  /** Called with files whose sessions are evaluated, when `EvaluationResults` has their results. */
  readonly onSessions?: ((files: readonly string[]) => void) | undefined;
}

const CANCELLED: Evaluation = { complete: false, sessions: 0, problems: [] };

/** How long a cancelled evaluation may take to end by itself before its callers are answered. */
const CANCEL_TIMEOUT_MS = 600;

/** A reference-counted evaluation, aborted when its last caller cancels. */
export class EvaluationJob {
  readonly paths: readonly string[];
  /** Other files of its sessions, evaluated with them if they exist. */
  readonly companions: readonly string[];
  readonly #members = new Set<WorkDoneProgressReporter>();
  readonly #stop = new AbortController();
  readonly #over = Promise.withResolvers<Evaluation>();
  #isRunning = false;
  #onImpatience: () => void = () => {};
  /** Files of finished groups, and of the current one. */
  readonly #files = { before: 0, now: 0 };
  /** Turns of finished groups, and of the current one. */
  readonly #turns = { before: 0, now: 0 };
  /** Turns that are evaluated, of all groups. */
  #turnsDone = 0;
  /** Problems of finished groups, and of the turns of the current one: a turn that is judged is reported again. */
  readonly #problems = { before: 0, now: 0, byTurn: new Map<string, number>() };
  /** Calls of a judge, and since when they are made. */
  readonly #calls = { done: 0, of: 0, since: 0 };
  #news: ((progress: WorkDoneProgressReporter) => void) | null = null;
  readonly #telling = new Throttle(() => {
    for (const progress of this.#members) this.#news?.(progress);
  });

  /** Whether models may not be used. */
  readonly rulesOnly: boolean;

  readonly withoutEditorModels: boolean;

  /** Whether the user asked for it: then it becomes a recorded run. */
  readonly isRecorded: boolean;

  readonly scenarios: ScenarioEvaluation | undefined;

  readonly overrides: Overrides | undefined;

  readonly onSessions: JobOptions['onSessions'];

  constructor(
    paths: readonly string[],
    beside: readonly string[],
    {
      rulesOnly = false,
      withoutEditorModels = false,
      isRecorded = false,
      scenarios,
      overrides,
      onSessions,
    }: JobOptions = {},
  ) {
    this.paths = paths;
    this.companions = beside;
    this.rulesOnly = rulesOnly;
    this.withoutEditorModels = withoutEditorModels;
    this.isRecorded = isRecorded;
    this.scenarios = scenarios;
    this.overrides = overrides;
    this.onSessions = onSessions;
    // There may be no caller left to handle the rejection.
    this.#over.promise.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it evaluates all of these paths. */
  covers(paths: readonly string[]): boolean {
    return !this.signal.aborted && paths.every((path) => this.paths.includes(path));
  }

  /** Whether it evaluates a file, or a folder that the file is in. */
  includes(path: string): boolean {
    return !this.signal.aborted && isWithin(path, new Set([...this.paths, ...this.companions]));
  }

  /** Resolves when the evaluation ends or this caller cancels. */
  async join(progress: WorkDoneProgressReporter, token: CancellationToken): Promise<Evaluation> {
    const left = Promise.withResolvers<Evaluation>();
    let patience: NodeJS.Timeout | undefined;
    const leave = () => {
      this.#members.delete(progress);
      if (this.#members.size > 0) {
        left.resolve(CANCELLED);
        return;
      }
      this.#stop.abort();
      if (!this.#isRunning) left.resolve(CANCELLED);
      patience = setTimeout(() => {
        this.#onImpatience();
        left.resolve(CANCELLED);
      }, CANCEL_TIMEOUT_MS);
    };
    this.#members.add(progress);
    progress.begin(l10n.t('Evaluating'));
    const listener = token.onCancellationRequested(leave);
    if (token.isCancellationRequested) leave();
    try {
      return await Promise.race([this.#over.promise, left.promise]);
    } finally {
      clearTimeout(patience);
      listener.dispose();
      this.#members.delete(progress);
      progress.done();
    }
  }

  /** Runs the evaluation. Resolves when it ends, in any way. */
  async run(evaluate: () => Promise<Evaluation>): Promise<void> {
    this.#isRunning = true;
    try {
      this.#over.resolve(this.signal.aborted ? CANCELLED : await evaluate());
    } catch (error) {
      if (this.signal.aborted) this.#over.resolve(CANCELLED);
      else this.#over.reject(error);
    } finally {
      this.#telling[Symbol.dispose]();
    }
  }

  /**
   * Starts a group of files.
   *
   * @param onImpatience called when a cancelled evaluation takes too long to end.
   */
  beginGroup(onImpatience: () => void): void {
    this.#onImpatience = onImpatience;
    this.#files.now = 0;
    this.#turns.now = 0;
    this.#problems.now = 0;
    this.#problems.byTurn.clear();
  }

  /** The group is evaluated: what follows is counted in addition to it. */
  endGroup(): void {
    this.#files.before += this.#files.now;
    this.#turns.before += this.#turns.now;
    this.#problems.before += this.#problems.now;
    this.beginGroup(this.#onImpatience);
  }

  /** @param count of the files of this group that are read. */
  reportFileRead(count: number): void {
    this.#files.now = count;
    const files = this.#files.before + count;
    const message = files === 1 ? l10n.t('1 file read') : l10n.t('{0} files read', files);
    this.#tellSoon((progress) => progress.report(message));
  }

  reportResult(event: RunEvent): void {
    if (event.type !== 'turn') return;
    this.#turns.now = event.of;
    this.#turnsDone = this.#turns.before + event.done;
    this.#countProblems(event);
    this.#reportState();
  }

  #countProblems({ session, turn, failures }: Extract<RunEvent, { readonly type: 'turn' }>): void {
    const key = `${turn.index} ${session}`;
    const count = failures.reduce((sum, { occurrences }) => sum + occurrences.length, 0);
    this.#problems.now += count - (this.#problems.byTurn.get(key) ?? 0);
    if (count === 0) this.#problems.byTurn.delete(key);
    else this.#problems.byTurn.set(key, count);
  }

  /** A judge is asked from now on. @param calls about how many calls it gets. */
  reportJudging(calls: number): void {
    if (calls === 0) return;
    if (this.#calls.of === 0) this.#calls.since = performance.now();
    this.#calls.of += calls;
    this.#reportState();
  }

  /** A judge was called. */
  reportCall(): void {
    this.#calls.done += 1;
    if (this.#calls.of > 0) this.#reportState();
  }

  #reportState(): void {
    const turns = { done: this.#turnsDone, of: this.#turns.before + this.#turns.now };
    const { since, ...calls } = this.#calls;
    const elapsedMs = performance.now() - since;
    // An estimate can be too low: more calls than that are made when answers have to be asked for again.
    const { done, of } = calls.of === 0 ? turns : { done: calls.done, of: Math.max(calls.of, calls.done) };
    const left = calls.of === 0 ? [] : timeLeftText(secondsLeft({ done, of, elapsedMs }));
    // Short enough for one line of a view: a second one would move the rows below it.
    const message = [
      calls.of === 0 ? l10n.t('{0} of {1} turns', done, of) : l10n.t('judging {0} of {1} calls', done, of),
      ...(left.length > 0 ? left : problemsSoFar(this.#problems.before + this.#problems.now)),
    ].join(' · ');
    this.#tellSoon((progress) => progress.report(of === 0 ? 0 : Math.round((100 * done) / of), message));
  }

  /** Reports what the evaluation waits for. */
  reportWait(what: string): void {
    this.#tellSoon((progress) => progress.report(what));
    this.#telling.runNow();
  }

  /** The first and the last message are always shown; those between are throttled. */
  #tellSoon(news: (progress: WorkDoneProgressReporter) => void): void {
    const isFirst = this.#news === null;
    this.#news = news;
    if (isFirst) this.#telling.runNow();
    else this.#telling.schedule();
  }
}

function timeLeftText(seconds: number | null): string[] {
  if (seconds === null) return [];
  return [seconds < 120 ? l10n.t('about {0} s left', seconds) : l10n.t('about {0} min left', Math.round(seconds / 60))];
}
