import * as z from 'zod/mini';
import type { AnswerCache } from '../llm/answer-cache.ts';
import type { QueueDatabase } from './database.ts';

/** The answers of models to all workers of a database: what a worker asked before it was killed, the next one does not ask. */
export function sharedAnswers(database: QueueDatabase): AnswerCache {
  return {
    async get(key) {
      const found = await database
        .rows(z.object({ answer: z.string() }), 'SELECT answer FROM turnwise.answer WHERE key = $1', [key])
        // The database is gone for good, which the lease of the session says.
        .catch(() => []);
      return found[0]?.answer ?? null;
    },
    async put(key, answer) {
      const sql =
        'INSERT INTO turnwise.answer (key, answer) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET answer = excluded.answer';
      await database.change(sql, [key, answer]).catch(() => 0);
    },
  };
}
