import { EXIT_CODES } from '../core/verdict.ts';
import type { CommandHost } from './host.ts';

export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
}

/** The first Ctrl-C stops the run, so that what is finished can be written; the second ends the process. */
export function listenForInterrupt(host: CommandHost): Interrupt {
  const controller = new AbortController();
  const stop = host.onInterrupt(() => {
    if (controller.signal.aborted) {
      host.exit(EXIT_CODES.interrupted);
      return;
    }
    controller.abort();
    void host.stderr.write('\nturnwise: stopping; what is finished is written. Ctrl-C again quits at once.\n');
  });
  return { signal: controller.signal, [Symbol.dispose]: stop };
}
