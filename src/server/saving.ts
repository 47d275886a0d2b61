import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  type Connection,
  type WorkDoneProgressReporter,
  type WorkDoneProgressServerReporter,
} from 'vscode-languageserver/node';
import type { Context } from './context.ts';

/** Evaluates files again that were saved otherwise than they were evaluated. */
export async function evaluateSaved(paths: readonly string[], { connection, evaluator }: Context): Promise<void> {
  if (paths.length === 0) return;
  const progress = new LateProgress(connection);
  const uris = paths.map((path) => pathToFileURL(path).href);
  await evaluator.evaluate(uris, progress, progress.token);
}

/** Nobody who saves a file wants to be told of what takes no time. */
const LATE_MS = 1000;

/** Shows in the editor, and lets the user stop there, what nobody has asked for. */
class LateProgress implements WorkDoneProgressReporter {
  readonly #connection: Connection;
  readonly #stop = new CancellationTokenSource();
  #timer: NodeJS.Timeout | undefined;
  #shown: WorkDoneProgressServerReporter | undefined;
  #isDone = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get token() {
    return this.#stop.token;
  }

  begin(title: string): void {
    this.#timer = setTimeout(() => void this.#show(title), LATE_MS);
  }

  async #show(title: string): Promise<void> {
    const shown = await this.#connection.window.createWorkDoneProgress().catch(() => undefined);
    if (!shown) return;
    shown.begin(title, 0, undefined, true);
    shown.token.onCancellationRequested(() => this.#stop.cancel());
    if (this.#isDone) shown.done();
    else this.#shown = shown;
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
