import type { WorkDoneProgressReporter } from 'vscode-languageserver/node';
import { Throttle } from '../../core/async/throttle.ts';
import type { RunEvent } from '../../engine/events.ts';
import type { FileProblemRow } from '../../protocol/messages.ts';
import type { CancellationToken } from '../../protocol/rpc.ts';
import { isWithin } from '../disk/paths.ts';

export interface Evaluation {
  readonly complete: boolean;
  readonly sessions: number;
  readonly problems: readonly FileProblemRow[];
  /** Why no question to a judge was answered, where some were asked. */
  readonly outage?: string;
}

const CANCELLED: Evaluation = { complete: false, sessions: 0, problems: [] };

/** How long what was stopped may take to end by itself before whoever stopped it is answered. */
const CANCEL_TIMEOUT_MS = 600;

/** One evaluation, for one who asked for it or for several; it is stopped when the last of them does not want it any more. */
export class EvaluationJob {
  readonly paths: readonly string[];
  /** Files that are evaluated with them, as far as they are there. */
  readonly companions: readonly string[];
  readonly #members = new Set<WorkDoneProgressReporter>();
  readonly #stop = new AbortController();
  readonly #over = Promise.withResolvers<Evaluation>();
  #isRunning = false;
  #onImpatience: () => void = () => {};
  #filesRead = 0;
  /** Of groups that are done, and of the one that goes on. */
  readonly #turns = { before: 0, now: 0 };
  #news: ((progress: WorkDoneProgressReporter) => void) | null = null;
  readonly #telling = new Throttle(() => {
    for (const progress of this.#members) this.#news?.(progress);
  });

  constructor(paths: readonly string[], beside: readonly string[]) {
    this.paths = paths;
    this.companions = beside;
    // Nobody may be left to hear that it failed.
    this.#over.promise.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether it evaluates these anyway. */
  covers(paths: readonly string[]): boolean {
    return !this.signal.aborted && paths.every((path) => this.paths.includes(path));
  }

  /** Whether a file is one that it evaluates, or in a folder that it does. */
  includes(path: string): boolean {
    return !this.signal.aborted && isWithin(path, new Set([...this.paths, ...this.companions]));
  }

  /** Resolves when it is over, or not wanted any more. */
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
    progress.begin('Evaluating');
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

  /** It is its turn. Resolves when it is over, however it ends. */
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
   * The next files are evaluated that belong together.
   *
   * @param onImpatience hears when it was stopped and takes longer to end than anybody waits.
   */
  beginGroup(onImpatience: () => void): void {
    this.#onImpatience = onImpatience;
    this.#turns.before += this.#turns.now;
    this.#turns.now = 0;
  }

  reportFileRead(): void {
    this.#filesRead += 1;
    const message = this.#filesRead === 1 ? '1 file read' : `${this.#filesRead} files read`;
    this.#tellSoon((progress) => progress.report(message));
  }

  reportResult(event: RunEvent): void {
    if (event.type !== 'turn') return;
    this.#turns.now = event.of;
    const [done, of] = [this.#turns.before + event.done, this.#turns.before + event.of];
    this.#tellSoon((progress) => progress.report(Math.round((100 * done) / of), `${done} of ${of} turns`));
  }

  /** What a person has to do before it goes on. */
  reportWait(what: string): void {
    this.#tellSoon((progress) => progress.report(what));
    this.#telling.runNow();
  }

  /** The first word and the last come through, however many there are. */
  #tellSoon(news: (progress: WorkDoneProgressReporter) => void): void {
    const isFirst = this.#news === null;
    this.#news = news;
    if (isFirst) this.#telling.runNow();
    else this.#telling.schedule();
  }
}
