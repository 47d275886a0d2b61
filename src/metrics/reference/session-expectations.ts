import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { sessionMetric } from '../metric.ts';
import { checkExpectations, endedInError } from '../shared/expectation-outcome.ts';

/** Whether a whole session is as its `reference.expectations` say, and its final state as `reference.finalState`. */
export const sessionExpectations = sessionMetric({
  name: 'session_expectations',
  question: 'Did the whole session meet what a test expects of it?',
  source: 'Turnwise',
  scale: 'binary',
  threshold: 1,
  needs: ['reference'],

  evaluate({ session, findings, ruleIds }): MetricOutcome {
    const { reference, finalState, turns } = session;
    const isStateExpected = reference?.finalState !== undefined && finalState !== undefined;
    if (!reference?.expectations && !isStateExpected) return NOTHING_EXPECTED;
    return checkExpectations({
      expectations: reference?.expectations ?? {},
      ...(isStateExpected ? { finalState: reference.finalState } : {}),
      subject: { session, turns: [...turns.entries()], findings },
      ruleIds,
      isBroken: endedInError(session),
    });
  },
});

const NOTHING_EXPECTED = notApplicable(
  'Nothing is expected of the whole session. State it as its `reference.expectations`, in the session file or in a sidecar X.turnwise.json.',
);
