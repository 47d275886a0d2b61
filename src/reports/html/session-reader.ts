import type { Session } from '../../core/session.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import type { RunRecord } from '../../runs/run-store.ts';

/** What a record has of a session besides its report. */
interface RecordedParts {
  readonly facts: SessionOutcome['facts'] | null;
  readonly transcript: Session | null;
}

/** Reads the sessions of a record in the order of its report, a session at a time. */
export class SessionReader implements AsyncDisposable {
  readonly #outcomes: InOrder<SessionOutcome>;
  readonly #transcripts: InOrder<Session>;

  /** @param record null: nothing is known. */
  constructor(record: Pick<RunRecord, 'sessions' | 'transcripts'> | null) {
    this.#outcomes = new InOrder(record?.sessions());
    this.#transcripts = new InOrder(record?.transcripts());
  }

  /** Each session once, in the order of the report. */
  async read(id: string): Promise<RecordedParts> {
    const outcome = await this.#outcomes.take(id);
    return { facts: outcome?.facts ?? null, transcript: await this.#transcripts.take(id) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outcomes.end();
    await this.#transcripts.end();
  }
}

/** Items in the order in which they are asked for, some of which may be missing. */
class InOrder<Item extends { readonly id: string }> {
  readonly #items: AsyncIterator<Item> | undefined;
  #next: Promise<IteratorResult<Item, unknown>> | undefined;

  constructor(items: AsyncIterable<Item> | undefined) {
    this.#items = items?.[Symbol.asyncIterator]();
    this.#next = this.#items?.next();
  }

  async take(id: string): Promise<Item | null> {
    const next = await this.#next;
    if (!next || next.done || next.value.id !== id) return null;
    this.#next = this.#items?.next();
    return next.value;
  }

  async end(): Promise<void> {
    await this.#next;
    await this.#items?.return?.();
  }
}
