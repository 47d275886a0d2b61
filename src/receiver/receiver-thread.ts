import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ReceiverNews, type ReceiverOptions, receiveTraces } from './receiver.ts';

/** A receiver has a thread of its own: it loses nothing while sessions are evaluated. */

interface ThreadData extends ReceiverOptions {
  readonly turnwise: 'receiver';
}

const STOP = 'stop';

/** A disk may hang. */
const STOP_LIMIT_MS = 5000;

export interface ReceiverThread {
  /** Rejects if it cannot receive; resolves after it was stopped. */
  readonly ended: Promise<void>;
  /** Nothing is written after this resolves. */
  readonly stop: () => Promise<void>;
}

/** @param entry a module that calls `serveReceiver` when it is loaded. */
export function startReceiver(
  entry: URL,
  options: ReceiverOptions,
  tell: (news: ReceiverNews) => void,
): ReceiverThread {
  const data: ThreadData = { ...options, turnwise: 'receiver' };
  const worker = new Worker(entry, { workerData: data });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  // Plain data of our own thread.
  worker.on('message', (news: ReceiverNews) => tell(news));
  worker.once('error', reject);
  worker.once('exit', () => resolve());
  const stop = async () => {
    worker.postMessage(STOP);
    const timer = setTimeout(() => void worker.terminate(), STOP_LIMIT_MS);
    await ended.catch(() => {});
    clearTimeout(timer);
  };
  return { ended, stop };
}

/** Receives traces if this thread was started for it. @returns whether it was */
export function serveReceiver(): boolean {
  if (isMainThread || !parentPort || workerData?.turnwise !== 'receiver') return false;
  const port = parentPort;
  const data: ThreadData = workerData;
  const stop = new AbortController();
  port.on('message', (message) => {
    if (message === STOP) stop.abort();
  });
  const tell = (news: ReceiverNews) => port.postMessage(news);
  // A rejection ends the thread with its error.
  void receiveTraces(data, tell, stop.signal).finally(() => port.close());
  return true;
}
