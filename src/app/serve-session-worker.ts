import type { Configuration } from '../config/schema.ts';
import { lazy } from '../core/cache/memoize.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import { sessionHashes } from '../core/session-hashes.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { createSessionEvaluator, type EvaluateSession } from '../engine/evaluate-session.ts';
import { NO_JUDGES } from '../engine/judges.ts';
import { allMetrics } from '../metrics/custom/metric-table.ts';
import { RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { serveAsWorker } from '../workers/serve-worker.ts';
import { openLocalEmbedder } from './local-embedder.ts';
import { decodeSessionWithLines, OutcomeBatchEncoder } from './session-batch.ts';

/** Tells these threads from others of the same entry. */
export const SESSION_WORKER = 'sessions';

/** What a thread needs to evaluate sessions of a run. */
export interface SessionWorkerSettings extends Pick<Configuration, 'custom' | 'embedder'> {
  readonly plan: RunPlan;
  /** Whether outcomes have the hashes of their sessions, for a record. */
  readonly addsHashes: boolean;
}

export interface SessionWorkerRequests {
  /** Sessions, and their outcomes, as text; see `session-batch`. */
  readonly evaluate: { readonly params: { readonly sessions: readonly string[] }; readonly result: string };
}

/**
 * Evaluates sessions for the thread that started this one, without models of servers and without functions of the user.
 *
 * @returns whether this thread was started for it
 */
export function serveSessionWorker(rules: readonly Rule[] = RULES): boolean {
  return serveAsWorker<SessionWorkerRequests, SessionWorkerSettings>(SESSION_WORKER, ({ settings, serve }) => {
    const evaluator = lazy(() => createEvaluator(settings, rules));
    const encoder = new OutcomeBatchEncoder();
    serve('evaluate', async ({ sessions }) => {
      const evaluate = await evaluator();
      const outcomes: (SessionOutcome | null)[] = [];
      for (const text of sessions) {
        const { session, lines } = decodeSessionWithLines(text);
        const outcome = await evaluate(session, lines);
        outcomes.push(outcome && settings.addsHashes ? withHashes(outcome, session) : outcome);
      }
      return encoder.encode(outcomes);
    });
  });
}

async function createEvaluator(
  { plan, custom, embedder: configured }: SessionWorkerSettings,
  rules: readonly Rule[],
): Promise<EvaluateSession> {
  const { embedder } = await openLocalEmbedder({ embedder: configured });
  return createSessionEvaluator(plan, {
    metrics: allMetrics(custom),
    rules,
    judges: NO_JUDGES,
    embedder,
    // The main thread ends this one when the run is aborted.
    signal: new AbortController().signal,
    yieldIfDue: () => undefined,
  });
}

function withHashes(outcome: SessionOutcome, session: Session): SessionOutcome {
  return { ...outcome, hashes: sessionHashes(session) };
}
