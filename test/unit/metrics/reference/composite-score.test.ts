import { describe, expect, it } from 'vitest';
import { configurationSchema } from '../../../../src/config/schema.ts';
import { get } from '../../../../src/core/json.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { TurnReference } from '../../../../src/core/session.ts';
import { evaluateSessions } from '../../../../src/engine/evaluate.ts';
import { compositeScore } from '../../../../src/metrics/reference/composite-score.ts';
import { minimalValue } from '../../../support/minimal-value.ts';
import { createTestJudge, questionNames, scriptedModel } from '../../judge/support.ts';
import { evaluateTurn, toolCall } from '../calls.ts';
import { resultOf, scored, sessionOf, unscored } from '../views.ts';

const likert = (score: number) =>
  resultOf({ status: 'scored', score, source: 'judge', reason: null }, { scale: 'likert', threshold: 3.5 });

const ALL: Readonly<Record<string, Result>> = {
  tool_trajectory_avg_score: scored(1),
  final_response_match_v2: scored(0.5),
  relevance: likert(3),
  step_efficiency: scored(0),
};

const compose = (results: Readonly<Record<string, Result>>, options: unknown = {}) =>
  evaluateTurn(
    compositeScore,
    {},
    options,
    {},
    {
      results: Object.fromEntries(Object.entries(results).map(([name, result]) => [name, [result]])),
    },
  );

describe('composite_score', () => {
  it('is 0.4 trajectory + 0.3 accuracy + 0.2 relevance + 0.1 efficiency', () => {
    expect(compose(ALL)).toMatchObject({
      status: 'scored',
      score: expect.closeTo(0.4 + 0.15 + 0.1, 12),
      passed: false,
      source: 'aggregate',
      reason: 'trajectory 1.00, accuracy 0.50, relevance 0.50, efficiency 0.00.',
    });
    const best = { ...ALL, final_response_match_v2: scored(1), relevance: likert(5), step_efficiency: scored(1) };
    expect(compose(best)).toMatchObject({ score: 1, passed: true });
  });

  it('uses tool_correctness and task_completion if the reference metrics have no score', () => {
    const { tool_trajectory_avg_score, final_response_match_v2, ...rest } = ALL;
    const result = compose({
      ...rest,
      tool_trajectory_avg_score: unscored('not_applicable'),
      tool_correctness: scored(0.5),
      task_completion: scored(1),
    });
    expect(result.score).toBeCloseTo(0.2 + 0.3 + 0.1, 12);
    expect(result.metadata.parts).toMatchObject({
      trajectory: { metric: 'tool_correctness', score: 0.5 },
      accuracy: { metric: 'task_completion', score: 1 },
    });
  });

  it('ignores metrics that are not selected', () => {
    const { final_response_match_v2, ...rest } = ALL;
    const silent = compose({ ...rest, task_completion: unscored('error') });
    expect(silent).toMatchObject({
      status: 'error',
      metadata: { parts: { accuracy: { metric: 'task_completion' } } },
    });
  });

  it('prefers scored parts to vacuous ones, and vacuous parts to none', () => {
    const vacuous = scored(1, 'judge', 'vacuous');
    const both = { ...ALL, tool_trajectory_avg_score: vacuous, tool_correctness: scored(0) };
    expect(compose(both).metadata.parts).toMatchObject({ trajectory: { status: 'scored', score: 0 } });
    expect(compose({ ...ALL, tool_trajectory_avg_score: vacuous }).metadata.parts).toMatchObject({
      trajectory: { status: 'vacuous', score: 1 },
    });
    const nothing = Object.fromEntries(Object.keys(ALL).map((name) => [name, vacuous]));
    expect(compose(nothing)).toMatchObject({ status: 'vacuous', passed: null });
  });

  it.each([
    ['error', 'error'],
    ['cancelled', 'cancelled'],
    ['needs_judge', 'needs_judge'],
    ['needs_embedder', 'needs_embedder'],
  ] as const)('is %s, never 0, if a part is', (status, expected) => {
    expect(compose({ ...ALL, relevance: unscored(status) })).toMatchObject({
      status: expected,
      score: null,
      passed: null,
      reason: expect.stringContaining('relevance'),
    });
  });

  it.each(['not_applicable', 'needs_reference'] as const)('is the mean of the other parts if one is %s', (status) => {
    const { tool_trajectory_avg_score, ...rest } = ALL;
    expect(compose({ ...rest, tool_correctness: unscored(status) })).toMatchObject({
      status: 'scored',
      score: expect.closeTo((0.15 + 0.1) / 0.6, 12),
      reason: 'accuracy 0.50, relevance 0.50, efficiency 0.00; without trajectory, which the turn does not have.',
      metadata: { parts: { trajectory: { status, score: null } } },
    });
    const none = Object.fromEntries(Object.keys(ALL).map((name) => [name, unscored(status)]));
    expect(compose(none)).toMatchObject({ status, score: null });
  });

  it("uses the file's own scores of metrics that do not run", () => {
    const { final_response_match_v2, ...rest } = ALL;
    const results = { ...rest, task_completion: scored(0) };
    const imported = evaluateTurn(
      compositeScore,
      { scores: { final_response_match_v2: 1 } },
      {},
      {},
      { results: Object.fromEntries(Object.entries(results).map(([name, result]) => [name, [result]])) },
    );
    expect(imported.metadata.parts).toMatchObject({ accuracy: { metric: 'final_response_match_v2', score: 1 } });
  });

  it('needs a judge for parts that do not run, and reports the worst status of several', () => {
    expect(compose({})).toMatchObject({ status: 'needs_judge', score: null });
    expect(compose({ ...ALL, relevance: unscored('needs_judge'), step_efficiency: unscored('error') }).status).toBe(
      'error',
    );
  });

  it('does not need parts without weight', () => {
    const weights = { trajectory: 1, accuracy: 0, relevance: 0, efficiency: 0 };
    expect(compose({ tool_trajectory_avg_score: scored(1) }, { weights })).toMatchObject({
      status: 'scored',
      score: 1,
    });
  });

  it.each([
    { weights: { trajectory: 0.5 } },
    { weights: { trajectory: -0.4, accuracy: 1.1, relevance: 0.2, efficiency: 0.1 } },
    { weights: { style: 1 } },
  ])('rejects the options %o', (options) => {
    expect(compositeScore.options?.safeParse(options).success).toBe(false);
  });

  it('accepts weights one by one', () => {
    expect(compositeScore.options?.parse({ weights: { relevance: 0.1, efficiency: 0.2 } })).toEqual({
      weights: { trajectory: 0.4, accuracy: 0.3, relevance: 0.1, efficiency: 0.2 },
    });
  });
});

describe('composite_score with a judge, under the gate preset production', () => {
  const CALL = toolCall('get_order', { id: 7 }, { pointer: '/turns/0/steps/0', result: { eta: '5 May' } });
  const RIGHT: TurnReference = { toolCalls: [{ name: 'get_order', arguments: { id: 7 } }] };
  const WRONG: TurnReference = { toolCalls: [{ name: 'get_invoice' }] };

  /** The judge's scores of the parts; a value of another type is an invalid answer. */
  interface Given {
    readonly tool_correctness?: unknown;
    readonly task_completion?: unknown;
    readonly relevance?: unknown;
    readonly step_efficiency?: unknown;
  }
  const BEST = { tool_correctness: 1, task_completion: 1, relevance: 5, step_efficiency: 1 };

  async function run(input: Given, reference?: TurnReference) {
    const scores: Readonly<Record<string, unknown>> = { ...BEST, ...input };
    const model = scriptedModel((prompt) => {
      const least = minimalValue(prompt.exactSchema());
      const answers = questionNames(prompt).map((name) => {
        const score = scores[name];
        return [name, { ...Object(get(least, name)), ...(score === undefined ? {} : { score, verdict: score }) }];
      });
      return Object.fromEntries(answers);
    });
    const report = await evaluateSessions({
      sessions: [sessionOf([{ output: 'On 5 May.', steps: [CALL], ...(reference ? { reference } : {}) }])],
      configuration: configurationSchema.parse({
        metrics: ['composite_score'],
        gates: { preset: 'production', failOn: 'never' },
      }),
      judges: { defaultJudge: createTestJudge(model), byMetric: new Map() },
      embedder: null,
      locate: () => new Map(),
      version: '0',
      signal: new AbortController().signal,
    });
    const met = Object.fromEntries(
      report.gates.map((gate) => [gate.metric.replace('composite_score', 'whole'), gate.met]),
    );
    return { verdict: report.verdict, met, result: report.sessions[0]?.turns[0]?.metrics.composite_score };
  }

  const ALL_MET = { 'whole.trajectory': true, 'whole.accuracy': true, 'whole.relevance': true, whole: true };

  it.each<[string, Given, TurnReference | undefined, number, object]>([
    ['everything', {}, RIGHT, 1, {}],
    ['without a reference', { tool_correctness: 0.85 }, undefined, 0.4 * 0.85 + 0.6, {}],
    ['at the minima', { task_completion: 0.9, relevance: 4 }, RIGHT, 0.4 + 0.27 + 0.15 + 0.1, {}],
    ['wrong calls', {}, WRONG, 0.6, { 'whole.trajectory': false, whole: false }],
    ['just too few tools', { tool_correctness: 0.84 }, undefined, 0.4 * 0.84 + 0.6, { 'whole.trajectory': false }],
    ['a task half done', { task_completion: 0.5 }, RIGHT, 0.85, { 'whole.accuracy': false }],
    ['beside the point', { relevance: 3 }, RIGHT, 0.9, { 'whole.relevance': false }],
    [
      'detours on top',
      { task_completion: 0.5, relevance: 4, step_efficiency: 0 },
      RIGHT,
      0.4 + 0.15 + 0.15,
      { 'whole.accuracy': false, whole: false },
    ],
  ])('%s', async (_, input, reference, score, unmet) => {
    const { verdict, met, result } = await run(input, reference);
    expect(result).toMatchObject({ status: 'scored', score: expect.closeTo(score, 12), source: 'aggregate' });
    expect(met).toEqual({ ...ALL_MET, ...unmet });
    expect(verdict).toBe(Object.keys(unmet).length === 0 ? 'passed' : 'failed');
  });

  it('is undecided, not 0, if the judge does not answer for a part', async () => {
    const { verdict, met, result } = await run({ relevance: 'high' }, RIGHT);
    expect(result).toMatchObject({ status: 'error', score: null, reason: expect.stringContaining('relevance') });
    expect(met).toEqual({ ...ALL_MET, 'whole.relevance': null, whole: null });
    expect(verdict).toBe('undecided');
  });
});
