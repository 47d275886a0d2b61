import { isMainThread, workerData } from 'node:worker_threads';

/** What a worker is started with. */
export interface WorkerData<Settings = unknown> {
  /** Tells the workers of one entry apart. */
  readonly turnwise: string;
  /** A counter that its timer increments. */
  readonly beats: SharedArrayBuffer;
  /** What its work needs, as plain data. */
  readonly settings: Settings;
}

/** What this thread was started with; null where it is no worker of this kind. */
export function ownWorkerData<Settings>(kind: string): WorkerData<Settings> | null {
  return !isMainThread && workerData?.turnwise === kind ? workerData : null;
}

/** A call in the main thread. */
export interface HostCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

export const HOST_CALL = 'host';

/** Processes that a worker has started, or that have ended: they are not to outlive it. */
export interface ProcessNews {
  readonly started?: number;
  readonly ended?: number;
}

export const PROCESS_NEWS = 'process';
