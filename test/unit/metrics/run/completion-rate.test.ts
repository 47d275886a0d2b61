import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../src/core/result.ts';
import type { Session, Step } from '../../../../src/core/session.ts';
import type { EvaluatedSession } from '../../../../src/metrics/metric.ts';
import { completionRate } from '../../../../src/metrics/run/completion-rate.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';
import { sessionWithSteps, toolCall } from '../calls.ts';
import { resultOf, scored, unscored } from '../views.ts';

interface Given {
  readonly results?: Readonly<Record<string, Result>>;
  readonly session?: Partial<Session>;
  readonly steps?: readonly Step[];
}

function attempt({ results = {}, session = {}, steps = [] }: Given): EvaluatedSession {
  return {
    facts: sessionFacts({ ...sessionWithSteps(steps), ...session }),
    verdict: 'undecided',
    result: (name) => (Object.hasOwn(results, name) ? results[name] : undefined),
  };
}

const over = (...input: readonly Given[]) =>
  resultOf(completionRate.evaluate({ sessions: input.map(attempt) }, undefined), completionRate);

const imported = (name: string, score: number): Given => ({ results: { [name]: scored(score, 'imported') } });
const done = imported('reward', 1);

describe('completion_rate', () => {
  it.each<[string, Given, number]>([
    ['a whole reward', done, 1],
    ['a part of a reward', imported('reward', 0.5), 0],
    ['success', imported('success', 1), 1],
    ['a reference that says so', { session: { reference: { goalReached: true } } }, 1],
    ['a reference that says no', { session: { reference: { goalReached: false } } }, 0],
    ['a judged goal', { results: { goal_completion: scored(1) } }, 1],
    ['a goal that was missed', { results: { goal_completion: scored(0) } }, 0],
    ['an outcome before a judgement', { results: { reward: scored(0, 'imported'), goal_completion: scored(1) } }, 0],
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

  it('is a share of all sessions', () => {
    expect(over(done, imported('reward', 0), done, { ...done, steps: [toolCall('ask_human')] })).toMatchObject({
      score: 0.5,
      reason: '3 of 4 sessions were completed, 1 of them with human help.',
      metadata: { sessions: 4, completed: 3, withHelp: 1, unknown: 0 },
    });
  });

  it('names the missing part: a goal or a judge', () => {
    const aimless = { results: { goal_completion: unscored('not_applicable') } };
    expect(over(done, aimless)).toMatchObject({
      status: 'needs_reference',
      reason: expect.stringMatching(/--context/),
    });
    expect(over(aimless, {})).toMatchObject({ status: 'needs_judge' });
    expect(over(aimless, { results: { goal_completion: unscored('error') } })).toMatchObject({ status: 'error' });
  });

  it('counts unknown outcomes neither as completed nor as failed', () => {
    expect(over(done, {})).toMatchObject({
      status: 'needs_judge',
      score: null,
      reason: expect.stringMatching(/^It is unknown whether 1 of 2 sessions/),
      metadata: { unknown: 1, completed: 1 },
    });
    expect(over(done, { results: { goal_completion: unscored('error') } })).toMatchObject({ status: 'error' });
    expect(over({ results: { goal_completion: unscored('cancelled') } }, {})).toMatchObject({ status: 'cancelled' });
    expect(over()).toMatchObject({ status: 'not_applicable' });
  });
});
