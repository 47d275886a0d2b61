import { describe, expect, it } from 'vitest';
import { outcomeOfReward } from '../../../../src/core/recorded-outcome.ts';
import { toResult } from '../../../../src/core/result.ts';
import type { Task } from '../../../../src/core/session.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import {
  type Attempt,
  correctness,
  countCorrect,
  DEFAULT_ESTIMATES,
  groupAttempts,
  summarizeAttempts,
} from '../../../../src/metrics/attempts/task-attempts.ts';
import { sessionFacts } from '../../../../src/metrics/shared/session-facts.ts';
import { decideOutcome } from '../../../../src/report-model/agent-outcome.ts';
import { scored, session } from '../../engine/support.ts';

interface Given {
  readonly task?: Task;
  readonly goal?: string;
  readonly verdict?: Verdict;
  readonly scores?: Readonly<Record<string, number>>;
  readonly format?: string;
  readonly hasThreshold?: boolean;
  /** What a judge says. */
  readonly judged?: 'succeeded' | 'failed';
}

function attempt(id: string, given: Given): Attempt {
  const { task, goal, verdict = 'passed', scores = {}, format = 'turnwise', hasThreshold = false, judged } = given;
  const subject = session(id, [], { task, goal, source: { file: `${id}.json`, format, pointer: '' } });
  const frame = { range: [0, 1], threshold: null, bands: [], lowerIsBetter: false, implied: false } as const;
  return {
    evaluated: { id, source: subject.source, goal, task, turns: [], metrics: {} },
    outcome: decideOutcome({
      recorded: outcomeOfReward(scores.reward),
      judge: judged && { status: judged, reason: 'task_completion' },
    }),
    hasThreshold,
    facts: sessionFacts(subject),
    verdict,
    result: (name) => {
      const score = scores[name];
      return score === undefined ? undefined : toResult(scored(score), frame);
    },
  };
}

const ids = (attempts: readonly Attempt[]) =>
  groupAttempts(attempts).map((scenario) => scenario.attempts.map(({ evaluated }) => evaluated.id));

describe('attempts of one task', () => {
  it('are sessions of one format, dataset, agent and task', () => {
    const task = { id: '1', dataset: 'd', agent: 'x' };
    expect(
      ids([
        attempt('a', { task }),
        attempt('b', { task: { ...task, trial: '2' } }),
        attempt('other task', { task: { ...task, id: '2' } }),
        attempt('other agent', { task: { ...task, agent: 'y' } }),
        attempt('other dataset', { task: { ...task, dataset: 'e' } }),
        attempt('other format', { task, format: 'tau-bench' }),
        attempt('no task', {}),
      ]),
    ).toEqual([['a', 'b'], ['other task'], ['other agent'], ['other dataset'], ['other format']]);
  });

  it('have one goal if no dataset distinguishes tasks with the same id', () => {
    expect(
      ids([
        attempt('a', { task: { id: '1' }, goal: 'book a flight' }),
        attempt('b', { task: { id: '1' }, goal: 'return shoes' }),
        attempt('c', { task: { id: '1' }, goal: 'book a flight' }),
      ]),
    ).toEqual([['a', 'c'], ['b']]);
  });

  it('may have different goals if a person declared the task', () => {
    const task = { id: 'refund', declared: true } as const;
    expect(ids([attempt('a', { task, goal: 'book a flight' }), attempt('b', { task, goal: 'return shoes' })])).toEqual([
      ['a', 'b'],
    ]);
  });
});

describe('correctness', () => {
  const task = { id: '1' };
  const one = (input: Given, correctBy?: string) => {
    const subject = attempt('a', { task, ...input });
    return correctness(correctBy, [subject]).of(subject);
  };

  it('is an imported outcome if the file has one', () => {
    expect(one({ scores: { reward: 1 }, verdict: 'failed' })).toBe(true);
    expect(one({ scores: { reward: 0.5 }, verdict: 'passed' })).toBe(false);
  });

  it('is otherwise what the judge says of the outcome', () => {
    expect(one({ judged: 'succeeded', verdict: 'failed' })).toBe(true);
    expect(one({ judged: 'failed', verdict: 'passed' })).toBe(false);
  });

  it('is the verdict where a threshold decides it, and unknown if that is undecided', () => {
    expect(one({ verdict: 'passed', hasThreshold: true })).toBe(true);
    expect(one({ verdict: 'failed', hasThreshold: true })).toBe(false);
    expect(one({ verdict: 'undecided', hasThreshold: true })).toBe(null);
  });

  it('is unknown where nothing says how the session ended, whether or not rules object', () => {
    expect(one({ verdict: 'passed' })).toBe(null);
    expect(one({ verdict: 'failed' })).toBe(null);
  });

  it.each<[string, Given[]]>([
    ['outcome', [{ scores: { reward: 1 } }, {}]],
    ['verdict', [{ hasThreshold: true }]],
    ['outcome, else verdict', [{ scores: { reward: 1 }, hasThreshold: true }, { hasThreshold: true }]],
  ])('names what decides: %s', (by, attempts) => {
    const subjects = attempts.map((given, index) => attempt(String(index), { task, ...given }));
    expect(correctness(undefined, subjects).by).toBe(by);
  });

  it('is decided by the configured metric', () => {
    expect(one({ scores: { reward: 0, m: 1 } }, 'm')).toBe(true);
    expect(one({ scores: { reward: 0 }, verdict: 'passed' }, 'verdict')).toBe(true);
    expect(one({ scores: { reward: 1 } }, 'absent')).toBe(null);
  });

  it('counts an undecided attempt neither as correct nor as tried', () => {
    const scenario = {
      name: 's',
      attempts: (['passed', 'undecided', 'failed'] as const).map((verdict) => attempt(verdict, { task, verdict })),
    };
    expect(countCorrect(scenario, correctness('verdict', scenario.attempts))).toEqual({
      n: 2,
      c: 1,
      undecided: 1,
    });
  });
});

describe('the table of attempts', () => {
  it('is the mean over tasks, unbiased up to the smallest number of attempts', () => {
    expect(
      summarizeAttempts(
        [
          { n: 4, c: 2, undecided: 1 },
          { n: 2, c: 2, undecided: 0 },
          { n: 0, c: 0, undecided: 2 },
        ],
        'reward',
        DEFAULT_ESTIMATES,
      ),
    ).toMatchObject({
      estimator: 'unbiased',
      correctBy: 'reward',
      scenarios: 2,
      leftOut: 3,
      table: [
        { k: 1, passAtK: 0.75, passPowK: 0.75 },
        { k: 2, passAtK: (1 - 1 / 6 + 1) / 2, passPowK: (1 / 6 + 1) / 2 },
      ],
    });
  });

  it('leaves out a k that exceeds the attempts of a task, and keeps its estimator', () => {
    const counts = [{ n: 3, c: 2, undecided: 0 }];
    const summary = summarizeAttempts(counts, 'verdict', { k: [1, 2, 3, 5], estimator: null });
    expect(summary).toMatchObject({ estimator: 'unbiased', omittedK: [5] });
    expect(summary?.table.map(({ k }) => k)).toEqual([1, 2, 3]);
  });

  it('uses the estimator that is asked for, for any k', () => {
    const counts = [{ n: 2, c: 1, undecided: 0 }];
    expect(summarizeAttempts(counts, 'verdict', { k: [4], estimator: 'plug-in' })).toMatchObject({
      estimator: 'plug-in',
      table: [{ k: 4, passAtK: 1 - 0.5 ** 4, passPowK: 0.5 ** 4 }],
      omittedK: [],
    });
    expect(summarizeAttempts(counts, 'verdict', { k: [4], estimator: 'bayesian' })?.estimator).toBe('bayesian');
  });

  it('has the interval of the posterior for one task', () => {
    const row = summarizeAttempts([{ n: 3, c: 2, undecided: 0 }], 'verdict', { k: [2], estimator: null })?.table[0];
    expect(row?.passPowK).toBeCloseTo(1 / 3);
    // The quantiles of Beta(3, 2), squared.
    expect(row?.passPowKCi).toEqual([expect.closeTo(0.0377, 3), expect.closeTo(0.8696, 3)]);
  });

  it('has an interval over tasks for several, the same each time', () => {
    const counts = Array.from({ length: 40 }, (_, index) => ({ n: 2, c: index % 2 === 0 ? 2 : 0, undecided: 0 }));
    const summarize = () => summarizeAttempts(counts, 'verdict', { k: [1], estimator: null })?.table[0];
    const [low = 0, high = 0] = summarize()?.passAtKCi ?? [];
    // Of a share of 0.5 in 40 tasks: 0.5 -+ 1.96 * sqrt(0.25 / 40).
    expect(low).toBeGreaterThan(0.28);
    expect(low).toBeLessThan(0.4);
    expect(high).toBeGreaterThan(0.6);
    expect(high).toBeLessThan(0.72);
    expect(summarize()).toEqual(summarize());
  });

  it('does not claim certainty when all tasks have the same value', () => {
    const interval = (c: number) => {
      const counts = Array.from({ length: 8 }, () => ({ n: 1, c, undecided: 0 }));
      return summarizeAttempts(counts, 'outcome', DEFAULT_ESTIMATES)?.table[0]?.passAtKCi;
    };
    // Wilson's interval of 8 successes in 8 trials: 8 / (8 + 1.96 ** 2).
    expect(interval(1)).toEqual([expect.closeTo(0.6756, 4), 1]);
    expect(interval(0)).toEqual([0, expect.closeTo(0.3244, 4)]);
  });

  it('is absent if nothing was decided', () => {
    expect(summarizeAttempts([{ n: 0, c: 0, undecided: 2 }], 'verdict', DEFAULT_ESTIMATES)).toBe(null);
    expect(summarizeAttempts([], 'verdict', DEFAULT_ESTIMATES)).toBe(null);
  });
});
