import { describe, expect, it } from 'vitest';
import {
  feedbackOutcome,
  outcomeOfGrade,
  outcomeOfGrades,
  outcomeOfReward,
  recordedOutcome,
} from '../../../src/core/recorded-outcome.ts';
import type { Feedback, Session } from '../../../src/core/session.ts';

const session = (more: Partial<Session>): Session => ({
  id: 's',
  source: { file: 's.json', format: 'turnwise', pointer: '' },
  turns: [],
  ...more,
});

describe('a reward', () => {
  it.each([
    [1, 'succeeded', 'reward 1.0 in the trace'],
    [0.9999999, 'succeeded', 'reward 1.0 in the trace'],
    [0.4, 'failed', 'reward 0.4 in the trace'],
    [0, 'failed', 'reward 0.0 in the trace'],
    [-1, 'unknown', 'reward -1 in the trace is no reward from 0 to 1'],
    [7, 'unknown', 'reward 7 in the trace is no reward from 0 to 1'],
    [Number.NaN, 'unknown', 'reward NaN in the trace is no reward from 0 to 1'],
    ['1', 'unknown', 'reward "1" in the trace is no reward from 0 to 1'],
  ] as const)('of %s is %s', (value, status, reason) => {
    expect(outcomeOfReward(value)).toEqual({ status, reason });
  });

  it.each([undefined, null])('that is missing (%s) says nothing', (value) => {
    expect(outcomeOfReward(value)).toBeUndefined();
  });
});

describe('a grade', () => {
  it.each([
    [true, 'succeeded'],
    ['C', 'succeeded'],
    ['Passed', 'succeeded'],
    [1, 'succeeded'],
    [false, 'failed'],
    ['I', 'failed'],
    ['N', 'failed'],
    [0, 'failed'],
    [0.7, 'unknown'],
    ['P', 'unknown'],
    ['maybe', 'unknown'],
    [{}, 'unknown'],
  ] as const)('%j is read as %s', (value, status) => {
    expect(outcomeOfGrade(value, 'match')?.status).toBe(status);
  });

  it('fails if one of several graders says no, and names it', () => {
    expect(
      outcomeOfGrades([
        ['match', 'C'],
        ['safe', 'I'],
        ['style', 0.5],
      ]),
    ).toEqual({
      status: 'failed',
      reason: 'safe "I" in the trace',
    });
  });

  it('is unknown if a grader says neither and none says no', () => {
    expect(
      outcomeOfGrades([
        ['match', 'C'],
        ['style', 0.5],
      ]),
    ).toEqual({
      status: 'unknown',
      reason: 'style 0.5 says neither success nor failure',
    });
  });

  it('says nothing without a grader', () => {
    expect(outcomeOfGrades([])).toBeUndefined();
  });
});

describe('the outcome that a session carries', () => {
  it('is its own before that of a score, and that of a score before its reference', () => {
    const outcome = { status: 'failed', reason: 'tests failed' } as const;
    const scores = { reward: 1 };
    const reference = { goalReached: false };
    expect(recordedOutcome(session({ outcome, scores, reference }))).toBe(outcome);
    expect(recordedOutcome(session({ scores, reference }))?.status).toBe('succeeded');
    expect(recordedOutcome(session({ reference }))).toEqual({
      status: 'failed',
      reason: 'goalReached false in the trace',
    });
    expect(recordedOutcome(session({ scores: { helpfulness: 1 } }))).toBeUndefined();
  });

  it('reads words and numbers of outcome scores', () => {
    expect(recordedOutcome(session({ scores: { success: 'true' } }))?.status).toBe('succeeded');
    expect(recordedOutcome(session({ scores: { resolved: 0 } }))?.status).toBe('failed');
    expect(recordedOutcome(session({ scores: { passed: 'unclear' } }))?.status).toBe('unknown');
  });
});

describe("the user's feedback on a session", () => {
  const feedback = (...entries: Feedback[]) => feedbackOutcome(session({ feedback: entries }));

  it('is the last entry about the session itself', () => {
    expect(
      feedback({ value: 'up' }, { value: 'down', note: 'wrong card' }, { value: 'up', metric: 'coherence' }),
    ).toEqual({
      status: 'failed',
      reason: 'thumbs down from the user: wrong card',
    });
  });

  it('says nothing where only scores and findings were rated', () => {
    expect(feedback({ value: 'up', rule: 'hedging' })).toBeUndefined();
  });
});
