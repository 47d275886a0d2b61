import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';

const NO_EXPECTED_CALLS = notApplicable(
  'Nothing says which tool calls were expected of this turn; write them as its `reference.toolCalls`, in the trace or in a sidecar X.turnwise.json beside it.',
);
const EXPECTED_SOMEWHERE = notApplicable(
  'Tool calls are expected of the whole session, and nothing says of which turn; write them as the `reference.toolCalls` of turns in a sidecar X.turnwise.json.',
);
const NO_EXPECTED_RESPONSE = notApplicable(
  'Nothing says which answer was expected of this turn; write it as its `reference.response`, in the trace or in a sidecar X.turnwise.json beside it.',
);
const NOT_RECORDED = notApplicable(
  'What happened in this turn was not recorded, so it cannot be compared with what was expected.',
);

/** Why the calls of a turn cannot be compared with expected ones; null when they can. */
export function requireExpectedCalls({ session, turn }: TurnView): MetricOutcome | null {
  if (!turn.reference?.toolCalls) return session.reference?.toolCalls ? EXPECTED_SOMEWHERE : NO_EXPECTED_CALLS;
  return turn.captured === false ? NOT_RECORDED : null;
}

/** Why the answer of a turn cannot be compared with an expected one; null when it can. */
export function requireExpectedResponse({ turn }: TurnView): MetricOutcome | null {
  if (turn.reference?.response === undefined) return NO_EXPECTED_RESPONSE;
  return turn.captured === false ? NOT_RECORDED : null;
}
