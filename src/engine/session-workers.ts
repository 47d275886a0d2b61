import type { RunPlan } from '../core/run-plan.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { SessionWithLines } from './locations.ts';
import type { OutcomeCollector } from './outcome-collector.ts';

/** What a session became in another thread. */
export interface WorkerResult {
  /** Null where it was aborted, or lost. */
  readonly outcome: SessionOutcome | null;
  /** Why its thread could not evaluate it, as a sentence; null: it could. */
  readonly lost: string | null;
}

/** Evaluates sessions in other threads, which have the functions and models of the plan. */
export interface SessionWorkers {
  /** How many batches are evaluated at once. */
  readonly threads: number;
  /** For how long this thread evaluates alone: other threads are worth their start only then. */
  readonly startAfterMs: number;
  /** A session as it is sent. */
  encode(session: SessionWithLines): string;
  /** @returns a result per session, in their order; null where no thread could be started. Never rejects. */
  evaluate(plan: RunPlan, sessions: readonly string[], signal: AbortSignal): Promise<readonly WorkerResult[] | null>;
}

/** A session of a batch. */
export interface BatchedSession extends SessionWithLines {
  /** Its place in the input. */
  readonly index: number;
  /** From the run that is continued; null where it has to be evaluated. */
  readonly known: SessionOutcome | null;
  /** As it is sent; empty where it is known. */
  readonly text: string;
}

/** Characters of a batch: enough that a thread has work while this one reads, and so few that threads end at about the same time. */
const BATCH_CHARACTERS = 250_000;

/** Yields the sessions of the first milliseconds. */
export async function* takeFor<Item>(items: AsyncIterator<Item, unknown>, ms: number): AsyncGenerator<Item, void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const next = await items.next();
    if (next.done) return;
    yield next.value;
  }
}

/** Divides sessions into batches of about the same size. @param first the place of the first one in the input */
export async function* batchSessions(
  items: AsyncIterator<SessionWithLines, unknown>,
  first: number,
  collector: Pick<OutcomeCollector, 'begin'>,
  { encode }: Pick<SessionWorkers, 'encode'>,
): AsyncGenerator<readonly BatchedSession[], void> {
  let batch: BatchedSession[] = [];
  let characters = 0;
  let index = first;
  for (let next = await items.next(); !next.done; next = await items.next()) {
    const known = collector.begin(next.value.session);
    const text = known ? '' : encode(next.value);
    batch.push({ ...next.value, index, known, text });
    index += 1;
    characters += text.length;
    if (characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
