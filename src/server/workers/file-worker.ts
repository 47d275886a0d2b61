import { LruCache } from '../../core/cache/lru-cache.ts';
import type { SessionDetail } from '../../panel/panel-session.ts';
import { WorkerThread } from '../../workers/worker-thread.ts';
import { FILE_WORKER, MAX_VIEWS, type WorkerRequests } from './messages.ts';

/** A thread that works on files for the language server. */
export class FileWorker extends WorkerThread<WorkerRequests> {
  /** The sessions that it knows, by key: the results that it was sent last. */
  readonly views = new LruCache<string, SessionDetail>(MAX_VIEWS);

  /** @param entry the module that serves this thread. @param memoryMb of JavaScript values at most. */
  constructor(entry: URL, memoryMb: number) {
    super(entry, { kind: FILE_WORKER, memoryMb, settings: null });
  }
}
