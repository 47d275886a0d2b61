import { describe, expect, it } from 'vitest';
import { aggregateResults } from '../../../../src/metrics/aggregate/aggregate.ts';
import { communicationStyle } from '../../../../src/metrics/turn/communication-style.ts';
import { evaluateTurn } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';
import { resultOf, sessionOf, turnView } from '../views.ts';

const ANSWER = {
  evidence: ['t1.answer', 't1.user'],
  reason: 'It takes up the worry of the user.',
  tone: 'helpful',
  clarity: 'verbose',
  appropriateness: 'appropriate',
  engagement: 'high',
};

const runMetric = (...answers: readonly unknown[]) =>
  judgeTurn(communicationStyle, {}, { communication_style: answers });

describe('communication_style with a judge', () => {
  it('has the tone as its label and all four as its labels', async () => {
    const { result } = await runMetric(ANSWER);
    expect(result).toMatchObject({
      status: 'scored',
      score: null,
      label: 'helpful',
      labels: ['helpful', 'clarity: verbose', 'appropriateness: appropriate', 'engagement: high'],
      threshold: null,
      passed: null,
      reason: 'It takes up the worry of the user.',
      source: 'judge',
      metadata: { tone: 'helpful', clarity: 'verbose', appropriateness: 'appropriate', engagement: 'high' },
    });
    expect(result.evidence).toHaveLength(2);
    expect(result.failures ?? []).toEqual([]);
  });

  it.each([
    ['a tone that is not in the list', { ...ANSWER, tone: 'cheerful' }, /communication_style\.tone/],
    ['a style that is missing', { ...ANSWER, engagement: undefined }, /communication_style\.engagement/],
    ['two tones', { ...ANSWER, tone: ['friendly', 'helpful'] }, /communication_style\.tone/],
    ['a passage that is not shown', { ...ANSWER, evidence: ['t7.answer'] }, /communication_style\.evidence/],
  ])('asks again once for %s, then fails', async (_, wrong, complaint) => {
    const failed = await runMetric(wrong);
    expect(failed.result).toMatchObject({ status: 'error', label: null, labels: [] });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await runMetric(wrong, ANSWER)).result.label).toBe('helpful');
  });
});

it('uses the tone of most turns as the style of a session', () => {
  const style = (tone: string) =>
    resultOf(
      { status: 'scored', label: tone, labels: [tone, 'clarity: clear'], source: 'judge', reason: null },
      communicationStyle,
    );
  const frame = { range: null, threshold: null, bands: [], lowerIsBetter: false, implied: false };
  expect(aggregateResults(['neutral', 'friendly', 'friendly'].map(style), frame)).toMatchObject({
    label: 'friendly',
    labels: ['friendly', 'neutral', 'clarity: clear'],
    metadata: { counts: { friendly: 2, neutral: 1, 'clarity: clear': 3 } },
  });
});

describe('communication_style without a model', () => {
  it.each([
    ["I'm HAPPY to help. Regarding your order:", 'friendly', ['happy to help'], 'The answer has "happy to help".'],
    ['Thank you. Please wait.', 'friendly', ['please', 'thank you'], 'The answer has "please" and "thank you".'],
    ['Furthermore, the fee is waived.', 'professional', ['furthermore'], 'The answer has "furthermore".'],
    ['It is on its way.', 'neutral', [], 'The answer has no word from the lists of tones.'],
  ])('finds the tone of %j with the word lists of its source', (output, tone, words, reason) => {
    const result = evaluateTurn(communicationStyle, { output, outputPointer: '/turns/0/output' });
    expect(result).toMatchObject({ status: 'scored', label: tone, labels: [tone], source: 'rules', reason });
    expect(result.metadata).toEqual({ tone, clarity: null, appropriateness: null, engagement: null, words });
    expect(result.evidence).toMatchObject([{ pointer: '/turns/0/output' }]);
  });

  it('needs a judge for another script or with rules disabled', () => {
    expect(evaluateTurn(communicationStyle, { output: 'Пожалуйста, подождите.' })).toMatchObject({
      status: 'needs_judge',
      label: null,
      reason: expect.stringContaining('English'),
    });
    const view = turnView(sessionOf([{ output: 'Please wait.' }]), 0);
    const off = communicationStyle.evaluate({ ...view, ruleIds: [] }, undefined);
    if (off instanceof Promise) throw new Error('Nothing was to be asked.');
    expect(resultOf(off, communicationStyle).status).toBe('needs_judge');
  });

  it('is not applicable to a turn without an answer', () => {
    expect(evaluateTurn(communicationStyle, { output: null }).status).toBe('not_applicable');
  });
});
