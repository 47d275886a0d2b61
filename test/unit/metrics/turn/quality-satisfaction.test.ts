import { describe, expect, it } from 'vitest';
import { userSatisfactionProxy } from '../../../../src/metrics/turn/user-satisfaction-proxy.ts';
import { evaluateTurn } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';

const answer = (helpfulness: unknown, completeness: unknown, clarity: unknown) => ({
  evidence: ['t1.answer'],
  helpfulness: { reason: 'No date is given.', score: helpfulness },
  completeness: { reason: 'The order is named.', score: completeness },
  clarity: { reason: 'One sentence.', score: clarity },
});

const evaluate = (...answers: readonly unknown[]) =>
  judgeTurn(userSatisfactionProxy, {}, { user_satisfaction_proxy: answers });

describe('user_satisfaction_proxy', () => {
  it.each([
    [0.5, 0.75, 1, 0.75],
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [0.25, 0, 0.5, 0.25],
  ])(
    'is the mean of helpfulness %d, completeness %d and clarity %d',
    async (helpfulness, completeness, clarity, score) => {
      const { result } = await evaluate(answer(helpfulness, completeness, clarity));
      expect(result).toMatchObject({
        status: 'scored',
        score: expect.closeTo(score, 12),
        source: 'judge',
        passed: null,
      });
      expect(result.metadata).toMatchObject({ helpfulness, completeness, clarity });
    },
  );

  it('gives the reason for each part', async () => {
    const { result } = await evaluate(answer(0.5, 0.75, 1));
    expect(result.reason).toBe(
      'helpfulness 0.50: No date is given. completeness 0.75: The order is named. clarity 1.00: One sentence.',
    );
    expect(result.metadata.reasons).toEqual({
      helpfulness: 'No date is given.',
      completeness: 'The order is named.',
      clarity: 'One sentence.',
    });
    expect(result.evidence).toHaveLength(1);
  });

  it.each([
    ['a score above the scale', answer(1.1, 1, 1), /helpfulness\.score/],
    ['a score below it', answer(1, -0.1, 1), /completeness\.score/],
    ['a word for a score', answer(1, 1, 'high'), /clarity\.score/],
    ['a score that is missing', { ...answer(1, 1, 1), clarity: { reason: 'Clear.' } }, /clarity\.score/],
    ['a passage that is not shown', { ...answer(1, 1, 1), evidence: ['t1.result3'] }, /evidence/],
  ])('asks again once for %s, then fails', async (_, wrong, complaint) => {
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, answer(1, 1, 1))).result.score).toBe(1);
  });

  it('needs a judge, a request and an answer', () => {
    expect(evaluateTurn(userSatisfactionProxy, {}).status).toBe('needs_judge');
    expect(evaluateTurn(userSatisfactionProxy, { input: null }).status).toBe('not_applicable');
    expect(evaluateTurn(userSatisfactionProxy, { output: null }).status).toBe('not_applicable');
  });
});
