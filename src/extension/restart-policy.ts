import * as vscode from 'vscode';

/** The delays before the first, second and third restart. */
const DELAYS_MS = [500, 2_000, 8_000];

/** Older restarts do not count. */
const WINDOW_MS = 3 * 60_000;

/** Decides when a crashed process is restarted, and when no longer. */
export class RestartPolicy {
  #times: readonly number[] = [];

  /** Records a crash. @returns milliseconds until the restart; null: it crashes too often. */
  nextDelay(now: number): number | null {
    this.#times = this.#times.filter((time) => now - time < WINDOW_MS);
    const wait = DELAYS_MS[this.#times.length];
    if (wait === undefined) return null;
    this.#times = [...this.#times, now];
    return wait;
  }

  /** The user restarted the process. */
  reset(): void {
    this.#times = [];
  }
}

/** The log entry of a crash. @param wait milliseconds until the restart; null: no restart. */
export function describeRestart(wait: number | null): string {
  if (wait === null) return vscode.l10n.t('The language server stopped repeatedly and is not restarted automatically.');
  return vscode.l10n.t('The language server stopped. Restarting in {0} s.', wait / 1000);
}
