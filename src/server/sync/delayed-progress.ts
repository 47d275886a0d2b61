import {
  CancellationTokenSource,
  type Connection,
  type WorkDoneProgressReporter,
  type WorkDoneProgressServerReporter,
} from 'vscode-languageserver/node';

export interface ProgressConnection {
  readonly window: Pick<Connection['window'], 'createWorkDoneProgress'>;
}

/** A short evaluation on save shows no progress. */
const PROGRESS_DELAY_MS = 1000;

/** Shows progress of an evaluation that the user did not start, and lets them stop it. */
export class DelayedProgress implements WorkDoneProgressReporter {
  readonly #connection: ProgressConnection;
  readonly #stop = new CancellationTokenSource();
  #timer: NodeJS.Timeout | undefined;
  #shown: WorkDoneProgressServerReporter | undefined;
  #isDone = false;

  constructor(connection: ProgressConnection) {
    this.#connection = connection;
  }

  get token() {
    return this.#stop.token;
  }

  begin(title: string): void {
    this.#timer = globalThis.setTimeout(() => void this.#show(title), PROGRESS_DELAY_MS);
  }

  async #show(title: string): Promise<void> {
    const progress = await this.#connection.window.createWorkDoneProgress().catch(() => undefined);
    if (!progress) return;
    progress.begin(title, 0, undefined, true);
    progress.token.onCancellationRequested(() => this.#stop.cancel());
    if (this.#isDone) progress.done();
    else this.#shown = progress;
  }

  report(share: number | string, message?: string): void {
    if (typeof share === 'string') this.#shown?.report(share);
    else if (message === undefined) this.#shown?.report(share);
    else this.#shown?.report(share, message);
  }

  done(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#shown?.done();
  }
}
