import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../src/core/result.ts';
import type { Session } from '../../../../src/core/session.ts';
import { goalCompletion } from '../../../../src/metrics/session/goal-completion.ts';
import { toolCall } from '../calls.ts';
import { judgeSession, type ScriptOptions } from '../judge-script.ts';
import { scored, sessionOf, sessionView, unscored } from '../views.ts';

const refund = toolCall('refund', {}, { pointer: '/turns/1/steps/0', result: 'refunded', resultPointer: '/turns/1/r' });
const SESSION = sessionOf([{}, { input: 'Refund it.', output: 'Done.', steps: [refund] }], { goal: 'A refund.' });

const answer = { evidence: ['t2.result1'], reason: 'The refund went through.', score: 1 };

const runMetric = (scripted: unknown, session: Session = SESSION, own: ScriptOptions = {}) =>
  judgeSession(goalCompletion, session, { goal_completion: scripted }, own);

describe('goal_completion', () => {
  it.each([
    [1, 'completed', true],
    [0, 'not completed', false],
  ])('accepts a score of %d, with its evidence', async (score, band, passed) => {
    const { result, calls, shown: prompt } = await runMetric({ ...answer, score });
    expect(result).toMatchObject({
      status: 'scored',
      score,
      scale: [0, 1],
      band: { name: band },
      threshold: 0.8,
      passed,
      source: 'judge',
      judge: 'openai/m',
      reason: 'The refund went through.',
      evidence: [{ pointer: '/turns/1/r' }],
    });
    expect(result.metadata).toEqual({});
    expect(calls).toEqual([['goal_completion']]);
    // The prompt shows the goal, the calls and their results.
    for (const passage of ['A refund.', 'refund({})', 'refunded']) expect(prompt).toContain(passage);
  });

  it.each([
    ['a half', { ...answer, score: 0.5 }],
    ['a score above the scale', { ...answer, score: 2 }],
    ['no score', { ...answer, score: undefined }],
    ['no reason', { ...answer, reason: undefined }],
    ['an id that was not shown', { ...answer, evidence: ['t3.answer'] }],
  ])('asks again once for %s, then fails', async (_, wrong) => {
    const corrected = await runMetric([wrong, answer]);
    expect(corrected.result).toMatchObject({ status: 'scored', score: 1 });
    expect(corrected.calls).toHaveLength(2);
    const failed = await runMetric(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(failed.calls).toHaveLength(2);
  });

  it.each<[readonly number[], number]>([
    [[1, 1, 0], 1],
    [[1, 0, 0], 0],
    [[1, 0], 0],
  ])('is the majority of several samples: %j gives %d', async (votes, score) => {
    const samples = votes.map((vote) => ({ ...answer, score: vote, reason: `It is a ${vote}.` }));
    const { result } = await runMetric(samples, SESSION, { settings: { samples: votes.length } });
    expect(result).toMatchObject({ score, reason: `It is a ${score}.` });
    expect(result.metadata.samples).toHaveLength(votes.length);
  });

  it.each<[string, Session]>([
    ['no goal is named', sessionOf([{}])],
    ['the goal is blank', sessionOf([{}], { goal: ' ' })],
    ['nothing was recorded', sessionOf([{ captured: false, output: null }], { goal: 'A refund.' })],
    ['there are no turns', sessionOf([], { goal: 'A refund.' })],
  ])('asks nothing if %s', async (_, session) => {
    const { result, calls } = await runMetric(answer, session);
    expect(result).toMatchObject({ status: 'not_applicable', score: null });
    expect(calls).toEqual([]);
  });

  it('asks if a part was not recorded', async () => {
    const session = sessionOf([{ captured: false, output: null }, {}], { goal: 'A refund.' });
    expect((await runMetric({ ...answer, evidence: [] }, session)).result.status).toBe('scored');
  });

  it('has no score without a model, and findings give none: they do not prove that the goal was missed', async () => {
    const findings = [
      {
        rule: 'success-after-error',
        severity: 'high',
        label: 'ignored tool result',
        turn: 1,
        message: 'It failed.',
        evidence: [{ pointer: '/turns/1', note: 'here' }],
      },
    ] as const;
    expect(goalCompletion.evaluate({ ...sessionView(SESSION), findings }, {})).toMatchObject({ status: 'needs_judge' });
    const { result } = await runMetric(answer, SESSION, { findings });
    expect([result.score, result.metadata]).toEqual([1, {}]);
  });
});

describe('goal_completion of a session without a goal', () => {
  const infer = (resolution: Result | undefined, session = sessionOf([{}])) =>
    goalCompletion.evaluate({ ...sessionView(session), laterResult: async () => resolution }, {});
  const resolved: Result = {
    ...scored(1),
    judge: 'openai/m',
    reason: 'The refund was issued.',
    evidence: [{ pointer: '/turns/0', note: 'the answer' }],
    metadata: { issue: 'A refund.', escalated: false, first_contact: true },
  };

  it.each([1, 0])('is the judged score of resolution_rate, %d, marked as inferred', async (score) => {
    expect(await infer({ ...resolved, score })).toEqual({
      status: 'scored',
      score,
      source: 'judge',
      judge: 'openai/m',
      reason: 'The refund was issued.',
      evidence: [{ pointer: '/turns/0', note: 'the answer' }],
      metadata: { inferred: true, goal: 'A refund.' },
    });
  });

  it.each<[string, Result | undefined, string, RegExp]>([
    ['resolution_rate does not run', undefined, 'not_applicable', /no judge infers one/],
    ['there is no judge', unscored('needs_judge'), 'needs_judge', /no judge is configured/],
    ['the judge failed', unscored('error'), 'error', /resolution_rate has no score/],
    ['there is no issue', unscored('not_applicable'), 'not_applicable', /nothing that the user came with/],
    [
      'the issue was passed on',
      { ...resolved, score: 0, metadata: { issue: 'A refund.', escalated: true } },
      'not_applicable',
      /passed the issue on/,
    ],
    ['only a file gives a score', scored(0, 'imported'), 'not_applicable', /nothing that the user came with/],
  ])('is not scored if %s', async (_, resolution, status, reason) => {
    expect(await infer(resolution)).toMatchObject({ status, reason: expect.stringMatching(reason) });
  });

  it('asks no question of its own', async () => {
    const { calls } = await runMetric(answer, sessionOf([{}]));
    expect(calls).toEqual([]);
  });
});
