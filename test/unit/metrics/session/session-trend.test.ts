import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../../../src/core/result.ts';
import { sessionTrend, trendAlerts } from '../../../../src/metrics/session/session-trend.ts';
import { resultOf, scored, sessionOf, sessionView, unscored } from '../views.ts';

const brief = (scores: readonly (number | null)[]) => trendAlerts(scores).map(({ turn, kind }) => `${kind}@${turn}`);

describe('trendAlerts', () => {
  it.each<[string, (number | null)[], string[]]>([
    ['nothing', [], []],
    ['a rise', [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], []],
    ['four turns without a gain', [0.4, 0.4, 0.4, 0.4, 0.4], []],
    ['five turns without a gain', [0.4, 0.4, 0.4, 0.4, 0.4, 0.4], ['stalled@5']],
    ['a gain of exactly 0.02 is none', [0.12, 0.14, 0.12, 0.12, 0.12, 0.12], ['stalled@5']],
    ['a gain in small steps', [0.4, 0.41, 0.42, 0.43, 0.44, 0.45, 0.46], []],
    ['standing still at 0.5', [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], []],
    ['stalled once, then afresh', Array<number>(11).fill(0.2), ['stalled@5', 'stalled@10']],
    ['a fall of 0.15', [0.7, 0.55], ['regressed@1']],
    ['a fall of less', [0.7, 0.56], []],
    ['one alert for one fall', [0.9, 0.5, 0.5, 0.5], ['regressed@1']],
    ['a fall in small steps', [0.9, 0.8, 0.7, 0.65], ['regressed@2']],
    ['a second fall', [0.9, 0.5, 0.8, 0.6], ['regressed@1', 'regressed@3']],
    ['missing scores', [0.9, null, null, null, null, null, null, 0.9], []],
    ['missing scores do not wait', [0.4, null, 0.4, 0.4, null, 0.4, 0.4], []],
  ])('%s', (_, scores, alerts) => {
    expect(brief(scores)).toEqual(alerts);
  });

  it('ignores missing scores', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }))), (scores) => {
        const present = scores.filter((score) => score !== null);
        expect(trendAlerts(scores).map(({ kind }) => kind)).toEqual(trendAlerts(present).map(({ kind }) => kind));
      }),
    );
  });
});

describe('session_trend', () => {
  const evaluate = async (results: readonly (Result | undefined)[]) =>
    resultOf(
      await sessionTrend.evaluate(
        sessionView(sessionOf(results.map(() => ({}))), { results: { task_completion: results } }),
        {},
      ),
      sessionTrend,
    );

  it('is a label, with alerts that link to their turns', async () => {
    const result = await evaluate([scored(0.9), scored(0.4), unscored('error'), ...Array<Result>(5).fill(scored(0.4))]);
    expect(result).toMatchObject({
      status: 'scored',
      label: 'regressed',
      labels: ['regressed', 'stalled'],
      score: null,
      passed: null,
      reason: 'Regressed at turn 2: 0.4 after 0.9. Stalled at turn 8: no gain for 5 turns, best 0.4.',
      metadata: {
        alerts: [
          { turn: 1, kind: 'regressed', score: 0.4, best: 0.9 },
          { turn: 7, kind: 'stalled', score: 0.4, best: 0.4 },
        ],
        turns_scored: 7,
        turns_missing: 1,
      },
    });
    expect(result.evidence.map(({ pointer }) => pointer)).toEqual(['/turns/1', '/turns/7']);
  });

  it('is stable without alerts', async () => {
    expect(await evaluate([scored(0.5), scored(0.6)])).toMatchObject({ label: 'steady', labels: ['steady'] });
  });

  it('reports at most five alerts', async () => {
    const result = await evaluate(Array.from({ length: 100 }, (_, i) => scored(i % 2 === 0 ? 0.9 : 0.1)));
    expect(result.evidence).toHaveLength(5);
    expect(result.reason).toMatch(/And 45 more\.$/);
  });

  it.each<[string, (Result | undefined)[], string]>([
    ['no turn', [], 'not_applicable'],
    ['one turn', [unscored('needs_judge')], 'not_applicable'],
    ['no judge', [unscored('needs_judge'), unscored('needs_judge')], 'needs_judge'],
    ['one imported score and no judge', [scored(0.5, 'imported'), unscored('needs_judge')], 'needs_judge'],
    ['nothing to judge', [scored(0.5), unscored('not_applicable')], 'not_applicable'],
    ['a vacuous score', [scored(1, 'judge', 'vacuous'), scored(1)], 'not_applicable'],
    ['an outage', [unscored('needs_judge'), unscored('error', 'The judge is down.')], 'error'],
    ['an interruption', [scored(0.5), unscored('cancelled')], 'cancelled'],
    ['a metric that did not run', [undefined, undefined], 'needs_judge'],
  ])('reports %s', async (_, results, status) => {
    const result = await evaluate(results);
    expect(result).toMatchObject({ status, label: null });
    if (status === 'error') expect(result.reason).toContain('The judge is down.');
  });
});
