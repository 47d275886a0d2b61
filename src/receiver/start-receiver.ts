import type { ReceiverNews, ReceiverOptions } from './receiver.ts';
import { type ReceiverThread, serveReceiver, startReceiver } from './receiver-thread.ts';

// Import this module dynamically: it is also what the receiver's thread loads, so nothing else may be bundled with it.
serveReceiver();

export function startOwnReceiver(options: ReceiverOptions, tell: (news: ReceiverNews) => void): ReceiverThread {
  return startReceiver(new URL(import.meta.url), options, tell);
}
