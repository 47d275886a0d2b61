import { raceAbort } from '../core/async/race-abort.ts';
import {
  type AttemptFailure,
  failureOf,
  isoTime,
  type RecordedStep,
  runAgentTurn,
  STOPPED,
  type TurnParts,
} from './agent-turn.ts';
import type { Scenario } from './scenario.ts';
import type { AgentChatMessage } from './scenario-process.ts';
import type { AttemptUser, Exchange, UserMove } from './user.ts';

export interface RecordedTurn {
  readonly input: string;
  readonly output: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly steps: readonly RecordedStep[];
}

/** What an attempt did, whether or not it came to its end. */
export interface AttemptConversation {
  readonly turns: readonly RecordedTurn[];
  readonly failure: AttemptFailure | null;
  /** How the conversation ended where nothing failed. */
  readonly stop: Extract<UserMove, { type: 'stop' }> | null;
  /** What `mocks.state` said after the last turn; undefined where there is none. */
  readonly finalState: unknown;
}

export interface AttemptParts extends TurnParts {
  readonly scenario: Scenario;
  readonly user: AttemptUser;
}

/**
 * Runs one attempt of a scenario: the user says something, the agent answers, until the user stops. A failing turn is kept,
 * with what was done before it failed. Never rejects.
 */
export async function runAttempt(parts: AttemptParts, signal: AbortSignal): Promise<AttemptConversation> {
  const turns: RecordedTurn[] = [];
  const failWith = (failure: AttemptFailure): AttemptConversation => ({
    turns,
    failure,
    stop: null,
    finalState: undefined,
  });
  try {
    const history: Exchange[] = [];
    let messages: readonly AgentChatMessage[] = [];
    for (;;) {
      const move = await parts.user.next(history, signal);
      if (move.type === 'failed') return failWith(move);
      if (move.type === 'stop') {
        const finalState = parts.scenario.hasState ? await raceAbort(parts.code.finalState(), signal) : undefined;
        if (signal.aborted) return failWith(STOPPED);
        return { turns, failure: null, stop: move, finalState };
      }
      const startedAt = isoTime(parts.now());
      const turn = await runAgentTurn([...messages, { role: 'user', content: move.text }], turns.length, parts, signal);
      messages = turn.messages;
      turns.push({
        input: move.text,
        output: turn.output,
        startedAt,
        endedAt: isoTime(parts.now()),
        steps: turn.steps,
      });
      if (turn.failure) return failWith(turn.failure);
      history.push({ userMessage: move.text, agentMessage: turn.output });
    }
  } catch (error) {
    return failWith(failureOf(error, signal));
  }
}
