import type { AttemptFailure } from './agent-turn.ts';
import type { Scenario } from './scenario.ts';

/** One exchange, as a user sees it. */
export interface Exchange {
  readonly userMessage: string;
  /** Null where the agent said nothing. */
  readonly agentMessage: string | null;
}

export type UserMove =
  | { readonly type: 'message'; readonly text: string }
  /** The conversation is over. `limit`: it was cut off. */
  | { readonly type: 'stop'; readonly cause: 'regular' | 'limit'; readonly reason: string }
  | ({ readonly type: 'failed' } & AttemptFailure);

/** Who talks to the agent in one attempt. */
export interface AttemptUser {
  /** What the user does after these exchanges. Rejects only with the signal's reason. */
  next(history: readonly Exchange[], signal: AbortSignal): Promise<UserMove>;
}

/** A user who says what the scenario says, turn by turn. */
export function scriptedUser(turns: NonNullable<Scenario['turns']>): AttemptUser {
  return {
    next: async ({ length }) => {
      const turn = turns[length];
      return turn
        ? { type: 'message', text: turn.userMessage }
        : { type: 'stop', cause: 'regular', reason: 'end of the script' };
    },
  };
}

const NO_MODEL =
  'needs_judge: its user is simulated by a model, and none is configured. Choose one with --judge ollama:MODEL or in "judge", or write the turns of the user as "turns".';

/** A user whom no model can play. @param reason a sentence; by default, that there is no model */
export function missingUser(reason = NO_MODEL): AttemptUser {
  return { next: async () => ({ type: 'failed', cause: 'error', reason }) };
}
