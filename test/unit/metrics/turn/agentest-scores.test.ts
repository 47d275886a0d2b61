import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/finding.ts';
import type { Turn } from '../../../../src/core/session.ts';
import type { TurnMetric } from '../../../../src/metrics/metric.ts';
import { conversationCoherence } from '../../../../src/metrics/turn/conversation-coherence.ts';
import { faithfulness } from '../../../../src/metrics/turn/faithfulness.ts';
import { helpfulness } from '../../../../src/metrics/turn/helpfulness.ts';
import { relevance } from '../../../../src/metrics/turn/relevance.ts';
import { verbosity } from '../../../../src/metrics/turn/verbosity.ts';
import { collectFindings } from '../../../../src/rules/index.ts';
import { toolCall } from '../calls.ts';
import { judgeTurn } from '../judge-script.ts';
import { sessionOf, turnView } from '../views.ts';

const TURN: Partial<Turn> = {
  input: 'What is my total?',
  output: 'Your total is $425.10.',
  inputPointer: '/turns/0/input',
  outputPointer: '/turns/0/output',
  steps: [
    toolCall(
      'get_order',
      { id: 'A-1' },
      { pointer: '/turns/0/steps/0', resultPointer: '/turns/0/r', result: { total: 1 } },
    ),
  ],
};

const answer = { evidence: ['t1.result1', 't1.answer'], reason: 'It names the total.', score: 4 };

/** Each with the names of its bands, from 5 to 1. */
const METRICS: readonly (readonly [TurnMetric, number, readonly string[]])[] = [
  [helpfulness, 3.5, ['advances the goal', 'helpful', 'somewhat helpful', 'minimally helpful', 'unhelpful']],
  [conversationCoherence, 4, ['consistent', 'mostly consistent', 'some contradictions', 'confusing', 'incoherent']],
  [relevance, 4, ['on topic', 'mostly relevant', 'mixed', 'mostly off topic', 'irrelevant']],
  [faithfulness, 4, ['faithful', 'minor misstatements', 'some wrong information', 'several errors', 'fabricated']],
  [verbosity, 3.5, ['just right', 'slightly wordy', 'somewhat verbose', 'too long or too short', 'bloated or terse']],
];

describe.each(METRICS)('$name', (metric, threshold, bands) => {
  const runMetric = (scripted: unknown, turn = TURN, own = {}) =>
    judgeTurn(metric, turn, { [metric.name]: scripted }, own);

  it.each([5, 4, 3, 2, 1])('accepts a score of %d, with its evidence', async (score) => {
    const { result, calls } = await runMetric({ ...answer, score });
    expect(result).toMatchObject({
      status: 'scored',
      score,
      scale: [1, 5],
      band: { name: bands[5 - score] },
      threshold,
      passed: score >= threshold,
      source: 'judge',
      judge: 'openai/m',
      reason: 'It names the total.',
      evidence: [{ pointer: '/turns/0/r' }, { pointer: '/turns/0/output' }],
    });
    expect(result.metadata).toEqual({});
    expect(calls).toEqual([[metric.name]]);
  });

  it.each([
    ['a score below the scale', { ...answer, score: 0 }],
    ['a score above the scale', { ...answer, score: 6 }],
    ['a score between two steps', { ...answer, score: 4.5 }],
    ['no score', { ...answer, score: undefined }],
    ['no reason', { ...answer, reason: undefined }],
    ['an id that was not shown', { ...answer, evidence: ['t7.answer'] }],
  ])('asks again once for %s, then fails', async (_, wrong) => {
    const corrected = await runMetric([wrong, answer]);
    expect(corrected.result).toMatchObject({ status: 'scored', score: 4 });
    expect(corrected.calls).toEqual([[metric.name], [metric.name]]);
    expect(corrected.shown).toContain('Your last answer did not fit');
    const failed = await runMetric(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(failed.calls).toHaveLength(2);
  });

  it('is the mean of several samples, with the reason of the nearest', async () => {
    const samples = [2, 5, 5].map((score) => ({ ...answer, score, reason: `It is a ${score}.` }));
    const { result } = await runMetric(samples, TURN, { settings: { samples: 3 } });
    expect(result).toMatchObject({ score: 4, reason: 'It is a 5.', metadata: { samples: [2, 5, 5] } });
  });

  it('has no score without a model', () => {
    expect(metric.evaluate(turnView(sessionOf([TURN]), 0), {})).toMatchObject({ status: 'needs_judge' });
  });

  it.each<[string, Partial<Turn>]>([
    ['there is no answer', { ...TURN, output: null }],
    ['the answer is blank', { ...TURN, output: ' \n' }],
    ['nothing was recorded', { ...TURN, output: null, captured: false }],
  ])('asks nothing if %s', async (_, turn) => {
    const { result, calls } = await runMetric(answer, turn);
    expect(result).toMatchObject({ status: 'not_applicable', score: null });
    expect(calls).toEqual([]);
  });

  it('asks only metrics that need no request about a turn without one', async () => {
    const byRequest: readonly TurnMetric[] = [helpfulness, relevance];
    const { result } = await runMetric(answer, { ...TURN, input: null });
    expect(result.status).toBe(byRequest.includes(metric) ? 'not_applicable' : 'scored');
  });
});

describe('faithfulness', () => {
  const finding = (rule: string, own: Partial<Finding> = {}): Finding => ({
    rule,
    severity: 'medium',
    label: 'false information',
    turn: 0,
    message: `It was ${rule}.`,
    evidence: [{ pointer: `/${rule}`, note: rule }],
    ...own,
  });
  const faithful = (score: number, ...findings: readonly Finding[]) =>
    judgeTurn(faithfulness, TURN, { faithfulness: { ...answer, score } }, { findings });

  it.each<[string, readonly string[], number]>([
    ['a figure that is restated wrongly', ['misquoted-figure'], 3],
    ['a list that is counted wrongly', ['miscounted-list'], 3],
    ['a deed that no call did', ['claim-without-call'], 3],
    ['success after an error', ['success-after-error'], 3],
    ['tests that did not pass', ['tests-claimed-to-pass'], 3],
    ['two of these', ['misquoted-figure', 'misquoted-figure'], 2],
    ['a value from nowhere', ['ungrounded-value'], 4],
    ['several values from nowhere', ['ungrounded-value', 'ungrounded-value'], 4],
    ['a value from nowhere beside a wrong figure', ['ungrounded-value', 'misquoted-figure'], 3],
  ])('is capped at the value that %s allows', async (_, rules, most) => {
    const { result } = await faithful(5, ...rules.map((rule) => finding(rule)));
    expect(result).toMatchObject({ score: most, metadata: { cap: { most, judged: 5 } } });
    expect(result.reason).toMatch(
      new RegExp(`^It names the total\\. Capped at ${most} \\(the judge gave 5\\): It was `),
    );
  });

  it('says what capped it and links to it', async () => {
    const { result } = await faithful(5, finding('misquoted-figure'));
    expect(result.metadata.cap).toMatchObject({ findings: [{ rule: 'misquoted-figure', calls: [] }] });
    expect(result.evidence[0]).toEqual({ pointer: '/misquoted-figure', note: 'misquoted-figure' });
    expect(result).toMatchObject({ passed: false, band: { name: 'some wrong information' } });
  });

  it("is as low as the judge's score, regardless of findings", async () => {
    const { result } = await faithful(1, finding('misquoted-figure'));
    expect(result).toMatchObject({ score: 1, reason: 'It names the total.' });
    expect(result.metadata).toEqual({});
  });

  it.each<[string, Finding]>([
    ['an observation', finding('misquoted-figure', { severity: 'info', label: null })],
    ['a finding that says nothing about the facts', finding('repeated-call', { label: 'repeated tool call' })],
  ])('is not capped by %s', async (_, actual) => {
    const { result } = await faithful(5, actual);
    expect([result.score, result.metadata]).toEqual([5, {}]);
  });

  it('has no score from findings alone', () => {
    const view = { ...turnView(sessionOf([TURN]), 0), findings: [finding('misquoted-figure')] };
    expect(faithfulness.evaluate(view, {})).toMatchObject({ status: 'needs_judge' });
  });

  it('is capped by findings in a trace', async () => {
    const steps = [toolCall('get_order', { id: 'A-1' }, { result: { order: 'A-1', total: 452.1 } })];
    const session = sessionOf([{ ...TURN, steps }], { system: 'You look orders up.' });
    const findings = collectFindings(session);
    expect(findings.map(({ rule }) => rule)).toContain('misquoted-figure');
    const runMetric = await judgeTurn(
      faithfulness,
      { session, index: 0 },
      { faithfulness: { ...answer, score: 5 } },
      { findings },
    );
    expect(runMetric.result.score).toBe(3);
    expect(runMetric.shown).toContain('[t1.finding1]');
  });
});
