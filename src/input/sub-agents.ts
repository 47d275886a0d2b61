import { type Session, type Step, type Turn, turnFile } from '../core/session.ts';

/** Sub-agents inside sub-agents, as deep as any tool starts them. */
const MAX_DEPTH = 16;

/**
 * Puts the logs of sub-agents that are files of their own behind the calls that started them. One whose session was not
 * read, or does not know it, stays a session by itself.
 */
export function attachSubAgents(sessions: readonly Session[]): Session[] {
  const logs = new Map<string, Map<string, Session>>();
  for (const session of sessions) {
    if (!session.partOf) continue;
    const key = keyOf(session, session.partOf.session);
    const ofSession = logs.get(key) ?? new Map<string, Session>();
    // A copy of a log adds nothing.
    if (!ofSession.has(session.partOf.step)) ofSession.set(session.partOf.step, session);
    logs.set(key, ofSession);
  }
  if (logs.size === 0) return [...sessions];
  const attached = new Set<Session>();
  const whole = sessions.map((session) => {
    const own = session.partOf ? undefined : logs.get(keyOf(session, session.id));
    return own
      ? { ...session, turns: session.turns.map((turn) => withSubAgentTurns(turn, own, attached, 0)) }
      : session;
  });
  return whole.flatMap(({ partOf: _, ...session }, index) => {
    const read = sessions[index];
    return read && attached.has(read) ? [] : [session];
  });
}

function keyOf({ source }: Session, id: string): string {
  return JSON.stringify([source.format, id]);
}

/** A turn in which the steps of sub-agents have the turns of their logs. Each log is used once. */
function withSubAgentTurns(
  turn: Turn,
  logs: ReadonlyMap<string, Session>,
  attached: Set<Session>,
  depth: number,
): Turn {
  if (!turn.steps.some((step) => step.type === 'agent')) return turn;
  const steps = turn.steps.map((step): Step => {
    if (step.type !== 'agent' || depth >= MAX_DEPTH) return step;
    const log = step.id === undefined || step.turns.length > 0 ? undefined : logs.get(step.id);
    if (log && !attached.has(log)) attached.add(log);
    else if (log) return step;
    const turns = log ? log.turns.map((inner) => withFile(inner, log)) : step.turns;
    return { ...step, turns: turns.map((inner) => withSubAgentTurns(inner, logs, attached, depth + 1)) };
  });
  return { ...turn, steps };
}

/** A turn, and all inside it, with the file that they were read from. */
function withFile(turn: Turn, log: Session): Turn {
  const steps = turn.steps.map((step) =>
    step.type === 'agent' ? { ...step, turns: step.turns.map((inner) => withFile(inner, log)) } : step,
  );
  return { ...turn, file: turnFile(log, turn), steps };
}
