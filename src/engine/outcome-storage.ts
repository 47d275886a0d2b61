import type { SessionOutcome } from '../core/session-outcome.ts';

/** Puts aside what is large in the outcomes of finished sessions, so that memory does not grow with it. */
export interface OutcomeStorage {
  /** @returns the same outcome, whose turns and metrics are read again whenever they are asked for */
  put(outcome: SessionOutcome): SessionOutcome;
}
