import { describe, expect, it } from 'vitest';
import { restrictMetrics } from '../../../../src/config/flags.ts';
import { configurationSchema } from '../../../../src/config/schema.ts';
import type { Result } from '../../../../src/core/result.ts';
import type { Session, Turn } from '../../../../src/core/session.ts';
import { evaluateSessions } from '../../../../src/engine/evaluate.ts';
import { METRICS } from '../../../../src/metrics/index.ts';
import type { SessionMetric } from '../../../../src/metrics/metric.ts';
import { agenticTools } from '../../../../src/metrics/reference/agentic-tools.ts';
import { agentic } from '../../../../src/metrics/session/agentic.ts';
import { agenticAnswer } from '../../../../src/metrics/turn/agentic-answer.ts';
import { createTestJudge, scriptedModel } from '../../judge/support.ts';
import { resultOf, scored, sessionOf, sessionView, unscored } from '../views.ts';

const answered = (score: number) => resultOf({ status: 'scored', score, source: 'judge', reason: null }, agenticAnswer);
const ASPECTS = {
  tool_selection_correct: 1,
  parameter_accuracy: 0.5,
  sequence_correct: 1,
  result_utilization: 0.5,
  overall_correctness: 0.75,
  reasoning: 'One argument differs.',
};
const used = (score: number) =>
  resultOf(
    { status: 'scored', score, source: 'reference', reason: null, metadata: { ...ASPECTS, is_correct: score >= 1 } },
    agenticTools,
  );
const none = unscored('not_applicable');

interface Given {
  readonly answers: readonly (Result | undefined)[];
  readonly tools?: readonly (Result | undefined)[];
}

function over(
  { answers, tools = answers.map(() => none) }: Given,
  options: object = {},
  session: Partial<Session> = {},
) {
  const subject = sessionOf(
    answers.map(() => ({})),
    session,
  );
  const view = sessionView(subject, { results: { agentic_answer: answers, agentic_tools: tools } });
  const metric: SessionMetric = agentic;
  const outcome = metric.evaluate(view, metric.options?.parse({ k: 3, ...options }));
  if (outcome instanceof Promise) throw new Error('It asks nobody itself.');
  return resultOf(outcome, agentic);
}

describe('agentic', () => {
  it('has all fields of its source: 2 of 4 turns are correct', () => {
    const result = over(
      {
        answers: [answered(0.9), answered(0.69), answered(0.7), answered(0)],
        tools: [used(1), none, used(0.75), none],
      },
      {},
      { metadata: { assistant_id: 'helpdesk' } },
    );
    expect(result).toMatchObject({ status: 'scored', score: 0.5, source: 'aggregate', passed: null });
    expect(result.metadata).toMatchObject({
      session_id: 's1',
      assistant_id: 'helpdesk',
      total_interactions: 4,
      correct_interactions: 2,
      is_fully_correct: false,
      threshold: 0.7,
      correctness_scores: [0.9, 0.69, 0.7, 0],
      correct_indices: [0, 2],
      tool_correctness_scores: [{ ...ASPECTS, is_correct: true }, null, { ...ASPECTS, is_correct: false }, null],
      k: 3,
      pass_at_k: 1 - 0.5 ** 3,
      pass_at_k_ci_low: null,
      pass_at_k_ci_high: null,
      pass_pow_k: 0.5 ** 3,
      pass_pow_k_ci_low: null,
      pass_pow_k_ci_high: null,
      estimator: 'plug-in',
      assessment: 'mixed',
      correct_by: 'answer',
      tool_threshold: 1,
      left_out: 0,
    });
    expect(result.reason).toBe(
      '2 of 4 turns are correct, not turns 2 and 4. pass@3 is 0.88 and pass^3 0.13 (plug-in): mixed.',
    );
    expect(result.evidence).toEqual([
      { pointer: '/turns/1', note: 'turn 2 is not correct: its answer scores 0.69, below 0.70' },
      { pointer: '/turns/3', note: 'turn 4 is not correct: its answer scores 0.00, below 0.70' },
    ]);
  });

  it('is fully correct only if every turn is', () => {
    expect(over({ answers: [answered(1), answered(0.7)] })).toMatchObject({
      score: 1,
      reason: '2 of 2 turns are correct. pass@3 is 1.00 and pass^3 1.00 (plug-in): Reliable.',
      metadata: { is_fully_correct: true, pass_at_k: 1, pass_pow_k: 1, correct_indices: [0, 1] },
    });
  });

  it.each([
    ['frequentist', 'plug-in', 1 - (1 / 3) ** 2, (2 / 3) ** 2],
    ['unbiased', 'unbiased', 1, 1 / 3],
    ['bayesian', 'bayesian', 1 - (2 * 3) / (5 * 6), (3 * 4) / (5 * 6)],
  ])('uses the configured estimator: %s', (estimator, named, atK, powK) => {
    const { metadata } = over({ answers: [answered(1), answered(0), answered(1)] }, { k: 2, estimator });
    expect(metadata).toMatchObject({
      estimator: named,
      pass_at_k: expect.closeTo(atK, 12),
      pass_pow_k: expect.closeTo(powK, 12),
      credible: { pass_at_k: [expect.any(Number), expect.any(Number)], pass_pow_k: expect.any(Array) },
    });
    const bounds = [metadata.pass_at_k_ci_low, metadata.pass_pow_k_ci_high].map((bound) => typeof bound);
    expect(bounds).toEqual(estimator === 'bayesian' ? ['number', 'number'] : ['object', 'object']);
  });

  it('is an error without a score if the estimator is undefined for k', () => {
    expect(over({ answers: [answered(1)] }, { estimator: 'unbiased' })).toMatchObject({
      status: 'error',
      score: null,
      reason: expect.stringContaining('needs k <= n'),
    });
  });

  it.each<[string, object, readonly number[]]>([
    ['answers alone', {}, [0, 1, 3]],
    ['both', { correctBy: 'both' }, [0, 3]],
    ['both, with a threshold of its own for tools', { correctBy: 'both', toolThreshold: 0.75 }, [0, 1, 3]],
  ])('decides correctness by %s', (_, options, correct) => {
    const input = {
      answers: [answered(1), answered(1), answered(0), answered(1)],
      tools: [used(1), used(0.75), used(1), none],
    };
    expect(over(input, options).metadata).toMatchObject({ correct_indices: correct, total_interactions: 4 });
  });

  it('skips turns with nothing to compare, and says so', () => {
    const input = { answers: [answered(1), none, none], tools: [none, used(0.5), none] };
    expect(over(input)).toMatchObject({
      score: 1,
      reason: expect.stringContaining('1 of 1 turns is correct. 2 without a reference are left out.'),
      metadata: { total_interactions: 1, left_out: 2, correctness_scores: [1, null, null] },
    });
    expect(over(input, { correctBy: 'both' })).toMatchObject({
      score: 0.5,
      metadata: { correct_indices: [0], left_out: 1 },
    });
    expect(over({ answers: [none], tools: [used(1)] })).toMatchObject({ status: 'not_applicable', score: null });
    expect(over({ answers: [] })).toMatchObject({ status: 'not_applicable', score: null });
    expect(over({ answers: [answered(1), undefined] })).toMatchObject({ status: 'not_applicable', score: null });
  });

  it.each([
    ['error', 2, ['error', 'needs_judge']],
    ['cancelled', 3, ['needs_judge', 'cancelled']],
    ['needs_judge', 2, ['needs_judge']],
  ] as const)('is %s, never a number, if turns could not be judged', (status, turn, states) => {
    const open = states.map((state) => unscored(state, `It is ${state}.`));
    const result = over({ answers: [answered(0), ...open] });
    expect(result).toMatchObject({ status, score: null, passed: null });
    expect(result.reason).toMatch(new RegExp(`^It is unknown whether turn ${turn}.* is correct: It is ${status}\\.$`));
    expect(result.metadata).toMatchObject({ correctness_scores: [0, ...states.map(() => null)] });
    expect(result.metadata).not.toHaveProperty('pass_at_k');
  });

  it('needs the tools of a turn only if they decide the result', () => {
    const tools = [unscored('needs_judge')];
    const both = { correctBy: 'both' };
    expect(over({ answers: [answered(1)], tools }, both).status).toBe('needs_judge');
    expect(over({ answers: [answered(0)], tools }, both)).toMatchObject({ status: 'scored', score: 0 });
    expect(over({ answers: [answered(1)], tools })).toMatchObject({ status: 'scored', score: 1 });
    expect(over({ answers: [unscored('error')], tools: [used(0)] }, both)).toMatchObject({
      status: 'error',
      score: null,
    });
  });

  it('counts scores that the file contains', () => {
    expect(over({ answers: [scored(0.4, 'imported')] })).toMatchObject({ score: 0 });
  });

  it.each([{}, { k: 0 }, { k: 2.5 }, { k: 3, estimator: 'guess' }, { k: 3, toolThreshold: 2 }, { k: 3, threshold: 1 }])(
    'rejects the options %o',
    (options) => {
      expect(agentic.options?.safeParse(options).success).toBe(false);
    },
  );
});

describe('agentic in a run', () => {
  const turn = (output: string, response: string): Partial<Turn> => ({ output, reference: { response } });
  const session = sessionOf([turn('5 May', 'On 5 May.'), turn('6 May', 'On 7 May.')]);

  const run = (metrics: object, answers: readonly unknown[], subject = session) => {
    const model = scriptedModel((_, number) => ({ agentic_answer: answers[Math.min(number, answers.length - 1)] }));
    return evaluateSessions({
      sessions: [subject],
      configuration: configurationSchema.parse({ metrics: restrictMetrics(metrics, ['agentic'], METRICS) }),
      judges: { defaultJudge: createTestJudge(model, { concurrency: 1 }), byMetric: new Map() },
      embedder: null,
      locate: () => new Map(),
      version: '0',
      signal: new AbortController().signal,
    });
  };

  const judgeAnswer = (score: unknown) => ({ evidence: [], reason: 'Compared.', score });

  it.each<[string, object, number, readonly number[]]>([
    ['the default', {}, 0.7, [0]],
    ['its own', { agentic: { threshold: 0.6 } }, 0.6, [0, 1]],
    ['that of agentic_answer', { agentic_answer: { threshold: 0.9 }, agentic: { threshold: 0.6 } }, 0.9, []],
  ])('uses %s as the threshold of answers', async (_, metrics, threshold, correct) => {
    const settings = { ...metrics, agentic: { ...Object(metrics).agentic, enabled: true, k: 2 } };
    const { sessions } = await run(settings, [judgeAnswer(0.8), judgeAnswer(0.65)]);
    const [report] = sessions;
    expect(report?.metrics.agentic).toMatchObject({
      status: 'scored',
      threshold: null,
      metadata: { threshold, correct_indices: correct, correctness_scores: [0.8, 0.65] },
    });
    const passed = report?.turns.map(({ metrics: { agentic_answer } }) => agentic_answer?.passed);
    expect(passed).toEqual([0, 1].map((index) => correct.includes(index)));
  });

  it('is an error if the judge fails on one of the turns', async () => {
    const { sessions, verdict } = await run({ agentic: { enabled: true, k: 2 } }, [
      judgeAnswer(1),
      judgeAnswer('good'),
      judgeAnswer('good'),
    ]);
    expect(sessions[0]?.metrics.agentic).toMatchObject({ status: 'error', score: null });
    expect(verdict).toBe('undecided');
  });
});
