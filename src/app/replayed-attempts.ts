import type { Session } from '../core/session.ts';
import { replayAgent, replayedUser } from '../scenarios/agents/replay.ts';
import type { PlannedAttempt } from '../scenarios/run-scenarios.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { scriptedUser } from '../scenarios/user.ts';

/** What opens the two sides of an attempt. */
export type AttemptOpeners = Pick<PlannedAttempt, 'openAgent' | 'openUser'>;

/** An attempt whose answers were recorded. */
export function openReplay(agent: string, recording: Session, { turns }: Scenario): AttemptOpeners {
  return {
    openAgent: () => replayAgent(agent, recording),
    openUser: () => (turns ? scriptedUser(turns) : replayedUser(recording)),
  };
}

/** The named session, else that of the scenario, or the only one that there is. */
export function findRecording(
  sessions: readonly Session[],
  { name }: Scenario,
  wanted: string | undefined,
): Session | undefined {
  if (wanted !== undefined) return sessions.find(({ id }) => id === wanted);
  const [first, second] = sessions;
  return sessions.find(({ task, id }) => task?.id === name || id === name) ?? (second ? undefined : first);
}

export function notRecorded(name: string): string {
  return `"${name}" cannot be replayed: no attempt at it is recorded. Run it once.`;
}
