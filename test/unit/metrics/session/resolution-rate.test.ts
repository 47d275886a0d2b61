import { describe, expect, it } from 'vitest';
import { resolutionRate } from '../../../../src/metrics/session/resolution-rate.ts';
import { evaluateSession, sessionWithSteps, toolCall } from '../calls.ts';
import { judgeSession } from '../judge-script.ts';
import { sessionOf } from '../views.ts';

const SESSION = sessionOf([{ input: 'My order is late.' }, { input: 'Thanks!', output: 'You are welcome.' }]);

const ANSWER = {
  issue: 'The order is late.',
  evidence: ['t1.user', 't1.answer'],
  reason: 'The user was told when it comes.',
  escalated: false,
  score: 1,
  first_contact: true,
};

const evaluate = (...answers: readonly unknown[]) =>
  judgeSession(resolutionRate, SESSION, { resolution_rate: answers });

describe('resolution_rate', () => {
  it.each([
    ['resolved at first contact', {}, 1, true, 'resolved'],
    ['resolved at another contact', { first_contact: false }, 1, true, 'resolved'],
    ['not resolved', { score: 0, first_contact: false }, 0, false, 'not resolved'],
    ['escalated', { score: 0, first_contact: false, escalated: true }, 0, false, 'not resolved'],
  ])('is 1 only for issues resolved without escalation: %s', async (_, own, score, passed, band) => {
    const { result, calls } = await evaluate({ ...ANSWER, ...own });
    expect(result).toMatchObject({
      status: 'scored',
      score,
      passed,
      band: { name: band },
      reason: ANSWER.reason,
      source: 'judge',
      evidence: [{ pointer: '/turns/0' }, { pointer: '/turns/0' }],
    });
    const { first_contact, escalated } = { ...ANSWER, ...own };
    expect(result.metadata).toEqual({ issue: ANSWER.issue, first_contact, escalated });
    expect(calls).toEqual([['resolution_rate']]);
  });

  it('is not applicable if the user has no issue', async () => {
    const { result } = await evaluate({ ...ANSWER, issue: null, score: null, first_contact: false });
    expect(result).toMatchObject({ status: 'not_applicable', score: null, metadata: { issue: null } });
  });

  it.each([
    ['a score of 1 for what was escalated', { escalated: true, first_contact: false }, /\.score: .*escalated is true/],
    ['first contact for what was not resolved', { score: 0 }, /\.first_contact: .*cannot be true/],
    ['a score without an issue', { issue: null }, /\.score: without an issue/],
    ['an issue without a score', { score: null, first_contact: false }, /\.score: there is an issue/],
    ['a score between', { score: 0.5, first_contact: false }, /\.score/],
    ['no word on escalation', { escalated: undefined }, /\.escalated/],
    ['a passage that is not shown', { evidence: ['t3.answer'] }, /\.evidence/],
  ])('asks again once for %s, then fails', async (_, own, complaint) => {
    const wrong = { ...ANSWER, ...own };
    const failed = await evaluate(wrong);
    expect(failed.result).toMatchObject({ status: 'error', score: null });
    expect(failed.calls).toHaveLength(2);
    expect(failed.shown).toMatch(complaint);
    expect((await evaluate(wrong, ANSWER)).result.score).toBe(1);
  });

  it.each(['transfer_to_human_agents', 'escalateTicket', 'mcp__desk__connect_to_live_agent', 'handoff_to_supervisor'])(
    'skips the judge if a call proves the escalation: %s',
    async (name) => {
      const session = sessionWithSteps([], [toolCall('get_order'), toolCall(name)]);
      const { result, calls } = await judgeSession(resolutionRate, session, {});
      expect(result).toMatchObject({
        status: 'scored',
        score: 0,
        source: 'rules',
        reason: `Escalated: \`${name}\` transfers it in turn 2.`,
        evidence: [{ pointer: '/turns/1/steps/1' }],
        metadata: { escalated: true, first_contact: false },
      });
      expect(calls).toEqual([]);
    },
  );

  it.each([
    toolCall('transfer_to_agent'),
    toolCall('transfer_money'),
    toolCall('check_escalation_status'),
    toolCall('ask_human'),
    toolCall('transfer_to_human', {}, { outcome: 'error' }),
    toolCall('transfer_to_human', {}, { outcome: 'rejected' }),
    toolCall('transfer_to_human', {}, { requestedBy: 'user' }),
  ])('does not treat other calls as escalation: $name, $outcome, by the $requestedBy', (call) => {
    expect(evaluateSession(resolutionRate, sessionWithSteps([call])).status).toBe('needs_judge');
  });

  it('is not applicable if no user speaks or nothing was recorded', () => {
    expect(evaluateSession(resolutionRate, sessionOf([{ input: null }, { input: ' ' }])).status).toBe('not_applicable');
    const blank = { output: null, captured: false } as const;
    expect(evaluateSession(resolutionRate, sessionOf([blank, blank])).status).toBe('not_applicable');
    expect(evaluateSession(resolutionRate, sessionOf([blank, {}])).status).toBe('needs_judge');
  });
});
