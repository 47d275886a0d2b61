import { describe, expect, it } from 'vitest';
import type { ComparabilityNote, ComparedMetric, RunComparison } from '../../../../src/core/run-comparison.ts';
import { comparisonHeadline } from '../../../../src/runs/compare/comparison-headline.ts';

function metric(conclusion: ComparedMetric['conclusion'], parts: Partial<ComparedMetric> = {}): ComparedMetric {
  return {
    conclusion,
    pairs: 10,
    tasks: 10,
    before: null,
    after: null,
    difference: null,
    ci95: null,
    p: null,
    pAdjusted: null,
    test: null,
    detectable: null,
    lowerIsBetter: false,
    unit: 'score',
    scale: [0, 1],
    reason: `It is ${conclusion}.`,
    ...parts,
  };
}

const NOTE: ComparabilityNote = {
  code: 'judge',
  run: 1,
  withholds: ['faithfulness'],
  reason: 'The judge changed.',
  remedy: 'Evaluate both with one judge.',
};

function comparison(metrics: RunComparison['metrics'], parts: Partial<RunComparison> = {}): RunComparison {
  return {
    schemaVersion: 1,
    runs: [],
    comparability: [],
    pairing: { tasks: 10, sessions: 10, renamed: [], changed: [] },
    metrics,
    flips: [],
    noise: null,
    onlyIn: [],
    leaderboard: null,
    ...parts,
  };
}

describe('the headline of a comparison', () => {
  it('is what is known of the success of sessions, whatever other metrics say', () => {
    const headline = comparisonHeadline(
      comparison({ cost: metric('better'), correct: metric('worse'), verdict: metric('better') }),
    );
    expect(headline).toEqual({ conclusion: 'worse', metric: 'correct', text: 'It is worse.', next: null });
  });

  it('is the verdict where nothing says whether sessions succeeded', () => {
    const unknown = metric('cannot tell', { pairs: 0 });
    expect(comparisonHeadline(comparison({ correct: unknown, verdict: metric('better') }))).toMatchObject({
      conclusion: 'better',
      metric: 'verdict',
    });
  });

  it('names the metrics that changed where success did not', () => {
    const [same, worse, better] = [metric('no clear difference'), metric('worse'), metric('better')];
    expect(comparisonHeadline(comparison({ correct: same, cost: worse, tokens: worse }))).toMatchObject({
      conclusion: 'worse',
      text: 'Worse: cost, tokens. correct: It is no clear difference.',
    });
    expect(comparisonHeadline(comparison({ correct: same, cost: worse, tokens: better }))).toMatchObject({
      conclusion: 'better and worse',
      text: 'Worse: cost. Better: tokens. correct: It is no clear difference.',
    });
  });

  it('asks for more tasks where so few cannot tell', () => {
    expect(comparisonHeadline(comparison({ correct: metric('cannot tell') }))).toMatchObject({
      conclusion: 'cannot tell',
      next: 'Run more tasks, or each task several times.',
    });
  });

  it('is not comparable where everything is withheld, with the remedy', () => {
    const note = { ...NOTE, withholds: 'all' } as const;
    expect(comparisonHeadline(comparison({ correct: metric('better') }, { comparability: [note] }))).toEqual({
      conclusion: 'not comparable',
      metric: null,
      text: 'The judge changed.',
      next: 'Evaluate both with one judge.',
    });
  });

  it('is not comparable where no metric is', () => {
    const withheld = { faithfulness: metric('not comparable') };
    expect(comparisonHeadline(comparison(withheld, { comparability: [NOTE] }))).toMatchObject({
      conclusion: 'not comparable',
      text: 'The judge changed.',
    });
    expect(comparisonHeadline(comparison({}))).toMatchObject({ text: 'No metric has a score in both runs.' });
  });

  it('is the place of the best of several runs', () => {
    const ranked = {
      best: 1,
      tasks: 10,
      lowerIsBetter: false,
      unit: 'share',
      scale: [0, 1],
      standings: [{ run: 1, mean: 1, ci95: [1, 1], n: 10, rank: [1, 1] }],
      reason: 'v3 is better than every other run.',
    } as const;
    expect(comparisonHeadline(comparison({}, { leaderboard: { correct: ranked } }))).toEqual({
      conclusion: null,
      metric: 'correct',
      text: 'v3 is better than every other run.',
      next: null,
    });
  });
});
