import { type Session, type Step, type Turn, turnFile } from '../core/session.ts';

/** Maximum nesting of sub-agents. */
const MAX_DEPTH = 16;

/**
 * Attaches the logs of sub-agents that have files of their sessionLogs to the steps that started them. A log whose session is
 * missing, or does not mention it, stays a session of its sessionLogs.
 */
export function attachSubAgents(sessions: readonly Session[]): Session[] {
  const logs = new Map<string, Map<string, Session>>();
  for (const session of sessions) {
    if (!session.partOf) continue;
    const key = keyOf(session, session.partOf.session);
    const ofSession = logs.get(key) ?? new Map<string, Session>();
    // Ignore copies of a log.
    if (!ofSession.has(session.partOf.step)) ofSession.set(session.partOf.step, session);
    logs.set(key, ofSession);
  }
  if (logs.size === 0) return [...sessions];
  const attached = new Set<Session>();
  const withLogs = sessions.map((session) => {
    const sessionLogs = session.partOf ? undefined : logs.get(keyOf(session, session.id));
    return sessionLogs
      ? { ...session, turns: session.turns.map((turn) => withSubAgentTurns(turn, sessionLogs, attached, 0)) }
      : session;
  });
  return withLogs.flatMap(({ partOf: _, ...session }, index) => {
    const read = sessions[index];
    return read && attached.has(read) ? [] : [session];
  });
}

function keyOf({ source }: Session, id: string): string {
  return JSON.stringify([source.format, id]);
}

/** Adds the turns of logs to a turn's sub-agent steps. Each log is used once. */
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

/** Sets the file on a turn and on all turns inside it. */
function withFile(turn: Turn, log: Session): Turn {
  const steps = turn.steps.map((step) =>
    step.type === 'agent' ? { ...step, turns: step.turns.map((inner) => withFile(inner, log)) } : step,
  );
  return { ...turn, file: turnFile(log, turn), steps };
}
