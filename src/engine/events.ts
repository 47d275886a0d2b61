import type { SessionReport, TurnReport } from '../core/report.ts';

/** What a run tells while it goes on, in the order in which it happens. */
export type RunEvent =
  | { readonly type: 'started'; readonly sessions: number; readonly turns: number }
  | {
      readonly type: 'turn';
      readonly session: string;
      readonly turn: TurnReport;
      readonly done: number;
      readonly of: number;
    }
  /** Its verdict is final with the report: a judge that groups the failures of all sessions can find some worse. */
  | { readonly type: 'session'; readonly session: SessionReport };
