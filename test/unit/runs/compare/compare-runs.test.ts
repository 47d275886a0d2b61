import { describe, expect, it } from 'vitest';
import type { RecordedRun, RecordedSession } from '../../../../src/core/run-record.ts';
import { runComparisonSchema } from '../../../../src/core/schemas/run-comparison.ts';
import { compareRuns } from '../../../../src/runs/compare/compare-runs.ts';
import { unchangedText } from '../../../../src/runs/compare/flips.ts';
import { attemptRow, planMetric, recordedRun, sessionRow } from '../../../support/recorded-runs.ts';

const TASKS = Array.from({ length: 60 }, (_, index) => `task ${index}`);

/** Four attempts of each task, of which this share succeeds, the same tasks always. */
function attempts(
  share: number,
  given: (task: string, trial: number) => Partial<RecordedSession> = () => ({}),
): RecordedSession[] {
  return TASKS.flatMap((task, index) =>
    [0, 1, 2, 3].map((trial) =>
      attemptRow(task, trial, ((7 * index + 15 * trial) % 60) / 60 < share, given(task, trial)),
    ),
  );
}

function metricOf(before: RecordedRun, after: RecordedRun, name: string) {
  const metric = compareRuns([before, after]).metrics[name];
  if (!metric) throw new Error(`${name} is not compared.`);
  return metric;
}

describe('conclusions', () => {
  it('calls a run worse whose attempts succeed less often, with difference, interval and exact test', () => {
    const { metrics, flips } = compareRuns([recordedRun(attempts(0.8)), recordedRun(attempts(0.6))]);
    expect(metrics.correct).toMatchObject({
      conclusion: 'worse',
      pairs: 240,
      tasks: 60,
      test: 'mcnemar',
      unit: 'share',
    });
    expect(metrics.correct?.difference).toBeCloseTo(-0.2, 1);
    expect(metrics.correct?.ci95?.[1]).toBeLessThan(0);
    expect(metrics.correct?.reason).toMatch(/^80 % before, 60 % after over 60 tasks: beyond chance \(p < 0.001/);
    expect(flips.every(({ direction }) => direction === 'worse')).toBe(true);
    expect(flips).toHaveLength(48);
  });

  it('says the opposite when the runs are swapped', () => {
    expect(metricOf(recordedRun(attempts(0.6)), recordedRun(attempts(0.8)), 'correct').conclusion).toBe('better');
  });

  it.each([
    ['a risk that rises is worse', true, 'worse'],
    ['a score that rises is better', false, 'better'],
  ] as const)('%s', (_, lowerIsBetter, conclusion) => {
    const plan = { metrics: [planMetric('quality', { lowerIsBetter })] };
    const rows = (shift: number) =>
      TASKS.map((id, index) =>
        sessionRow({ id, scores: { quality: 0.3 + (index % 5) / 20 + shift + (index % 3) / 100 } }),
      );
    expect(metricOf(recordedRun(rows(0), { plan }), recordedRun(rows(0.2), { plan }), 'quality')).toMatchObject({
      conclusion,
      test: 'sign-flip',
    });
  });

  it.each(['cost', 'tokens', 'duration', 'turns'])('calls more %s worse', (name) => {
    const rows = (factor: number) =>
      TASKS.map((id, index) => {
        const value = factor * (100 + (index % 7));
        return sessionRow({ id, cost: value, tokens: value, durationMs: value, turns: value });
      });
    expect(metricOf(recordedRun(rows(1)), recordedRun(rows(2)), name).conclusion).toBe('worse');
  });

  it.each(['response_time', 'token_usage', 'tool_call_count', 'model_call_count'])(
    'calls a higher %s worse',
    (name) => {
      const plan = { metrics: [planMetric(name)] };
      const rows = (factor: number) =>
        TASKS.map((id, index) => sessionRow({ id, scores: { [name]: factor * (100 + (index % 7)) } }));
      expect(metricOf(recordedRun(rows(1), { plan }), recordedRun(rows(2), { plan }), name)).toMatchObject({
        conclusion: 'worse',
        lowerIsBetter: true,
      });
    },
  );

  it('cannot tell from a few tasks, and says what they could have shown', () => {
    const rows = (correct: (index: number) => boolean) =>
      TASKS.slice(0, 12).map((task, index) => attemptRow(task, 0, correct(index)));
    const metric = metricOf(
      recordedRun(rows((index) => index < 8)),
      recordedRun(rows((index) => index < 6)),
      'correct',
    );
    expect(metric.conclusion).toBe('cannot tell');
    expect(metric.detectable).toBeGreaterThan(0.2);
    expect(metric.reason).toMatch(
      /so few show only a difference of [\d.]+ points or more .* About \d+ tasks would show 10 points\.$/,
    );
  });

  it('sees no clear difference between runs of the same sessions', () => {
    const run = recordedRun(attempts(0.8, () => ({ tokens: 100 })));
    const { metrics, flips } = compareRuns([run, run]);
    expect(flips).toEqual([]);
    for (const name of ['correct', 'verdict', 'tokens', 'turns']) {
      expect(metrics[name], name).toMatchObject({ conclusion: 'no clear difference', difference: 0 });
    }
    expect(metrics.cost, 'no session has a cost').toBeUndefined();
  });

  it('sees no clear difference between few sessions that did not change at all', () => {
    const run = recordedRun(attempts(0.8).slice(0, 24));
    const { conclusion, reason } = metricOf(run, run, 'correct');
    expect(conclusion).toBe('no clear difference');
    expect(reason).toMatch(/over 6 tasks: the same in every task\.$/);
  });

  it('sees no clear difference between two sessions that did not change, and says that they are of one run', () => {
    const run = recordedRun(attempts(0.8).slice(0, 8));
    const { metrics, comparability } = compareRuns([run, run]);
    expect(metrics.correct).toMatchObject({
      conclusion: 'no clear difference',
      reason: expect.stringMatching(/over 2 tasks: the same in every task\.$/),
    });
    expect(comparability).toEqual([
      {
        code: 'same-run',
        run: 1,
        withholds: [],
        reason: 'The first and the second are the same run, 00000001: it is compared with itself.',
        remedy: 'Name another run: turnwise history lists them.',
      },
    ]);
  });

  it('takes what adding floating-point numbers leaves for no difference', () => {
    const plan = { metrics: [planMetric('quality')] };
    const before = TASKS.map((id, index) => sessionRow({ id, scores: { quality: (index % 10) / 10 } }));
    const after = TASKS.map((id, index) => sessionRow({ id, scores: { quality: ((index * 7 + 3) % 10) / 10 } }));
    expect(metricOf(recordedRun(before, { plan }), recordedRun(after, { plan }), 'quality').difference).toBe(0);
  });

  it('adjusts p to the number of metrics compared', () => {
    const noise = Array.from({ length: 9 }, (_, index) => `noise ${index}`);
    const plan = { metrics: ['quality', ...noise].map((name) => planMetric(name)) };
    const rows = (shift: number) =>
      TASKS.map((id, index) =>
        sessionRow({
          id,
          scores: Object.fromEntries([
            ['quality', 0.5 + shift + ((index * 37) % 60) / 200 - (shift === 0 ? 0 : ((index * 23) % 60) / 200)],
            ...noise.map((name, n) => [
              name,
              0.5 + ((index * (n + 2)) % 7) / 20 + (shift === 0 ? 0 : (((index * 31 + n) % 9) - 4) / 20),
            ]),
          ]),
        }),
      );
    const { metrics } = compareRuns([recordedRun(rows(0), { plan }), recordedRun(rows(0.16), { plan })]);
    const { p, pAdjusted } = metrics.quality ?? {};
    expect(p).toBeGreaterThan(0);
    expect(pAdjusted).toBeGreaterThan(p ?? 1);
  });
});

describe('flips', () => {
  it('come the worst first: tasks that lost more attempts, then more severe problems', () => {
    const before = [
      attemptRow('a', 0, true),
      attemptRow('a', 1, true),
      attemptRow('b', 0, true),
      attemptRow('b', 1, true),
      attemptRow('c', 0, true),
      attemptRow('d', 0, false),
    ];
    const after = [
      attemptRow('a', 0, false, { severity: 'critical', file: 'new/a.json', line: 7 }),
      attemptRow('a', 1, true),
      attemptRow('b', 0, false, { severity: 'low' }),
      attemptRow('b', 1, false, { severity: 'high' }),
      attemptRow('c', 0, false, {
        severity: 'critical',
        verdict: 'undecided',
        outcome: { status: 'unknown', source: null },
        correct: null,
      }),
      attemptRow('d', 0, true),
    ];
    const { flips } = compareRuns([recordedRun(before), recordedRun(after)]);
    expect(flips.map(({ direction, after }) => `${after.id} ${direction}`)).toEqual([
      'b-1 worse',
      'b-0 worse',
      'a-0 worse',
      'c-0 unclear',
      'd-0 better',
    ]);
    expect(flips[2]).toMatchObject({
      task: 'a',
      before: { id: 'a-0', verdict: 'passed' },
      after: { file: 'new/a.json', line: 7, verdict: 'failed', outcome: 'failed' },
      attempts: { before: { correct: 2, of: 2 }, after: { correct: 1, of: 2 } },
    });
  });

  it('follow the outcome where it disagrees with a verdict', () => {
    const failed = sessionRow({ id: 'a', verdict: 'passed', outcome: { status: 'failed', source: 'recorded' } });
    const succeeded = sessionRow({ id: 'a', verdict: 'failed', outcome: { status: 'succeeded', source: 'recorded' } });
    expect(compareRuns([recordedRun([failed]), recordedRun([succeeded])]).flips).toMatchObject([
      { direction: 'better' },
    ]);
  });
});

describe('what is said where no session changed', () => {
  const said = (before: RecordedRun, after: RecordedRun) => unchangedText(compareRuns([before, after]));
  const same = [sessionRow({ id: 'a' })];

  it('names what could be compared', () => {
    expect(said(recordedRun(same), recordedRun(same))).toBe('No session changed its outcome or verdict.');
    const gates = { failOn: 'low', outcome: true, minCoverage: 0, attempts: null } as const;
    expect(said(recordedRun(same), recordedRun(same, { plan: { gates } }))).toBe('No session changed its outcome.');
  });

  it('is nothing where no session could be compared, and where one changed', () => {
    expect(said(recordedRun(same), recordedRun([sessionRow({ id: 'b', inputs: 'others' })]))).toBeNull();
    expect(said(recordedRun(same), recordedRun([sessionRow({ id: 'a', verdict: 'failed' })]))).toBeNull();
  });
});

describe('judge noise', () => {
  const plan = { metrics: [planMetric('helpfulness', { threshold: 0.5 })], judge: { provider: 'openai', model: 'm' } };
  const settings = { plan, questions: { helpfulness: 'q' } };
  const row = (id: string, score: number, content = id) =>
    sessionRow({
      id,
      content,
      scores: { helpfulness: score },
      judged: ['helpfulness'],
      verdict: score < 0.5 ? 'failed' : 'passed',
    });

  it('is listed apart from flips, and counts as no difference', () => {
    const before = [row('a', 0.8), row('b', 0.6), row('c', 0.6)];
    const after = [row('a', 0.3), row('b', 0.6), row('c', 0.4, 'another answer')];
    const { noise, flips, metrics } = compareRuns([recordedRun(before, settings), recordedRun(after, settings)]);
    expect(noise?.unchanged).toBe(2);
    expect(noise?.metrics.helpfulness).toMatchObject({ sessions: 2, changed: 1, meanChange: 0.25, largestChange: 0.5 });
    expect(noise?.sessions).toMatchObject([
      { after: { id: 'a', verdict: 'failed' }, scores: { helpfulness: [0.8, 0.3] } },
    ]);
    expect(flips.map(({ after }) => after.id)).toEqual(['c']);
    expect(metrics.helpfulness?.difference).toBeCloseTo(-0.2 / 3);
  });

  it('is none where another judge answered', () => {
    const other = { ...settings, plan: { ...plan, judge: { provider: 'openai', model: 'other' } } };
    const { noise } = compareRuns([recordedRun([row('a', 0.8)], settings), recordedRun([row('a', 0.3)], other)]);
    expect(noise?.sessions).toEqual([]);
  });
});

describe('more than two runs', () => {
  const named = (name: string, rows: RecordedSession[]) => recordedRun(rows, { id: name, name });

  it('are ranked over the tasks that all have, and places that cannot be told apart overlap', () => {
    const runs = [named('weak', attempts(0.4)), named('strong', attempts(0.8)), named('alike', attempts(0.4))];
    const { leaderboard, metrics, flips, pairing } = compareRuns(runs);
    expect([metrics, flips, pairing.tasks]).toEqual([{}, [], 60]);
    expect(leaderboard?.correct).toMatchObject({ best: 1, tasks: 60, unit: 'share' });
    expect(leaderboard?.correct?.standings.map(({ run, rank }) => [run, rank])).toEqual([
      [1, [1, 1]],
      [0, [2, 2]],
      [2, [2, 2]],
    ]);
    expect(leaderboard?.turns).toMatchObject({
      best: null,
      reason: 'weak cannot be told from strong or alike over 60 tasks.',
    });
  });

  it('leave out and list tasks that one of them does not have', () => {
    const rows = attempts(0.5);
    const runs = [named('a', rows), named('b', rows.slice(4)), named('c', rows.slice(0, -4))];
    const { pairing, onlyIn, leaderboard } = compareRuns(runs);
    expect(pairing.tasks).toBe(58);
    expect(onlyIn.map(({ run, tasks }) => [run, tasks.map(({ task }) => task)])).toEqual([
      [0, ['task 59', 'task 0']],
      [1, ['task 59']],
      [2, ['task 0']],
    ]);
    expect(leaderboard?.correct?.tasks).toBe(58);
  });

  it('have names that differ', () => {
    const runs = [1, 2, 3].map((n) => recordedRun(attempts(1), { id: `2026110${n}T090000000Z-0000000${n}` }));
    expect(compareRuns(runs).runs.map(({ label }) => label)).toEqual([
      'main@0000000 (00000001)',
      'main@0000000 (00000002)',
      'main@0000000 (00000003)',
    ]);
  });
});

it('lists sessions that only one run has, and averages nothing over them', () => {
  const rows = attempts(0.5);
  const more = attemptRow('new task', 0, false, { tokens: 1_000_000, file: 'new.json', line: 3 });
  const newer = recordedRun([...rows, more], { id: '20261102T090000000Z-00000002' });
  const { onlyIn, metrics, comparability } = compareRuns([recordedRun(rows), newer]);
  expect(onlyIn).toEqual([
    { run: 0, tasks: [] },
    { run: 1, tasks: [{ task: 'new task', sessions: [{ id: 'new task-0', file: 'new.json', line: 3 }] }] },
  ]);
  expect(metrics.correct?.difference).toBe(0);
  expect(metrics.tokens).toMatchObject({ conclusion: 'not comparable', reason: 'No task has a value in both runs.' });
  expect(comparability).toMatchObject([
    {
      code: 'tasks',
      reason: expect.stringContaining('1 task only in main@0000000 (00000002). 60 shared tasks are compared.'),
    },
  ]);
});

it('gives what its schema says', () => {
  const runs = [0.2, 0.5, 0.8].map((share) => recordedRun(attempts(share)));
  for (const comparison of [compareRuns(runs.slice(0, 2)), compareRuns(runs)]) {
    expect(runComparisonSchema.parse(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison);
  }
});

it('refuses one run, and nine', () => {
  const run = recordedRun(attempts(1));
  expect(() => compareRuns([run])).toThrow('2 to 8 runs can be compared, not 1.');
  expect(() => compareRuns(Array.from({ length: 9 }, () => run))).toThrow('not 9.');
});
