import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import { answerEvidence } from './evidence.ts';
import { readable } from './text.ts';

const NO_REFERENCE = notApplicable('The turn has no reference answer to compare with.');

/** For metrics that compare the answer with a reference answer. */
export function withoutReference({ turn }: TurnView): MetricOutcome | null {
  return readable(turn.reference?.response ?? null) === '' ? NO_REFERENCE : null;
}

/** Who says nothing says nothing of what was expected: no model has to look at that. */
export function silentBesideReference({ turn }: TurnView): MetricOutcome | null {
  if (readable(turn.output) !== '') return null;
  return {
    status: 'scored',
    score: 0,
    source: 'reference',
    reason: 'An answer was expected, and the turn has none.',
    evidence: [answerEvidence(turn, 'the turn without an answer')],
  };
}
