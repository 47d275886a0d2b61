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
    changedSessions: [],
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

  it('leads with success where only other metrics changed, and names those after it', () => {
    const [unclear, worse, better] = [metric('cannot tell'), metric('worse'), metric('better')];
    expect(comparisonHeadline(comparison({ turn_risk: worse, correct: unclear, tokens: better }))).toMatchObject({
      conclusion: 'cannot tell',
      metric: 'correct',
      text: 'It is cannot tell. Worse: turn_risk. Better: tokens.',
    });
  });

  it('is a verdict that changed, before an outcome that nothing can be told of', () => {
    const [unclear, worse] = [metric('cannot tell'), metric('worse')];
    expect(comparisonHeadline(comparison({ correct: unclear, verdict: worse }))).toMatchObject({
      conclusion: 'worse',
      metric: 'verdict',
    });
  });

  it('names what changed the most first: by its scale, or by what it was before', () => {
    const changed = (difference: number, parts: Partial<ComparedMetric> = {}) =>
      metric('worse', { difference, before: { mean: 0.5, n: 10 }, ...parts });
    const metrics = {
      turn_risk: changed(0.006),
      cost: changed(2, { before: { mean: 1, n: 10 }, scale: null }),
      rating: changed(-2, { scale: [1, 5] }),
      tokens: changed(100, { before: { mean: 10_000, n: 10 }, scale: null }),
    };
    expect(comparisonHeadline(comparison(metrics))).toMatchObject({
      conclusion: 'worse',
      metric: null,
      text: 'Worse: cost, rating, turn_risk, tokens.',
    });
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, changed(0.1)]));
    expect(comparisonHeadline(comparison(many)).text).toBe('Worse: a, b, c, d, e, 2 more.');
  });

  it('is both where metrics of sessions without a known success changed in both directions', () => {
    const metrics = { cost: metric('worse'), tokens: metric('better') };
    expect(comparisonHeadline(comparison(metrics))).toMatchObject({
      conclusion: 'better and worse',
      text: 'Worse: cost. Better: tokens.',
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
