import { describe, expect, it } from 'vitest';
import { responseEvaluationScore } from '../../../../src/metrics/turn/response-evaluation-score.ts';
import { evaluateTurn } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';

const answer = (score: unknown, own: object = {}) => ({
  evidence: ['t1.answer', 't1.user'],
  reason: `It is worth ${score}.`,
  score,
  ...own,
});

const evaluate = (answers: unknown, options: unknown = {}) =>
  judgeTurn(
    responseEvaluationScore,
    { inputPointer: '/in', outputPointer: '/out' },
    { response_evaluation_score: answers },
    { options },
  );

describe('response_evaluation_score', () => {
  it.each([
    [5, 'excellent', true],
    [4, 'good', true],
    [3, 'acceptable', false],
    [2, 'poor', false],
    [1, 'worthless', false],
  ])("is the judge's score %d: %s", async (score, band, passed) => {
    const { result, calls } = await evaluate(answer(score));
    expect(result).toMatchObject({
      status: 'scored',
      score,
      band: { name: band },
      threshold: 3.5,
      passed,
      source: 'judge',
      reason: `It is worth ${score}.`,
      evidence: [{ pointer: '/out' }, { pointer: '/in' }],
      metadata: {},
    });
    expect(calls).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ['0', answer(0)],
    ['6', answer(6)],
    ['a half', answer(4.5)],
    ['a word', answer('good')],
    ['no score', answer(undefined)],
    ['no reason', answer(4, { reason: null })],
    ['an id that is not shown', answer(4, { evidence: ['t1.result1'] })],
  ])('asks again once after %s, then fails', async (_, misfit) => {
    const { result, calls } = await evaluate(misfit);
    expect(calls).toHaveLength(2);
    expect(result).toMatchObject({ status: 'error', score: null, reason: expect.stringContaining('does not fit') });
    expect((await evaluate([misfit, answer(2)])).result).toMatchObject({ score: 2 });
  });

  it('is the mean of the configured samples, with the reason of the nearest', async () => {
    const { result, calls } = await evaluate([answer(5), answer(4), answer(4)], { samples: 3 });
    expect(calls).toHaveLength(3);
    expect(result).toMatchObject({ score: 13 / 3, reason: 'It is worth 4.', metadata: { samples: [5, 4, 4] } });
  });

  it.each([
    ['the agent speaks first', { input: null }],
    ['there is no answer', { output: null }],
  ])('asks nothing if %s', async (_, turn) => {
    const { result, calls } = await judgeTurn(responseEvaluationScore, turn, {});
    expect(calls).toEqual([]);
    expect(result.status).toBe('not_applicable');
  });

  it('needs a judge', () => {
    expect(evaluateTurn(responseEvaluationScore, {}).status).toBe('needs_judge');
  });
});
