import { describe, expect, it } from 'vitest';
import type { Gate, ResultsByMetric } from '../../../src/core/report.ts';
import { type Result, type ScoreSource, toResult } from '../../../src/core/result.ts';
import { expectedOutcome, judgedOutcome } from '../../../src/report-model/agent-outcome.ts';

const template = { range: [0, 1], threshold: 0.8, bands: [], lowerIsBetter: false, implied: false } as const;
const score = (value: number, source: ScoreSource = 'judge'): Result =>
  toResult({ status: 'scored', score: value, source, reason: null }, template);
const missing = toResult({ status: 'needs_judge', reason: 'A judge must answer.' }, template);
const none = toResult({ status: 'not_applicable', reason: 'There is no task.' }, template);

const turns = (...results: Result[]) => results.map((result) => ({ metrics: { task_completion: result } }));
const tasks: ResultsByMetric = { task_completion: score(0.9, 'aggregate') };

describe('what a judge says of a session', () => {
  it('is its goal completion before the tasks of its turns', () => {
    expect(judgedOutcome({ goal_completion: score(0), ...tasks }, turns(score(1)))).toEqual({
      status: 'failed',
      reason: 'goal_completion 0.00 / 1',
    });
    expect(judgedOutcome({ goal_completion: score(1) }, [])?.status).toBe('succeeded');
  });

  it('is a success only if the tasks of all turns that have one are completed', () => {
    expect(judgedOutcome(tasks, turns(score(1), none, score(0.9)))?.status).toBe('succeeded');
    expect(judgedOutcome(tasks, turns(score(1), score(0.4)))).toEqual({
      status: 'failed',
      reason: 'task_completion 0.40 / 1',
    });
    expect(judgedOutcome(tasks, turns(score(1), missing))?.status).toBe('unknown');
  });

  it('is nothing where rules alone gave the score', () => {
    expect(judgedOutcome({ resolution_rate: score(0, 'rules') }, [])).toBeUndefined();
    expect(judgedOutcome({ resolution_rate: score(0, 'imported') }, [])?.status).toBe('failed');
  });
});

describe('what expectations say of a session', () => {
  const gate = (metric: string, met: boolean | null): Gate => ({
    scope: 'session',
    subject: 's',
    metric,
    threshold: 1,
    actual: 0.5,
    scored: 1,
    of: 1,
    met,
    reason: '0.50, required: at least 1.00',
  });

  it('comes from thresholds on metrics that need a reference', () => {
    expect(expectedOutcome([gate('coherence', false)])).toBeUndefined();
    expect(expectedOutcome([gate('tool_trajectory_avg_score', true)])?.status).toBe('succeeded');
    expect(expectedOutcome([gate('tool_trajectory_avg_score', true), gate('response_match_score', false)])).toEqual({
      status: 'failed',
      reason: 'expectation not met: response_match_score 0.50, required: at least 1.00',
    });
    expect(expectedOutcome([gate('tool_trajectory_avg_score', null)])?.status).toBe('unknown');
  });
});
