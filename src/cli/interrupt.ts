import { EXIT_CODES } from '../core/verdict.ts';
import type { CommandHost, StopSignal } from './host.ts';

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
  /** The first signal that asked to stop; null so far. */
  readonly stoppedBy: () => StopSignal | null;
}

const STOPPING = 'stopping and writing finished results.';
const QUIT_NOW = ' Press Ctrl-C again to quit now.';

/**
 * The first signal stops the run and writes the finished results; Ctrl-C after it ends the process. Other signals do not: a
 * terminal that is closed, or a process manager, may send the same one twice.
 */
export function listenForInterrupt(host: CommandHost, message?: string): Interrupt {
  const controller = new AbortController();
  let stoppedBy: StopSignal | null = null;
  const stop = host.onStop((signal) => {
    if (!controller.signal.aborted) {
      stoppedBy = signal;
      controller.abort();
      void host.stderr.write(`\nturnwise: ${message ?? `${STOPPING}${signal === 'SIGINT' ? QUIT_NOW : ''}`}\n`);
    } else if (signal === 'SIGINT') {
      host.exit(EXIT_CODES.interrupted);
    }
  });
  return { signal: controller.signal, stoppedBy: () => stoppedBy, [Symbol.dispose]: stop };
}
