import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../src/core/result.ts';
import { evaluateThreshold } from '../../../../src/engine/threshold.ts';
import { meanOutcome, meanScore } from '../../../../src/metrics/aggregate/aggregate.ts';
import { configuration } from '../../engine/support.ts';
import { resultOf, scored, unscored } from '../views.ts';

type Verdicts = Readonly<Record<string, 0 | 1 | null>>;

/** A turn's result whose score is the mean of its verdicts that could be told, or is given. */
function judged(rubrics: unknown, score?: number): Result {
  const messages = Object.values(rubrics ?? {}).filter((verdict) => verdict === 0 || verdict === 1);
  const mean = messages.reduce<number>((sum, item) => sum + item, 0) / messages.length;
  const outcome = {
    status: 'scored',
    score: score ?? mean,
    source: 'judge',
    reason: null,
    metadata: { rubrics },
  } as const;
  return resultOf(outcome, { scale: 'unit', threshold: null });
}

describe('the mean of turns whose scores are means of rubric verdicts', () => {
  it('weighs each verdict equally, and has the mean of each rubric', () => {
    const results = [judged({ a: 1, b: null }), judged({ a: 0, b: 1 }), unscored('not_applicable'), unscored('error')];
    expect(meanOutcome(results, 'turn')).toMatchObject({
      status: 'scored',
      score: 2 / 3,
      reason: "mean of the rubrics' verdicts in 2 scored turns of 3",
      metadata: { scored: 2, of: 3, min: 0.5, max: 1, rubrics: { a: 0.5, b: 1 } },
    });
  });

  it('equals the mean over all verdicts', () => {
    const verdict = fc.constantFrom<0 | 1 | null>(0, 1, null);
    const turn = fc
      .record({ a: verdict, b: verdict, c: verdict })
      .filter((all) => Object.values(all).some((item) => item !== null));
    fc.assert(
      fc.property(fc.array<Verdicts>(turn, { minLength: 1 }), (turns) => {
        const messages = turns.flatMap((all) => Object.values(all)).filter((item) => item !== null);
        const ones = messages.filter((item) => item === 1).length;
        expect(meanScore(turns.map((rubrics) => judged(rubrics)))).toBeCloseTo(ones / messages.length, 9);
      }),
    );
  });

  it('is used by gates too', () => {
    const results = [judged({ a: 1, b: null }), judged({ a: 0, b: 1 })];
    const metric = { name: 'm', scope: 'turn' } as const;
    const gate = (value: number) =>
      evaluateThreshold(
        { name: 'm', metric, value, lowerIsBetter: false, gateScope: 'session' },
        'session',
        's',
        results,
        configuration(),
      );
    expect(gate(0.66)).toMatchObject({ actual: 2 / 3, scored: 2, of: 2, met: true });
    // The mean of the two scores would be 0.75.
    expect(gate(0.7)).toMatchObject({ met: false });
  });

  it.each<[string, unknown, number]>([
    ['other figures', { a: 0.5, b: 1 }, 0.25],
    ['verdicts that the score is not made of', { a: 1, b: 1 }, 0.25],
    ['a list', [1, 1], 0.25],
    ['no verdict', { a: null }, 0.25],
  ])('takes the score itself beside %s', (_, rubrics, score) => {
    const outcome = meanOutcome([judged(rubrics, score), scored(0.75)], 'turn');
    expect(outcome).toMatchObject({ score: 0.5, reason: 'mean of 2 scored turns of 2' });
    expect(outcome.metadata).not.toHaveProperty('rubrics');
  });
});
