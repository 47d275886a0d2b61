import type { UnmetExpectation } from '../core/expectations.ts';
import type { Gate, ResultsByMetric } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { RunPlan } from '../core/run-plan.ts';
import type { Session } from '../core/session.ts';
import type { AgentProblem, SessionOutcome } from '../core/session-outcome.ts';
import { EXPECTATION_NOT_MET, severityOfLabel } from '../core/severity.ts';
import { turnExpectations } from '../metrics/reference/turn-expectations.ts';
import { EXPECTATIONS_GATE } from '../report-model/agent-outcome.ts';
import { type ExpectationResult, expectationResults, unmetOf } from '../report-model/expectation-results.ts';
import { inSentence } from '../report-model/problem-titles.ts';
import { locate } from './locations.ts';

/**
 * Fails a session that is not as expected; undecided where something could not be checked. Null where nothing is expected of
 * it, or nobody looked.
 */
export function expectationGate({
  id,
  turns,
  metrics,
  endingError,
}: Pick<SessionOutcome, 'id' | 'turns' | 'metrics' | 'endingError'>): Gate | null {
  const results = expectationResults(
    turns.map((turn) => turn.metrics),
    metrics,
  );
  if (results.length === 0) return null;
  const scored = results.filter(({ result }) => result.status === 'scored');
  const failed = scored.find(({ result }) => result.passed === false);
  const open = results.find(({ result }) => result.status !== 'scored');
  const met = failed ? false : open || endingError !== undefined ? null : true;
  return {
    scope: 'session',
    subject: id,
    metric: EXPECTATIONS_GATE,
    threshold: 'succeeded',
    actual: met === null ? 'unknown' : met ? 'succeeded' : 'failed',
    scored: scored.length,
    of: results.length,
    met,
    reason: failed ? describeUnmet(scored) : met ? 'all expectations are met' : describeOpen(open?.result),
  };
}

function describeOpen(result: Result | undefined): string {
  return result?.reason ? inSentence(result.reason) : 'the run ended before all of it could be checked';
}

/** Kinds that show in a turn even if the whole session is expected to have or not to have it. */
const SHOWN_IN_TURN: readonly UnmetExpectation['kind'][] = [
  'arguments',
  'order',
  'extra-call',
  'forbidden-call',
  'finding',
];

/** `expected call refund_order was not made (turn 2) and 1 more`. */
function describeUnmet(results: readonly ExpectationResult[]): string {
  const unmet = results.flatMap(({ metric, result }) => unmetOf(result).map((one) => ({ metric, ...one })));
  const [first, ...others] = unmet;
  if (!first) return 'the file says that its expectations are not met';
  const isInTurn = first.metric === turnExpectations.name || SHOWN_IN_TURN.includes(first.kind);
  const where = isInTurn ? ` (turn ${first.turn + 1})` : '';
  return `${inSentence(first.title)}${where}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** A problem for each expectation that is not met, grouped by its title. */
export function expectationProblems(
  session: Session,
  { turns, metrics }: { readonly turns: Iterable<ResultsByMetric>; readonly metrics: ResultsByMetric },
  { severities }: Pick<RunPlan, 'severities'>,
): AgentProblem[] {
  const severity = severityOfLabel(EXPECTATION_NOT_MET, severities);
  if (severity === null) return [];
  return expectationResults(turns, metrics).flatMap(({ metric, result }) =>
    unmetOf(result).map(({ title, reason, turn }, index): AgentProblem => {
      const evidence = result.evidence.slice(index, index + 1);
      return {
        occurrence: {
          ...locate(session.id, session, turn, evidence),
          label: EXPECTATION_NOT_MET,
          severity,
          metric,
          rule: null,
          reason,
        },
        isJudged: false,
        isSeverityFixed: Object.hasOwn(severities, EXPECTATION_NOT_MET),
        key: JSON.stringify(['expectation', title]),
        title,
        explanation: reason,
      };
    }),
  );
}
