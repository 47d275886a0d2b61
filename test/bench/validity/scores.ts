import type { Result } from '../../../src/core/result.ts';
import type { Session } from '../../../src/core/session.ts';
import { evaluate } from '../../../src/index.ts';
import { createRuleView } from '../../../src/rules/rule-view.ts';

/** What a session is ranked by beside its risk. */
export interface OtherScores {
  readonly reliability: number | null;
  readonly consistency: number | null;
  /** Of the turn where it is lowest; made by the lexical embedder. */
  readonly loopDetection: Result | null;
  readonly calls: number;
  readonly changes: number;
  readonly turns: number;
}

const METRICS = ['agent_reliability', 'agent_consistency', 'loop_detection'];

/** Evaluates the sessions as a user does who has no model. */
export async function otherScores(sessions: readonly Session[]): Promise<ReadonlyMap<Session, OtherScores>> {
  const report = await evaluate(sessions, { metrics: METRICS });
  return new Map(
    sessions.map((session, i) => {
      const { metrics = {}, turns = [] } = report.sessions[i] ?? {};
      const loops = turns
        .flatMap((turn) => turn.metrics.loop_detection ?? [])
        .filter(({ status }) => status === 'scored');
      const { calls } = createRuleView(session);
      return [
        session,
        {
          reliability: metrics.agent_reliability?.score ?? null,
          consistency: metrics.agent_consistency?.score ?? null,
          loopDetection: loops.sort((a, b) => (a.score ?? 1) - (b.score ?? 1))[0] ?? null,
          calls: calls.length,
          changes: calls.filter(({ effect }) => effect === 'changes').length,
          turns: session.turns.length,
        },
      ];
    }),
  );
}
