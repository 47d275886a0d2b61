import type { MetricOutcome } from '../../core/result.ts';
import { notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { answerEvidence } from './evidence.ts';
import { textOrEmpty } from './text.ts';

const NO_REFERENCE = notApplicable('The turn has no reference answer to compare with.');

/** For metrics that compare the answer with a reference answer. */
export function requireReferenceAnswer({ turn }: TurnView): MetricOutcome | null {
  return textOrEmpty(turn.reference?.response ?? null) === '' ? NO_REFERENCE : null;
}

/** A turn without an answer scores 0, without asking a judge. */
export function scoreMissingAnswer({ turn }: TurnView): MetricOutcome | null {
  if (textOrEmpty(turn.output) !== '') return null;
  return {
    status: 'scored',
    score: 0,
    source: 'reference',
    reason: 'An answer was expected, and the turn has none.',
    evidence: [answerEvidence(turn, 'the turn without an answer')],
  };
}
