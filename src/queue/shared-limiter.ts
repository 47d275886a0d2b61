import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { createSemaphore } from '../core/async/semaphore.ts';
import type { Clock } from '../llm/clock.ts';
import type { RateLimiter, RateLimits } from '../llm/rate-limiter.ts';
import type { SessionQueue } from './session-queue.ts';

/** Between two questions whether a slot is free. */
const SLOT_WAIT_MS = { first: 10, last: 200 };

/** The limits of one judge, which all workers of a database share: requests in progress, and requests and tokens of a minute. */
export function sharedLimiter(
  { database, worker, leaseMs }: Pick<SessionQueue, 'database' | 'worker' | 'leaseMs'>,
  judge: string,
  limits: RateLimits,
  clock: Clock,
): RateLimiter {
  // One call of this process asks the database, and the others wait behind it.
  const acquiring = createSemaphore(1);
  const reserving = createSemaphore(1);
  const { concurrency, requestsPerMinute = null, tokensPerMinute = null } = limits;
  return {
    countsTokens: tokensPerMinute !== null,
    async acquire(signal) {
      const done = await acquiring(signal);
      try {
        const id = randomUUID();
        const takeSlot = async () => {
          const [row] = await database.rows(
            z.object({ taken: z.boolean() }),
            "SELECT turnwise.take_slot($1, $2, $3, $4 * interval '1 millisecond', $5) AS taken",
            [id, judge, worker, leaseMs, concurrency],
          );
          return row?.taken ?? false;
        };
        for (let wait = SLOT_WAIT_MS.first; !(await takeSlot()); ) {
          await clock.wait(wait, signal);
          wait = Math.min(2 * wait, SLOT_WAIT_MS.last);
        }
        // Nothing waits for it. A slot that is not given back expires.
        return () => void database.change('DELETE FROM turnwise.judge_slot WHERE id = $1', [id]).catch(() => undefined);
      } finally {
        done();
      }
    },
    async reserve(tokens, signal) {
      signal.throwIfAborted();
      if (requestsPerMinute === null && tokensPerMinute === null) return () => {};
      const done = await reserving(signal);
      try {
        const id = randomUUID();
        for (;;) {
          const [row] = await database.rows(
            z.object({ ms: z.number() }),
            'SELECT turnwise.take_request($1, $2, $3, $4, $5) AS ms',
            [id, judge, Math.round(tokens), requestsPerMinute, tokensPerMinute],
          );
          if (!row?.ms) break;
          await clock.wait(Math.ceil(row.ms), signal);
        }
        return (actual) => {
          if (tokensPerMinute === null || actual === tokens) return;
          const sql = 'UPDATE turnwise.judge_request SET tokens = $2 WHERE id = $1';
          void database.change(sql, [id, Math.round(actual)]).catch(() => undefined);
        };
      } finally {
        done();
      }
    },
  };
}
