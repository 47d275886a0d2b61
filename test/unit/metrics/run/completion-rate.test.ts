import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../../src/core/report.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { Step } from '../../../../src/core/session.ts';
import type { EvaluatedSession } from '../../../../src/metrics/metric.ts';
import { completionRate } from '../../../../src/metrics/run/completion-rate.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';
import { sessionWithSteps, toolCall } from '../calls.ts';
import { resultOf, unscored } from '../views.ts';

interface Attempt {
  readonly status?: AgentOutcome['status'];
  readonly results?: Readonly<Record<string, Result>>;
  readonly steps?: readonly Step[];
}

function attempt({ status = 'unknown', results = {}, steps = [] }: Attempt): EvaluatedSession {
  return {
    outcome: { status, source: status === 'unknown' ? null : 'recorded', reason: 'reward', disagrees: [] },
    facts: sessionFacts(sessionWithSteps(steps)),
    verdict: 'undecided',
    result: (name) => (Object.hasOwn(results, name) ? results[name] : undefined),
  };
}

const over = (...input: readonly Attempt[]) =>
  resultOf(completionRate.evaluate({ sessions: input.map(attempt) }, {}), completionRate);

const done: Attempt = { status: 'succeeded' };
const failed: Attempt = { status: 'failed' };

describe('completion_rate', () => {
  it.each<[string, Attempt, number]>([
    ['a session that succeeded', done, 1],
    ['a session that failed', failed, 0],
    ['a hand-over to a human', { ...done, steps: [toolCall('transfer_to_human_agents')] }, 0],
    ['an escalation', { ...done, steps: [toolCall('escalateTicket')] }, 0],
    ['a hand-over that failed', { ...done, steps: [toolCall('transfer_to_human', {}, { outcome: 'error' })] }, 1],
    ['a transfer to another agent', { ...done, steps: [toolCall('transfer_to_agent'), toolCall('humanize')] }, 1],
    ['a hand-over to a live agent', { ...done, steps: [toolCall('connect_to_live_agent')] }, 0],
    ['a look at what became of a hand-over', { ...done, steps: [toolCall('check_escalation_status')] }, 1],
    ['a call that the user rejected', { ...done, steps: [toolCall('rm', {}, { outcome: 'rejected' })] }, 0],
  ])('%s', (_, input, expected) => {
    expect(over(input)).toMatchObject({ status: 'scored', score: expected, source: 'aggregate', passed: null });
  });

  it('is a share of the sessions', () => {
    expect(over(done, failed, done, { ...done, steps: [toolCall('ask_human')] })).toMatchObject({
      score: 0.5,
      reason: '3 of 4 sessions were completed, 1 of them with human help.',
      metadata: { sessions: 4, completed: 3, withHelp: 1, unknown: 0 },
    });
  });

  it('has the mean time of completed sessions, and its share of a baseline', () => {
    const timed = (durationMs: number | null, status: AgentOutcome['status'] = 'succeeded'): EvaluatedSession => {
      const session = attempt({ status });
      return { ...session, facts: { ...session.facts, durationMs } };
    };
    const sessions = [timed(1000), timed(2001), timed(null), timed(9000, 'failed')];
    const metadata = (options: { baselineMs?: number }) =>
      resultOf(completionRate.evaluate({ sessions }, options), completionRate).metadata;
    expect(metadata({ baselineMs: 6002 })).toMatchObject({
      meanMs: 1501,
      timed: 2,
      baselineMs: 6002,
      ofBaseline: 0.25,
    });
    expect(metadata({})).toEqual({ sessions: 4, completed: 3, withHelp: 0, unknown: 0, meanMs: 1501, timed: 2 });
    expect(completionRate.options?.safeParse({ baselineMs: 0 }).success).toBe(false);
  });

  it('leaves out sessions with an unknown outcome and counts them', () => {
    expect(over(done, {}, {}, failed)).toMatchObject({
      score: 0.5,
      reason: '1 of 2 sessions were completed. It is unknown of 2 more sessions.',
      metadata: { sessions: 4, completed: 1, unknown: 2 },
    });
  });

  it('names what is missing if no outcome is known', () => {
    const aimless = { results: { goal_completion: unscored('not_applicable') } };
    expect(over(aimless)).toMatchObject({
      status: 'needs_reference',
      reason: expect.stringMatching(/a sidecar can name it/),
    });
    expect(over(aimless, {})).toMatchObject({
      status: 'needs_judge',
      score: null,
      reason: expect.stringMatching(/^It is unknown whether 2 of 2 sessions/),
    });
    expect(over(aimless, { results: { goal_completion: unscored('error') } })).toMatchObject({ status: 'error' });
    expect(over({ results: { goal_completion: unscored('cancelled') } }, {})).toMatchObject({ status: 'cancelled' });
    expect(over()).toMatchObject({ status: 'not_applicable' });
  });
});
