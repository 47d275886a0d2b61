import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';

const NO_EXPECTED_CALLS = notApplicable(
  'This turn has no expected tool calls. Add them as its `reference.toolCalls`, in the trace or in a sidecar X.turnwise.json.',
);
const EXPECTED_OF_SESSION = notApplicable(
  'The expected tool calls belong to the whole session, not to a turn. Add them as the `reference.toolCalls` of turns in a sidecar X.turnwise.json.',
);
const NO_EXPECTED_RESPONSE = notApplicable(
  'This turn has no expected answer. Add it as its `reference.response`, in the trace or in a sidecar X.turnwise.json.',
);
const NOT_RECORDED = notApplicable('This turn was not recorded, so it cannot be compared with what was expected.');

/** Why the calls of a turn cannot be compared with expected ones; null when they can. */
export function requireExpectedCalls({ session, turn }: TurnView): MetricOutcome | null {
  if (!turn.reference?.toolCalls) return session.reference?.toolCalls ? EXPECTED_OF_SESSION : NO_EXPECTED_CALLS;
  return turn.captured === false ? NOT_RECORDED : null;
}

/** Why the answer of a turn cannot be compared with an expected one; null when it can. */
export function requireExpectedResponse({ turn }: TurnView): MetricOutcome | null {
  if (turn.reference?.response === undefined) return NO_EXPECTED_RESPONSE;
  return turn.captured === false ? NOT_RECORDED : null;
}
