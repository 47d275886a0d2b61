import { EXIT_CODES } from '../core/verdict.ts';
import type { CommandHost } from './host.ts';

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

const STOPPING = 'stopping and writing finished results. Press Ctrl-C again to quit now.';

/** The first Ctrl-C stops the run and writes the finished results; the second one ends the process. */
export function listenForInterrupt(host: CommandHost, message = STOPPING): Interrupt {
  const controller = new AbortController();
  const stop = host.onInterrupt(() => {
    if (controller.signal.aborted) {
      host.exit(EXIT_CODES.interrupted);
      return;
    }
    controller.abort();
    void host.stderr.write(`\nturnwise: ${message}\n`);
  });
  return { signal: controller.signal, [Symbol.dispose]: stop };
}
