import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/core/session.ts';
import { goalCompletion } from '../../../../src/metrics/session/goal-completion.ts';
import { toolCall } from '../calls.ts';
import { judgeSession, type ScriptOptions } from '../judge-script.ts';
import { sessionOf, sessionView } from '../views.ts';

const refund = toolCall('refund', {}, { pointer: '/turns/1/steps/0', result: 'refunded', resultPointer: '/turns/1/r' });
const SESSION = sessionOf([{}, { input: 'Refund it.', output: 'Done.', steps: [refund] }], { goal: 'A refund.' });

const answer = { evidence: ['t2.result1'], reason: 'The refund went through.', score: 1 };

const said = (scripted: unknown, session: Session = SESSION, own: ScriptOptions = {}) =>
  judgeSession(goalCompletion, session, { goal_completion: scripted }, own);

describe('goal_completion', () => {
  it.each([
    [1, 'completed', true],
    [0, 'not completed', false],
  ])('takes a %d for a score, with what it rests on', async (score, band, passed) => {
    const { result, calls, shown } = await said({ ...answer, score });
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
    // The goal, the calls and their results are there to be judged by.
    for (const passage of ['A refund.', 'refund({})', 'refunded']) expect(shown).toContain(passage);
  });

  it.each([
    ['a half', { ...answer, score: 0.5 }],
    ['a score above the scale', { ...answer, score: 2 }],
    ['no score', { ...answer, score: undefined }],
    ['no reason', { ...answer, reason: undefined }],
    ['an id that was not shown', { ...answer, evidence: ['t3.answer'] }],
  ])('asks once more for %s, and is an error if it comes again', async (_, wrong) => {
    const mended = await said([wrong, answer]);
    expect(mended.result).toMatchObject({ status: 'scored', score: 1 });
    expect(mended.calls).toHaveLength(2);
    const failed = await said(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null, passed: null });
    expect(failed.calls).toHaveLength(2);
  });

  it.each<[readonly number[], number]>([
    [[1, 1, 0], 1],
    [[1, 0, 0], 0],
    [[1, 0], 0],
  ])('goes by the majority of several samples: %j is %d', async (votes, score) => {
    const samples = votes.map((vote) => ({ ...answer, score: vote, reason: `It is a ${vote}.` }));
    const { result } = await said(samples, SESSION, { settings: { samples: votes.length } });
    expect(result).toMatchObject({ score, reason: `It is a ${score}.` });
    expect(result.metadata.samples).toHaveLength(votes.length);
  });

  it.each<[string, Session]>([
    ['no goal is named', sessionOf([{}])],
    ['the goal is blank', sessionOf([{}], { goal: ' ' })],
    ['nothing was recorded', sessionOf([{ captured: false, output: null }], { goal: 'A refund.' })],
    ['there are no turns', sessionOf([], { goal: 'A refund.' })],
  ])('asks nothing where %s', async (_, session) => {
    const { result, calls } = await said(answer, session);
    expect(result).toMatchObject({ status: 'not_applicable', score: null });
    expect(calls).toEqual([]);
  });

  it('asks where a part was not recorded', async () => {
    const session = sessionOf([{ captured: false, output: null }, {}], { goal: 'A refund.' });
    expect((await said({ ...answer, evidence: [] }, session)).result.status).toBe('scored');
  });

  it('has no score without a model, and none from findings: they prove no goal unachieved', async () => {
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
    const { result } = await said(answer, SESSION, { findings });
    expect([result.score, result.metadata]).toEqual([1, {}]);
  });
});
