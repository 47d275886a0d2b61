import type * as z from 'zod/mini';
import type { Session } from '../../core/session.ts';
import type { SessionOutcome } from '../../core/session-outcome.ts';
import { sessionLineSchema, sharedLineSchema, transcriptLineSchema } from './line-schemas.ts';
import { parseLine, toLine } from './lines.ts';
import { SharedValueReader, SharedValues } from './shared-values.ts';

/** Writes finished sessions as lines, without secrets. */
export class SessionLineEncoder {
  readonly #shared = new SharedValues();

  /** What was written may be lost: nothing refers to it from now on. */
  reset(): void {
    this.#shared.reset();
  }

  /** @param index its place in the input. @returns its lines, each with its end */
  encode(outcome: SessionOutcome, index: number, transcript?: Session): string {
    if (this.#shared.isFull) this.#shared.reset();
    const session = {
      type: 'session',
      index,
      outcome: {
        ...outcome,
        turns: outcome.turns.map((turn) => ({ ...turn, metrics: this.#shared.results(turn.metrics) })),
        metrics: this.#shared.results(outcome.metrics),
        problems: outcome.problems.map((problem) => ({
          ...problem,
          title: this.#shared.text(problem.title),
          explanation: this.#shared.text(problem.explanation),
        })),
      },
    };
    const shared = this.#shared.take();
    return [
      shared.values.length === 0 ? '' : toLine({ type: 'shared', ...shared }),
      transcript === undefined ? '' : toLine({ type: 'transcript', id: outcome.id, session: transcript }),
      toLine(session),
    ].join('');
  }
}

const SHARED_START = '{"type":"shared"';

/** Reads the same lines, in their order. */
export class SessionLineDecoder {
  readonly #shared = new SharedValueReader();

  /** Null for lines of other types, and for what is damaged or refers to lost lines. */
  decode(line: string): SessionOutcome | null {
    if (line.startsWith(SHARED_START)) this.#addShared(parseLine(line, sharedLineSchema));
    const session = parseLine(line, sessionLineSchema);
    return session && this.#complete(session.outcome);
  }

  #addShared(line: z.output<typeof sharedLineSchema> | null): void {
    if (line) this.#shared.add(line.from, line.values);
    else this.#shared.clear();
  }

  #complete(outcome: z.output<typeof sessionLineSchema>['outcome']): SessionOutcome | null {
    try {
      return {
        ...outcome,
        turns: outcome.turns.map((turn) => ({ ...turn, metrics: this.#shared.results(turn.metrics) })),
        metrics: this.#shared.results(outcome.metrics),
        problems: outcome.problems.map((problem) => ({
          ...problem,
          title: this.#shared.text(problem.title),
          explanation: this.#shared.text(problem.explanation),
        })),
      };
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }
}

/** Null for lines of other types. @param id only the transcript of this session */
export function decodeTranscript(line: string, id?: string): Session | null {
  const transcript = parseLine(line, transcriptLineSchema);
  return transcript && (id === undefined || transcript.id === id) ? transcript.session : null;
}
