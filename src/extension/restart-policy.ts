import * as vscode from 'vscode';

/** How long is waited before the first, second and third restart. */
const DELAYS_MS = [500, 2_000, 8_000];

/** Restarts longer ago than this are forgotten. */
const WINDOW_MS = 3 * 60_000;

/** When a process that breaks is started again, and when it no longer is. */
export class RestartPolicy {
  #times: readonly number[] = [];

  /** It has broken. @returns milliseconds to wait before it is started again; null: it breaks too often. */
  nextDelay(now: number): number | null {
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    const wait = DELAYS_MS[this.#times.length];
    if (wait === undefined) return null;
    this.#times = [...this.#times, now];
    return wait;
  }

  /** A person has started it again. */
  reset(): void {
    this.#times = [];
  }
}

/** What the log says of a process that broke. @param wait milliseconds until it is started again; null: it is not. */
export function describeRestart(wait: number | null): string {
  if (wait === null) return vscode.l10n.t('The language server stopped repeatedly and is not restarted automatically.');
  return vscode.l10n.t('The language server stopped. Restarting in {0} s.', wait / 1000);
}
