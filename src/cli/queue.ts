import { hostname } from 'node:os';
import { sanitizeLine } from '../core/sanitize.ts';
import { openQueueDatabase, QueueUnavailable } from '../queue/database.ts';
import { SessionQueue } from '../queue/session-queue.ts';
import type { CommandHost } from './host.ts';
import { UsageError } from './usage-error.ts';

export interface QueueArguments {
  /** `postgres://…`; true: that of the environment. */
  readonly queue?: string | true;
  /** Seconds. */
  readonly lease?: number;
}

/** How long a session waits for a worker that gives no sign of life, in seconds. */
const DEFAULT_LEASE = 30;

const VARIABLE = 'TURNWISE_QUEUE';

/** Does something with a queue that is closed afterwards. @returns null when it was interrupted. @throws UsageError where it cannot be used */
export async function useQueue<Result>(
  { queue: named, lease = DEFAULT_LEASE }: QueueArguments,
  { env, stderr }: Pick<CommandHost, 'env' | 'stderr'>,
  signal: AbortSignal,
  work: (queue: SessionQueue) => Promise<Result>,
): Promise<Result | null> {
  const url = named === true || named === undefined ? env[VARIABLE] : named;
  if (!url) {
    throw new UsageError(
      `The queue is a Postgres database. Name it: --queue postgres://USER@HOST/DATABASE, or with its password in ${VARIABLE}.`,
    );
  }
  try {
    const warn = (sentence: string) => void stderr.write(`warning: ${sanitizeLine(sentence)}\n`);
    await using database = await openQueueDatabase(url, { signal, warn });
    return await work(new SessionQueue(database, 1000 * lease));
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof QueueUnavailable) throw new UsageError(sanitizeLine(error.message));
    throw error;
  }
}

/** What this process is called in `turnwise status`. */
export function workerName(): string {
  return `${hostname()}:${process.pid}`;
}
