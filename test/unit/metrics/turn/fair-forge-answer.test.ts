import { describe, expect, it } from 'vitest';
import { agenticAnswer } from '../../../../src/metrics/turn/agentic-answer.ts';
import { helpfulness } from '../../../../src/metrics/turn/helpfulness.ts';
import { evaluateTurn } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';

const TURN = { output: 'It comes on 5 May.', reference: { response: 'Delivery: 2025-05-05, by DHL.' } };

const answer = (score: unknown, evidence = ['t1.answer']) => ({ evidence, reason: 'The carrier is missing.', score });

const evaluate = (...answers: readonly unknown[]) => judgeTurn(agenticAnswer, TURN, { agentic_answer: answers });

describe('agentic_answer', () => {
  it.each([
    [1, true],
    [0.7, true],
    [0.69, false],
    [0, false],
  ])("is the judge's score: %d passes: %s", async (score, passed) => {
    const { result } = await evaluate(answer(score));
    expect(result).toMatchObject({
      status: 'scored',
      score,
      threshold: 0.7,
      passed,
      reason: 'The carrier is missing.',
      source: 'judge',
      evidence: [{ pointer: '/turns/0' }],
    });
  });

  it('shows the reference as data, not as instructions', async () => {
    const { shown: prompt } = await evaluate(answer(1));
    const [instructions, data] = prompt.split('# The record');
    expect(data).toMatch(/data: reference_answer\s+Delivery: 2025-05-05, by DHL\./);
    expect(instructions).not.toContain('DHL');
    const other = await judgeTurn(helpfulness, TURN, {});
    expect(other.shown).not.toContain('DHL');
  });

  it.each([
    ['a score above the scale', answer(1.2), /agentic_answer\.score/],
    ['a grade on another scale', answer('4/5'), /agentic_answer\.score/],
    ['no score', { evidence: [], reason: 'Right.' }, /agentic_answer\.score/],
    ['a passage that is not shown', answer(1, ['t2.answer']), /agentic_answer\.evidence/],
  ])('asks again once for %s, then fails, never with 0', async (_, wrong, complaint) => {
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, answer(0.8))).result.score).toBe(0.8);
  });

  it('scores a turn without an answer 0, without a judge', async () => {
    const { result, calls } = await judgeTurn(agenticAnswer, { ...TURN, output: ' ' }, {});
    expect(result).toMatchObject({ status: 'scored', score: 0, passed: false, source: 'reference' });
    expect(result.evidence).toMatchObject([{ pointer: '/turns/0' }]);
    expect(calls).toEqual([]);
  });

  it.each([
    ['no reference', { reference: {} }, 'not_applicable'],
    ['an empty reference', { reference: { response: ' ' } }, 'not_applicable'],
    ['what was not recorded', { ...TURN, output: null, captured: false as const }, 'not_applicable'],
    ['no judge', TURN, 'needs_judge'],
  ])('has no score with %s', (_, turn, status) => {
    expect(evaluateTurn(agenticAnswer, turn)).toMatchObject({ status, score: null });
  });
});
