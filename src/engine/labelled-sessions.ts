import type { Configuration } from '../config/schema.ts';
import { canonicalJson } from '../core/json.ts';
import { feedbackOutcome, recordedOutcome } from '../core/recorded-outcome.ts';
import type { Session } from '../core/session.ts';
import { agreements } from '../metrics/attempts/agreement.ts';
import { groupComparable } from '../metrics/attempts/task-attempts.ts';
import type { RiskSample } from '../metrics/shared/risk-fit.ts';
import { conversationLength } from '../metrics/shared/risk-model.ts';
import { sessionFacts } from '../metrics/shared/session-facts.ts';
import { decideOutcome } from '../report-model/agent-outcome.ts';
import { collectFindings } from '../rules/index.ts';
import { toolNameMatcher } from '../rules/shared/tool-effect.ts';
import { withConfiguredSeverity } from './evaluate-session.ts';
import { hasRecordedTurns, isTestCase } from './gates.ts';
import { applySuppressions } from './suppression.ts';

/** A session of the user, with what the risk depends on; `failed` is null where nothing says how it ended. */
export type OwnSession = Pick<Session, 'source' | 'goal' | 'task'> &
  Omit<RiskSample, 'failed' | 'family' | 'agreement'> & {
    readonly failed: boolean | null;
    readonly id: string;
    readonly facts: ReturnType<typeof sessionFacts>;
  };

/**
 * What the risk of a session depends on, and its outcome: of the trace or the user's feedback. What a judge says does not
 * count, because the risk reads judges too. Null for a session without recorded content.
 */
export function ownSession(session: Session, configuration: Configuration): OwnSession | null {
  if (!hasRecordedTurns(session) || isTestCase(session)) return null;
  const changesState = toolNameMatcher(configuration.stateChangingTools);
  const { findings } = applySuppressions(
    session,
    collectFindings(session, { settings: configuration.rules, changesState }),
  );
  const { status } = decideOutcome({ recorded: recordedOutcome(session), user: feedbackOutcome(session) });
  const { id, source, goal, task } = session;
  return {
    id,
    source,
    goal,
    task,
    facts: sessionFacts(session, changesState),
    domain: 'project',
    set: canonicalJson([task?.dataset ?? null, task?.agent ?? null]),
    findings: findings.map((finding) => withConfiguredSeverity(finding, configuration)),
    length: conversationLength(session),
    failed: status === 'unknown' ? null : status === 'failed',
  };
}

/** The sessions whose outcome is known, each compared with all other attempts of its task. */
export function labelledSamples(sessions: readonly OwnSession[]): RiskSample[] {
  const tasks = [...groupComparable(sessions).values()].filter((group) => group.length > 1);
  const familyOf = new Map(
    tasks.flatMap((group, index) => group.map((session) => [session, `task ${index}`] as const)),
  );
  const agreementOf = new Map(tasks.flatMap(agreementsIn));
  return sessions.flatMap((session, index) => {
    const { failed, domain, set, findings, length } = session;
    if (failed === null) return [];
    const family = familyOf.get(session) ?? `session ${index}`;
    return [{ domain, set, family, findings, length, agreement: agreementOf.get(session) ?? null, failed }];
  });
}

function agreementsIn(group: readonly OwnSession[]): [OwnSession, RiskSample['agreement']][] {
  const compared = agreements(
    group.map(({ task, facts: { changes = [], fingerprint, endedEarly } }) => ({
      changes: changes.map(({ key }) => key),
      agent: task?.agent ?? null,
      fingerprint,
      endedEarly,
    })),
  );
  return group.map((session, index) => {
    const { others = 0, share = null } = compared[index] ?? {};
    return [session, share === null ? null : { others, share }];
  });
}
