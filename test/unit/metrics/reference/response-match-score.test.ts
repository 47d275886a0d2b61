import { describe, expect, it } from 'vitest';
import { responseMatchScore } from '../../../../src/metrics/reference/response-match-score.ts';
import { evaluateTurn } from '../calls.ts';

const match = (output: string | null, response: string) =>
  evaluateTurn(responseMatchScore, { output, reference: { response } });

describe('response_match_score', () => {
  it('is ROUGE-1 F1 of answer and expected answer', () => {
    expect(match('The order has shipped today.', 'The order shipped.')).toMatchObject({
      status: 'scored',
      score: 0.75,
      passed: false,
      source: 'reference',
      reason: "60% of the answer's 5 words are expected, 100% of the expected 3 words are in the answer.",
      evidence: [{ pointer: '/turns/0' }],
      metadata: { precision: 0.6, recall: 1, answerWords: 5, expectedWords: 3 },
    });
    expect(match('Shipped today', 'Shipped, today!')).toMatchObject({ score: 1, passed: true });
  });

  it('is 0 if the agent said nothing', () => {
    expect(match(null, 'Done.')).toMatchObject({ status: 'scored', score: 0, passed: false });
    expect(match('Done.', '')).toMatchObject({ status: 'scored', score: 0, passed: false });
  });

  it('judges nothing if neither text has words', () => {
    expect(match('', '')).toMatchObject({ status: 'vacuous', score: 0, passed: null });
    expect(match('✓', '✓')).toMatchObject({ status: 'vacuous', score: 0 });
  });

  it('is not applicable without an expected answer or a recorded answer', () => {
    expect(evaluateTurn(responseMatchScore, {})).toMatchObject({
      status: 'not_applicable',
      reason: expect.stringMatching(/reference\.response.*X\.turnwise\.json/),
    });
    const unrecorded = { captured: false, output: null, reference: { response: 'Done.' } } as const;
    expect(evaluateTurn(responseMatchScore, unrecorded)).toMatchObject({ status: 'not_applicable' });
  });
});
