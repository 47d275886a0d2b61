import type { FailureGroup, Gate, Observation, SessionReport, TurnReport } from '../core/report.ts';

/** Events of a run, in the order in which they happen. */
export type RunEvent =
  | { readonly type: 'started'; readonly sessions: number; readonly turns: number }
  | {
      readonly type: 'turn';
      readonly session: string;
      readonly turn: TurnReport;
      /** Of this turn only, without lines. */
      readonly failures: readonly FailureGroup[];
      readonly observations: readonly Observation[];
      readonly done: number;
      readonly of: number;
    }
  | {
      readonly type: 'session';
      /** Its verdict is final with the report: a judge that groups the failures of all sessions can find some worse. */
      readonly session: SessionReport;
      /** Of the session, not of the run. */
      readonly gates: readonly Gate[];
      /** Whether it is a correct attempt, as pass@k counts it; null where it is not known. */
      readonly isCorrect: boolean | null;
      /** Turns of the run that were evaluated so far, and those that were read. */
      readonly done: number;
      readonly of: number;
    };
