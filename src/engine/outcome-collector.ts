import { createProblem, type Problem } from '../core/problem.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { isCorrectAttempt } from '../report-model/attempt-correctness.ts';
import type { EvaluatedTurn } from './evaluate-session.ts';
import type { RunEvent } from './events.ts';
import { evaluateSessionGates } from './gates.ts';
import { type LocationLookup, withLocations } from './locations.ts';
import type { OutcomeStorage } from './outcome-storage.ts';
import { toSessionReport } from './reduce.ts';
import type { RunRecorder } from './run-recorder.ts';

export interface OutcomeCollectorOptions {
  readonly locate: LocationLookup;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  /** Called before each session is evaluated. */
  readonly onSessionStart?: (session: Session) => void;
  readonly recorder?: RunRecorder;
  /** Where outcomes of many sessions are put aside; the report can be read as long as it is there. Without it, they stay in memory. */
  readonly storage?: OutcomeStorage | undefined;
}

/** A session with its place in the input. */
interface CollectedSession {
  readonly session: Session;
  readonly index: number;
}

/** Counts the sessions of a run, records and stores their outcomes, and reports both as events. */
export class OutcomeCollector {
  readonly #plan: RunPlan;
  readonly #options: OutcomeCollectorOptions;
  /** Outcomes of an interrupted run that is continued. */
  readonly known = new Set<SessionOutcome>();
  /** Errors of sessions whose thread ended. */
  readonly lost: Problem[] = [];
  /** Of the first session that was not evaluated. */
  unfinishedFile: string | null = null;
  /** Sessions that were to be evaluated. */
  sessions = 0;
  readonly #read = { sessions: 0, turns: 0 };
  #doneTurns = 0;

  constructor(plan: RunPlan, options: OutcomeCollectorOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  /** Counts a session that was read. */
  count({ turns }: Session): void {
    const { turn } = this.#plan;
    this.#read.sessions += 1;
    this.#read.turns += turn === null ? turns.length : Number(turn < turns.length);
  }

  start(): void {
    this.#options.onEvent?.({ type: 'started', ...this.#read });
  }

  /** @returns what the run that is continued found; null where the session has to be evaluated */
  begin(session: Session): SessionOutcome | null {
    const { onSessionStart, recorder } = this.#options;
    this.sessions += 1;
    onSessionStart?.(session);
    return recorder?.known(session) ?? null;
  }

  turn({ id }: Session, evaluated: EvaluatedTurn): void {
    if (this.#options.signal.aborted) return;
    this.#doneTurns += 1;
    this.#options.onEvent?.({
      type: 'turn',
      session: id,
      turn: evaluated.turn,
      failures: evaluated.failures(),
      observations: evaluated.observations(),
      done: this.#doneTurns,
      of: this.#read.turns,
    });
  }

  /** Adds what the run that is continued found. */
  addKnown(outcome: SessionOutcome): SessionOutcome {
    const stored = this.#add(outcome, outcome.turns.length);
    this.known.add(stored);
    return stored;
  }

  /**
   * Adds what was found; null: the session was not evaluated.
   *
   * @param turns how many of its turns were not reported yet.
   */
  async add(
    evaluated: SessionOutcome | null,
    { session, index }: CollectedSession,
    turns = 0,
  ): Promise<SessionOutcome | null> {
    if (!evaluated) {
      this.unfinishedFile ??= session.source.file;
      return null;
    }
    const { locate, recorder } = this.#options;
    const located = locateEarly(evaluated, locate);
    return this.#add(recorder ? await recorder.session(located, session, index) : located, turns);
  }

  /** Adds the error of a session that could not be evaluated. @param sentence why */
  addLost({ source: { file, pointer } }: Session, sentence: string): void {
    const line = this.#options.locate(file, [pointer]).get(pointer)?.line;
    this.lost.push(createProblem('error', 'session-lost', file, sentence, { pointer, ...(line && { line }) }));
  }

  #add(outcome: SessionOutcome, turns: number): SessionOutcome {
    const { onEvent, storage } = this.#options;
    this.#doneTurns += turns;
    if (onEvent) {
      const gated = evaluateSessionGates(outcome, outcome.problems, this.#plan);
      const report = toSessionReport(outcome, gated);
      const isCorrect = isCorrectAttempt(report, outcome, this.#plan);
      const progress = { done: this.#doneTurns, of: this.#read.turns };
      onEvent({ type: 'session', session: report, gates: gated.gates, isCorrect, ...progress });
    }
    return storage?.put(outcome) ?? outcome;
  }
}

/** Finds the lines of an outcome while they are at hand, where this takes no pass over its file. */
function locateEarly(outcome: SessionOutcome, locate: LocationLookup): SessionOutcome {
  if (!locate.isIndexed?.(outcome.source.file)) return outcome;
  return withLocations([outcome], locate)[0] ?? outcome;
}
