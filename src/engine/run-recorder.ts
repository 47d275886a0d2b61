import type { Report } from '../core/report.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import type { EarlierAttempt } from '../metrics/attempts/compared-sessions.ts';

/** Stores a run while it happens. A run that cannot be stored is still evaluated. */
export interface RunRecorder {
  /** The interrupted run that is continued; null: a new one. */
  readonly continued: Pick<RunPlan, 'id' | 'startedAt'> | null;
  /** Called before the first session. @throws Error with a sentence where the plan is not that of the run to continue. */
  begin(plan: RunPlan): Promise<void>;
  /** What the interrupted run found about this session; null where it has to be evaluated. */
  known(session: Session): SessionOutcome | null;
  /** What the interrupted run found about sessions that were not read again. */
  unread(): readonly SessionOutcome[];
  /** Stores what was found about a session, now or soon. Never rejects. @returns the outcome with the hashes of its session */
  session(outcome: SessionOutcome, session: Session, index: number): Promise<SessionOutcome>;
  /** Attempts of the same tasks in earlier runs, which count beside those of this one. Never rejects. */
  earlierAttempts(outcomes: readonly SessionOutcome[]): Promise<readonly EarlierAttempt[]>;
  /**
   * Stores what depends on all sessions.
   *
   * @param outcomes in the order of the report's sessions. @returns the report with what other runs add to it
   */
  finish(report: Report, outcomes: readonly SessionOutcome[]): Promise<Report>;
}
