import { agentToolCalls, type Session, type TokenUsage, type Turn } from '../../core/session.ts';
import type { SessionFacts } from '../../core/session-outcome.ts';
import { allSteps } from '../../core/steps.ts';
import { involvesHuman } from '../../rules/shared/escalation.ts';
import type { ToolNameTest } from '../../rules/shared/tool-effect.ts';
import { sessionChanges, sessionFingerprint } from './session-changes.ts';

/**
 * What metrics of several sessions, and lists of sessions, read of one, so that none of them needs its transcript.
 *
 * @param changesState whether the user configured a tool as state-changing, whatever its name says
 */
export function sessionFacts(session: Session, changesState?: ToolNameTest): SessionFacts {
  const { turns, reference, task } = session;
  const agentCalls = turns.flatMap(agentToolCalls);
  return {
    toolSequence: agentCalls.map(({ name }) => name),
    neededHuman: agentCalls.some((step) => step.outcome === 'rejected' || involvesHuman(step)),
    ...(reference?.goalReached === undefined ? {} : { goalReached: reference.goalReached }),
    ...measureTurns(turns),
    // Only sessions of a task have other attempts, and what was not recorded cannot be compared.
    ...(task &&
      turns.some(({ captured }) => captured !== false) && {
        ...sessionChanges(session, changesState),
        fingerprint: sessionFingerprint(session),
      }),
  };
}

function measureTurns(turns: readonly Turn[]): Pick<SessionFacts, 'calls' | 'tokens' | 'cost' | 'durationMs'> {
  let calls = 0;
  let tokens: number | null = null;
  let cost: number | null = null;
  for (const turn of turns) {
    for (const step of allSteps(turn)) {
      if (step.type === 'tool') calls += 1;
      else if (step.type === 'model' && step.usage) {
        tokens = (tokens ?? 0) + countTokens(step.usage);
        const own = costOfUsage(step.usage);
        if (own !== null) cost = (cost ?? 0) + own;
      }
    }
  }
  const duration = Date.parse(turns.at(-1)?.endedAt ?? '') - Date.parse(turns[0]?.startedAt ?? '');
  return { calls, tokens, ...(cost !== null && { cost }), durationMs: duration >= 0 ? duration : null };
}

/** In US dollars; null where the trace does not say. A file may say anything. */
export function costOfUsage({ cost }: TokenUsage): number | null {
  return cost !== undefined && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

/** As `token_usage` counts them: tool prompts are apart from the input, reasoning is apart from the output. */
function countTokens({ inputTokens, outputTokens, reasoningTokens, toolPromptTokens }: TokenUsage): number {
  const counts = [inputTokens, outputTokens, reasoningTokens ?? 0, toolPromptTokens ?? 0];
  return counts.reduce((sum, count) => (Number.isFinite(count) && count >= 0 ? sum + count : sum), 0);
}
