import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { checkExpectations, endedInError } from '../shared/expectation-outcome.ts';

/** Whether a turn is as its `reference.expectations` say. */
export const turnExpectations = turnMetric({
  name: 'turn_expectations',
  question: 'Did the turn meet what a test expects of it?',
  source: 'Turnwise',
  scale: 'binary',
  threshold: 1,
  needs: ['reference'],

  evaluate({ session, turn, index, findings, ruleIds }): MetricOutcome {
    const { reference } = turn;
    if (!reference?.expectations) return NOTHING_EXPECTED;
    return checkExpectations({
      expectations: reference.expectations,
      subject: { session, turns: [[index, turn]], findings },
      ruleIds,
      isBroken: endedInError(session) && index === session.turns.length - 1,
    });
  },
});

const NOTHING_EXPECTED = notApplicable(
  'Nothing is expected of this turn. State it as its `reference.expectations`, in the session file or in a sidecar X.turnwise.json.',
);
