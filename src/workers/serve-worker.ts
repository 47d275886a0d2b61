import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { parentPort } from 'node:worker_threads';
import { PortConnection, type RequestTable } from './port-connection.ts';
import { HOST_CALL, type HostCall, ownWorkerData, PROCESS_NEWS, type ProcessNews } from './worker-messages.ts';

const BEAT_MS = 25;

/** The work of a thread, for the thread that started it. */
export interface ServedWorker<Requests extends RequestTable<Requests>, Settings> {
  readonly settings: Settings;
  serve<Method extends keyof Requests & string>(
    method: Method,
    work: (params: Requests[Method]['params'], signal: AbortSignal) => Promise<Requests[Method]['result']>,
  ): void;
  /** Calls a function in the main thread. */
  tellHost(call: HostCall): void;
  askHost(call: HostCall): Promise<unknown>;
}

/**
 * Serves the thread that started this one. While it works, a timer counts heartbeats.
 *
 * @param begin registers the work. @returns whether this thread is a worker of the kind
 */
export function serveAsWorker<Requests extends RequestTable<Requests>, Settings = null>(
  kind: string,
  begin: (worker: ServedWorker<Requests, Settings>) => void,
): boolean {
  const data = ownWorkerData<Settings>(kind);
  if (!data || !parentPort) return false;
  const beats = new Int32Array(data.beats);
  const beat = () => Atomics.add(beats, 0, 1);
  const connection = new PortConnection(parentPort);
  reportProcesses((news) => connection.notify(PROCESS_NEWS, news));
  begin({
    settings: data.settings,
    serve(method, work) {
      connection.onRequest(method, async (params, signal) => {
        const timer = setInterval(beat, BEAT_MS);
        try {
          return await work(params, signal);
        } finally {
          clearInterval(timer);
        }
      });
    },
    tellHost: (call) => connection.notify(HOST_CALL, call),
    askHost: (call) => connection.request(HOST_CALL, call),
  });
  beat();
  return true;
}

/** A thread that is terminated cannot end the processes that it has started: the main thread does. */
function reportProcesses(tell: (news: ProcessNews) => void): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => {
      const { pid } = child;
      if (pid === undefined) return;
      tell({ started: pid });
      child.once('exit', () => tell({ ended: pid }));
    });
  });
}
