import type { ResultsByMetric, TurnReport } from '../core/report.ts';
import { type Pointer, type Session, turnFile } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { LinesByFile } from '../engine/evaluate-session.ts';
import type { SessionWithLines } from '../engine/locations.ts';
import {
  type EncodedResults,
  type SharedValue,
  SharedValueReader,
  SharedValues,
} from '../runs/record/shared-values.ts';

/**
 * Sessions and their outcomes as text, between threads of one program: copying a text takes a fraction of cloning objects. It is not
 * checked, and has its secrets, unlike what is recorded.
 */

/** A session with the line of each turn. */
interface SentSession {
  readonly session: Session;
  readonly lines: readonly (number | null)[];
}

export function encodeSessionWithLines({ session, lines }: SessionWithLines): string {
  const sent: SentSession = {
    session,
    lines: session.turns.map((turn) => lines.get(turnFile(session, turn))?.get(turn.pointer)?.line ?? null),
  };
  return JSON.stringify(sent);
}

export function decodeSessionWithLines(text: string): { readonly session: Session; readonly lines: LinesByFile } {
  const { session, lines }: SentSession = JSON.parse(text);
  const byFile = new Map<string, Map<Pointer, { readonly line: number }>>();
  for (const [index, turn] of session.turns.entries()) {
    const line = lines[index] ?? null;
    if (line === null) continue;
    const file = turnFile(session, turn);
    const ofFile = byFile.get(file) ?? new Map<Pointer, { readonly line: number }>();
    byFile.set(file, ofFile.set(turn.pointer, { line }));
  }
  return { session, lines: byFile };
}

interface SentTurn extends Omit<TurnReport, 'metrics'> {
  readonly metrics: EncodedResults;
}

interface SentOutcome extends Omit<SessionOutcome, 'turns' | 'metrics'> {
  readonly turns: readonly SentTurn[];
  readonly metrics: EncodedResults;
}

/** Outcomes, and the values that they share and that were not sent before. */
interface SentBatch {
  readonly from: number;
  readonly values: readonly SharedValue[];
  readonly outcomes: readonly (SentOutcome | null)[];
}

/** Encodes the outcomes of one thread. */
export class OutcomeBatchEncoder {
  readonly #shared = new SharedValues();

  encode(outcomes: readonly (SessionOutcome | null)[]): string {
    if (this.#shared.isFull) this.#shared.reset();
    const encode = (results: ResultsByMetric) => this.#shared.results(results);
    const sent = outcomes.map((outcome): SentOutcome | null => {
      if (!outcome) return null;
      const turns = outcome.turns.map((turn) => ({ ...turn, metrics: encode(turn.metrics) }));
      return { ...outcome, turns, metrics: encode(outcome.metrics) };
    });
    const batch: SentBatch = { ...this.#shared.take(), outcomes: sent };
    return JSON.stringify(batch);
  }
}

/** Decodes the outcomes of one thread, in the order in which they were encoded. */
export class OutcomeBatchDecoder {
  readonly #shared = new SharedValueReader();

  decode(text: string): readonly (SessionOutcome | null)[] {
    const { from, values, outcomes }: SentBatch = JSON.parse(text);
    this.#shared.add(from, values);
    const decode = (results: EncodedResults) => this.#shared.results(results);
    return outcomes.map((outcome) => {
      if (!outcome) return null;
      const turns = outcome.turns.map((turn) => ({ ...turn, metrics: decode(turn.metrics) }));
      return { ...outcome, turns, metrics: decode(outcome.metrics) };
    });
  }
}
