import type { MetricOutcome } from '../../core/result.ts';
import { turnMetric } from '../metric.ts';
import { answerEvidence } from '../shared/evidence.ts';
import { requireExpectedResponse } from '../shared/expected-values.ts';
import { rouge1 } from '../shared/rouge.ts';

/** ROUGE-1 F1: words that the answer and the expected answer share. It compares wording, not meaning. */
export const responseMatchScore = turnMetric({
  name: 'response_match_score',
  question: 'How much wording does the answer share with the expected answer?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: 0.8,
  needs: ['reference'],

  evaluate(view): MetricOutcome {
    const skipped = requireExpectedResponse(view);
    if (skipped) return skipped;
    const { turn } = view;
    const { precision, recall, f1, candidate, reference } = rouge1(turn.output ?? '', turn.reference?.response ?? '');
    if (candidate.length + reference.length === 0) return NO_WORDS;
    return {
      status: 'scored',
      score: f1,
      source: 'reference',
      reason:
        candidate.length === 0
          ? `The answer has no words; ${reference.length} were expected.`
          : `${formatPercent(precision)} of the answer's ${countWords(candidate)} are expected, ${formatPercent(recall)} of the expected ${countWords(reference)} are in the answer.`,
      evidence: [answerEvidence(turn, 'the answer')],
      metadata: { precision, recall, answerWords: candidate.length, expectedWords: reference.length },
    };
  },
});

const NO_WORDS: MetricOutcome = Object.freeze({
  status: 'vacuous',
  score: 0,
  source: 'reference',
  reason: 'Neither the answer nor the expected answer has words.',
});

function formatPercent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

function countWords({ length }: readonly string[]): string {
  return `${length} ${length === 1 ? 'word' : 'words'}`;
}
