import type { Expectations } from '../../core/expectations.ts';
import type { MetricOutcome } from '../../core/result.ts';
import type { Session } from '../../core/session.ts';
import { inlineText } from '../../rules/shared/message-format.ts';
import { firstSentences } from './call-descriptions.ts';
import {
  countExpectations,
  describeUncheckedRules,
  type ExpectationSubject,
  type LocatedUnmet,
  unmetExpectations,
  unmetState,
} from './expectation-checks.ts';

interface ExpectationCheck {
  readonly expectations: Expectations;
  /** Expected of the recorded final state; absent where nothing is. */
  readonly finalState?: unknown;
  readonly subject: ExpectationSubject;
  /** Ids of the rules that checked the session. */
  readonly ruleIds: readonly string[];
  /** Whether the subject ended because the run failed, so that the agent could not finish. */
  readonly isBroken: boolean;
}

/** Whether what ran the agent failed, by no fault of the agent that is known. */
export function endedInError({ ending }: Pick<Session, 'ending'>): boolean {
  return ending?.cause === 'error';
}

/** 1 if all is as expected, else 0. What cannot be checked is an error: it neither passes nor fails. */
export function checkExpectations({
  expectations,
  finalState,
  subject,
  ruleIds,
  isBroken,
}: ExpectationCheck): MetricOutcome {
  const { session, turns } = subject;
  const unmet = [
    ...unmetExpectations(expectations, subject),
    ...(finalState === undefined ? [] : unmetState(finalState, session)),
  ];
  const count = countExpectations(expectations) + Number(finalState !== undefined);
  const unchecked =
    turns.length === 0
      ? 'The session has no turn, so its expectations are not checked.'
      : turns.some(([, { captured }]) => captured === false)
        ? 'Not everything was recorded, so the expectations are not checked.'
        : isBroken
          ? `The run ended in an error, so the expectations are not checked: ${inlineText(session.ending?.reason ?? '', MAX_REASON)}`
          : describeUncheckedRules(expectations.noFindings ?? [], ruleIds);
  if (unchecked === null) return toOutcome(unmet, count);
  // Whatever is missing or would have followed, this was done.
  const proven = unmet.filter(({ kind }) => kind === 'forbidden-call' || kind === 'finding');
  return proven.length > 0 ? toOutcome(proven, count) : { status: 'error', reason: unchecked };
}

const MAX_REASON = 140;

/** At most so many are listed for a turn or session. */
const MAX_UNMET = 20;

function toOutcome(unmet: readonly LocatedUnmet[], count: number): MetricOutcome {
  const listed = unmet.slice(0, MAX_UNMET);
  const met = count === 1 ? 'The expectation is met.' : `All ${count} expectations are met.`;
  return {
    status: 'scored',
    score: unmet.length === 0 ? 1 : 0,
    source: 'reference',
    reason: unmet.length === 0 ? met : firstSentences(unmet.map(({ reason }) => reason)),
    evidence: listed.map(({ at }) => at),
    metadata: { expectations: count, unmetCount: unmet.length, unmet: listed.map(({ at: _, ...rest }) => rest) },
  };
}
