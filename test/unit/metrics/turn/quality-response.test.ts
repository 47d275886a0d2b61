import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import { responseQuality } from '../../../../src/metrics/turn/response-quality.ts';
import { judgeTurn } from '../judge-script.ts';

const CRITERIA = [
  ...['query_alignment', 'context_appropriateness', 'user_intent'],
  ...['information_coverage', 'follow_up_handling', 'detail_level'],
  ...['factual_correctness', 'consistency', 'source_attribution'],
];
const ASPECTS = ['relevance', 'completeness', 'clarity', 'accuracy'];

interface Faults {
  /** Criteria that are "no", with the reason. */
  readonly criteria?: Readonly<Record<string, string>>;
  /** Aspects that are 0, with the reason. */
  readonly aspects?: Readonly<Record<string, string>>;
}

/** The judge's answer with exactly these faults. */
function answer({ criteria = {}, aspects = {} }: Faults = {}) {
  const of = (name: string) => ({
    evidence: ['t1.answer'],
    reason: aspects[name] ?? `Nothing against ${name}.`,
    score: name in aspects ? 0 : 1,
  });
  return {
    criteria: Object.fromEntries(
      CRITERIA.map((name) => [name, name in criteria ? { reason: criteria[name], holds: 'no' } : { holds: 'yes' }]),
    ),
    ...Object.fromEntries(ASPECTS.map((name) => [name, of(name)])),
  };
}

const evaluate = (...answers: readonly unknown[]) => judgeTurn(responseQuality, {}, { response_quality: answers });

const DEAR = { detail_level: 'Too shallow.' };

describe('response_quality', () => {
  it.each<[string, Faults, number, string]>([
    ['nothing', {}, 1, 'Relevant, complete, clear and accurate.'],
    [
      'clarity alone',
      { aspects: { clarity: 'Two orders are mixed up.' } },
      0.75,
      'Not clear: Two orders are mixed up.',
    ],
    [
      'two aspects',
      {
        criteria: { user_intent: 'The user wants a refund.', consistency: 'It said May before.' },
        aspects: { accuracy: 'The date differs.', relevance: 'It tells the weather.' },
      },
      0.5,
      'Not relevant: It tells the weather. Not accurate: The date differs.',
    ],
  ])('is the mean of four aspects, with faults in %s', async (_, faults, score, reason) => {
    const { result, calls } = await evaluate(answer(faults));
    expect(result).toMatchObject({ status: 'scored', score, reason, source: 'judge', threshold: null, passed: null });
    expect(result.evidence).toEqual([{ pointer: '/turns/0', note: expect.stringContaining('answer') }]);
    expect(calls).toEqual([['response_quality']]);
  });

  it('has aspects, reasons and the nine criteria in its metadata, under the names of its source', async () => {
    const { result } = await evaluate(answer({ criteria: DEAR, aspects: { completeness: 'No date.' } }));
    expect(result.metadata).toMatchObject({
      relevance: 1,
      completeness: 0,
      clarity: 1,
      accuracy: 1,
      overall: 0.75,
      reasons: { completeness: 'No date.', clarity: 'Nothing against clarity.' },
      criteria: { detail_level: { holds: 'no', reason: 'Too shallow.' }, consistency: { holds: 'yes', reason: null } },
    });
    expect(Object.keys(Object(result.metadata.criteria))).toEqual(CRITERIA);
  });

  it('does not count a criterion that does not apply as failed', async () => {
    const open = { ...answer(), criteria: Object.fromEntries(CRITERIA.map((name) => [name, { holds: null }])) };
    expect((await evaluate(open)).result).toMatchObject({
      score: 1,
      metadata: { criteria: { user_intent: { holds: null, reason: null } } },
    });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'an aspect that passes with a criterion that fails',
      answer({ criteria: DEAR }),
      /completeness\.score.*detail_level/,
    ],
    [
      'an aspect that fails with no criterion that does',
      answer({ aspects: { accuracy: 'Wrong.' } }),
      /accuracy\.score.*factual_correctness/,
    ],
    [
      'a "no" without a reason',
      answer({ criteria: { detail_level: ' ' }, aspects: { completeness: 'Short.' } }),
      /detail_level\.reason.*needs a reason/,
    ],
    ['a score between', { ...answer(), clarity: { evidence: [], reason: '', score: 0.5 } }, /clarity\.score/],
    ['an aspect that is missing', { ...answer(), clarity: undefined }, /clarity/],
    ['a criterion that is missing', { ...answer(), criteria: { consistency: { holds: 'yes' } } }, /query_alignment/],
    [
      'a passage that is not shown',
      { ...answer(), clarity: { evidence: ['t9.answer'], reason: '', score: 1 } },
      /clarity\.evidence/,
    ],
  ])('asks again once for %s, then fails', async (_, wrong, complaint) => {
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, answer())).result).toMatchObject({ status: 'scored', score: 1 });
  });

  it('is at most 0.75 if a rule proves that the answer contradicts a result', async () => {
    const finding: Finding = {
      rule: 'misquoted-figure',
      severity: 'high',
      label: 'false information',
      turn: 0,
      message: 'The answer says 90, the result says 80.',
      evidence: [{ pointer: '/turns/0/output', note: 'the answer' }],
    };
    const judged = (faults: Faults, own: Partial<Finding> = {}) =>
      judgeTurn(responseQuality, {}, { response_quality: answer(faults) }, { findings: [{ ...finding, ...own }] });
    expect((await judged({})).result).toMatchObject({
      score: 0.75,
      reason: expect.stringContaining('The answer says 90'),
      metadata: { cap: { most: 0.75, judged: 1 } },
    });
    const lower = { criteria: DEAR, aspects: { clarity: '', completeness: '' } };
    expect((await judged(lower)).result).toMatchObject({ score: 0.5, metadata: { overall: 0.5 } });
    expect((await judged({}, { severity: 'info', label: null })).result.score).toBe(1);
    expect((await judged({}, { rule: 'hedging' })).result.score).toBe(1);
  });

  it.each([
    ['the agent spoke first', { input: null }],
    ['there is no answer', { output: ' ' }],
    ['nothing was recorded', { output: null, captured: false as const }],
  ])('is not applicable if %s', async (_, turn) => {
    const { result, calls } = await judgeTurn(responseQuality, turn, {});
    expect(result.status).toBe('not_applicable');
    expect(calls).toEqual([]);
  });
});
