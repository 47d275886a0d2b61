import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Result } from '../../src/core/result.ts';
import type { ModelStep, Turn } from '../../src/core/session.ts';
import { verdictOf } from '../../src/core/verdict.ts';
import { meanOutcome } from '../../src/metrics/aggregate/aggregate.ts';
import type { TurnMetric } from '../../src/metrics/metric.ts';
import { responseMatchScore } from '../../src/metrics/reference/response-match-score.ts';
import { toolTrajectoryAvgScore } from '../../src/metrics/reference/tool-trajectory-avg-score.ts';
import { rouge1 } from '../../src/metrics/shared/rouge.ts';
import { parseVerdict } from '../../src/metrics/shared/verdict-label.ts';
import { finalResponseMatchV2 } from '../../src/metrics/turn/final-response-match-v2.ts';
import { hallucinationsV1 } from '../../src/metrics/turn/hallucinations-v1.ts';
import { rubricBasedFinalResponseQualityV1 } from '../../src/metrics/turn/rubric-based-final-response-quality-v1.ts';
import { rubricBasedToolUseQualityV1 } from '../../src/metrics/turn/rubric-based-tool-use-quality-v1.ts';
import { tokenUsage } from '../../src/metrics/turn/token-usage.ts';
import { toolCallCount } from '../../src/metrics/turn/tool-call-count.ts';
import { evaluateTurn, toolCall } from '../unit/metrics/calls.ts';
import { judgeTurn } from '../unit/metrics/judge-script.ts';
import { resultOf, scored, unscored } from '../unit/metrics/views.ts';
// Facts about google/adk-python: each case names its source test or rule.
import { cases } from './data/adk.json';

const calls = z.array(z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) })).default([]);
const invocations = z.array(
  z.object({
    actual: calls,
    expected: calls,
    candidate: z.string().default(''),
    reference: z.string().default(''),
    precision: z.number().optional(),
    recall: z.number().optional(),
    f: z.number().optional(),
    candidate_tokens: z.array(z.string()).optional(),
    reference_tokens: z.array(z.string()).optional(),
  }),
);

interface Case {
  readonly id: string;
  readonly metric?: string;
  readonly kind?: string;
  readonly criterion?: { readonly threshold: number; readonly match_type?: string };
  readonly invocations?: unknown;
  readonly expect: unknown;
  readonly tool_calls_per_invocation?: readonly number[];
  readonly usage?: readonly Readonly<Record<string, number>>[];
  readonly judge_text?: string;
  readonly threshold?: number;
  readonly samples?: unknown;
  readonly step_scores?: readonly number[];
  readonly sentence_labels?: readonly (readonly string[])[];
  readonly metric_statuses?: readonly string[];
  readonly deviates?: string;
}

const ALL: readonly Case[] = cases;
const of = (metric: string, kind?: string) =>
  ALL.filter((testCase) => testCase.metric === metric && testCase.kind === kind);
const invocationsOf = (testCase: Case) => invocations.parse(testCase.invocations);
const expectedOf = (testCase: Case) => z.record(z.string(), z.unknown()).parse(testCase.expect);

/** The session's score, which is the mean over its turns, and ADK's status for it. */
function overall(results: readonly Result[], metric: TurnMetric, threshold: number | null) {
  const { score, passed } = resultOf(meanOutcome(results, 'turn'), { scale: metric.scale, threshold });
  return { score, status: threshold === null ? 'INFORMATIONAL' : passed === true ? 'PASSED' : 'FAILED' };
}

describe('ADK: tool_trajectory_avg_score', () => {
  it.each(of('tool_trajectory_avg_score'))('$id', (testCase) => {
    const threshold = testCase.criterion?.threshold ?? 1;
    const results = invocationsOf(testCase).map(({ actual, expected }) =>
      evaluateTurn(
        toolTrajectoryAvgScore,
        {
          steps: actual.map(({ name, args }) => toolCall(name, args)),
          reference: { toolCalls: expected.map(({ name, args }) => ({ name, arguments: args })) },
        },
        { matchType: testCase.criterion?.match_type },
      ),
    );
    const { overall_score, status } = expectedOf(testCase);
    expect(overall(results, toolTrajectoryAvgScore, threshold)).toEqual({ score: overall_score, status });
  });
});

describe('ADK: response_match_score', () => {
  it.each(of('response_match_score'))('$id', (testCase) => {
    const results = invocationsOf(testCase).map(({ candidate, reference, ...expected }) => {
      const overlap = rouge1(candidate, reference);
      for (const [actual, figure] of [
        [overlap.precision, expected.precision],
        [overlap.recall, expected.recall],
        [overlap.f1, expected.f],
      ] as const) {
        if (figure !== undefined) expect(actual).toBeCloseTo(figure, 5);
      }
      if (expected.candidate_tokens) expect(overlap.candidate).toEqual(expected.candidate_tokens);
      if (expected.reference_tokens) expect(overlap.reference).toEqual(expected.reference_tokens);
      return evaluateTurn(responseMatchScore, { output: candidate, reference: { response: reference } });
    });
    const { overall_score, status } = expectedOf(testCase);
    const match = overall(results, responseMatchScore, testCase.criterion?.threshold ?? 0.8);
    expect(match.score).toBeCloseTo(Number(overall_score), 5);
    if (status !== undefined) expect(match.status).toBe(status);
  });
});

describe('ADK: tool_call_count', () => {
  it.each(of('tool_call_count_v1'))('$id', (testCase) => {
    const results = (testCase.tool_calls_per_invocation ?? []).map((count) =>
      evaluateTurn(toolCallCount, { steps: Array.from({ length: count }, () => toolCall('f')) }),
    );
    const { overall_score, status } = expectedOf(testCase);
    expect(overall(results, toolCallCount, toolCallCount.threshold)).toEqual({ score: overall_score, status });
  });
});

describe('ADK: token_usage', () => {
  it.each(of('token_usage_v1'))('$id', (testCase) => {
    const steps = (testCase.usage ?? []).map(
      ({ prompt = 0, candidates = 0, cached, thoughts, tool_use_prompt }): ModelStep => ({
        type: 'model',
        pointer: '',
        usage: {
          inputTokens: prompt,
          outputTokens: candidates,
          cachedTokens: cached,
          reasoningTokens: thoughts,
          toolPromptTokens: tool_use_prompt,
        },
      }),
    );
    const turn: Partial<Turn> = { steps };
    const { score, metadata, passed } = evaluateTurn(tokenUsage, turn);
    const { overall_score, status, ...breakdown } = expectedOf(testCase);
    if (overall_score !== undefined) expect(score).toBe(overall_score);
    expect(metadata).toMatchObject(breakdown);
    expect([tokenUsage.threshold, passed]).toEqual([null, null]);
  });
});

describe('ADK: final_response_match_v2', () => {
  it.each(of('final_response_match_v2', 'parse_label'))(
    '$id',
    ({ judge_text: text = '', expect: expected, deviates }) => {
      const { label } = z.object({ label: z.string() }).parse(expected);
      const ours = deviates === undefined ? label : 'INVALID';
      expect(parseVerdict(text)?.toUpperCase() ?? 'NOT_FOUND').toBe(ours);
    },
  );

  // A sample without a score has an answer without a label, even when asked again.
  it.each(of('final_response_match_v2', 'aggregate_samples'))('$id', async (testCase) => {
    const samples = z.array(z.literal([0, 1, null])).parse(testCase.samples);
    const answers = samples.map((sample) => ({
      evidence: [],
      reason: 'so it is',
      is_the_agent_response_valid: sample === null ? 'undefined label' : sample === 1 ? 'valid' : 'invalid',
    }));
    const again = samples.filter((sample) => sample === null).map(() => ({ is_the_agent_response_valid: 'no idea' }));
    const { result, calls } = await judgeTurn(
      finalResponseMatchV2,
      { reference: { response: 'On its way.' } },
      { final_response_match_v2: [...answers, ...again] },
      { options: { samples: samples.length } },
    );
    const { score, status } = expectedOf(testCase);
    expect(calls).toHaveLength(answers.length + again.length);
    expect(result.score).toBe(score);
    if (score === null) expect(result).toMatchObject({ status: 'error', reason: expect.stringMatching(/\w/) });
    else expect(result.passed ? 'PASSED' : 'FAILED').toBe(status);
  });

  it.each(of('final_response_match_v2', 'aggregate_invocations'))(
    '$id',
    ({ invocations, threshold, expect: expected }) => {
      const results = z
        .array(z.tuple([z.number().nullable(), z.string()]))
        .parse(invocations)
        .map(([score, status]) => (score === null || status === 'NOT_EVALUATED' ? unscored('error') : scored(score)));
      const { score, status } = overall(results, finalResponseMatchV2, threshold ?? null);
      expect({ overall_score: score, status }).toEqual(expected);
    },
  );
});

describe.each([rubricBasedFinalResponseQualityV1, rubricBasedToolUseQualityV1])('ADK: $name', (metric) => {
  const votes = z.array(z.record(z.string(), z.literal([0, 1, null])));

  /** The metric's result for a turn with these votes. */
  async function voted(samples: z.output<typeof votes>): Promise<Result> {
    const rubrics = Object.keys(samples[0] ?? {}).map((id) => ({ id, text: `The answer has property ${id}.` }));
    const answers = samples.map((sample) => ({
      verdicts: Object.entries(sample).map(([rubric, vote]) => ({
        rubric,
        evidence: [],
        reason: 'so it is',
        verdict: vote === null ? null : vote === 1 ? 'yes' : 'no',
      })),
    }));
    const turn = { tools: [{ name: 'find_order' }] };
    const { result } = await judgeTurn(
      metric,
      turn,
      { [metric.name]: answers },
      { options: { rubrics, samples: answers.length } },
    );
    return result;
  }

  it.each(of('rubric_based_*', 'aggregate_samples'))('$id', async (testCase) => {
    const { score, metadata } = await voted(votes.parse(testCase.samples));
    expect({ score, rubrics: metadata.rubrics }).toEqual(testCase.expect);
  });

  it.each(of('rubric_based_*', 'summarize_invocations'))('$id', async (testCase) => {
    const results = await Promise.all(votes.parse(testCase.invocations).map((invocation) => voted([invocation])));
    const { score, metadata } = resultOf(meanOutcome(results, 'turn'), metric);
    const { overall_score, rubrics } = expectedOf(testCase);
    expect(score).toBeCloseTo(Number(overall_score), 6);
    expect(metadata.rubrics).toEqual(rubrics);
  });
});

describe('ADK: hallucinations_v1', () => {
  // Each score is the number of supported sentences out of two.
  const labelsOf = (score: number) => [score > 0, score > 0.5].map((holds) => (holds ? 'supported' : 'unsupported'));

  it.each(of('hallucinations_v1', 'aggregate'))('$id', async ({ sentence_labels, step_scores = [], ...one }) => {
    const steps = sentence_labels ?? step_scores.map(labelsOf);
    const texts = steps.map((labels) => labels.map((_, at) => `This is sentence ${at + 1}.`).join(' '));
    const verdicts = steps.flat().map((label, at) => ({ sentence: `s${at + 1}`, evidence: [], reason: 'so', label }));
    const { result } = await judgeTurn(
      hallucinationsV1,
      { output: texts.at(-1) ?? null, steps: texts.map((text): ModelStep => ({ type: 'model', pointer: '', text })) },
      { hallucinations_v1: { verdicts } },
      { options: { evaluateIntermediate: true } },
    );
    const { invocation } = expectedOf(one);
    if (invocation === null) expect(result).toMatchObject({ status: 'not_applicable', score: null });
    else expect(result.score).toBeCloseTo(Number(invocation), 6);
  });
});

describe('ADK: final_eval_status', () => {
  /** A metric's status as a met or missed gate; null without a threshold. */
  const MET: Readonly<Record<string, boolean | null | undefined>> = {
    PASSED: true,
    FAILED: false,
    NOT_EVALUATED: null,
    INFORMATIONAL: undefined,
  };

  it.each(ALL.filter(({ kind }) => kind === 'final_eval_status'))('$id', (testCase) => {
    const gates = (testCase.metric_statuses ?? []).map((status) => MET[status]).filter((met) => met !== undefined);
    const verdict = verdictOf(gates);
    if (testCase.deviates !== undefined) expect(verdict).toBe('undecided');
    // Nothing can fail without thresholds: the report says that none are set.
    else if (gates.length === 0) expect([testCase.expect, verdict]).toEqual(['NOT_EVALUATED', 'passed']);
    else expect(verdict.toUpperCase()).toBe(testCase.expect);
  });
});

describe('ADK: coverage', () => {
  it('includes every case except those of the format, which its own tests cover', () => {
    const metrics = [
      'tool_trajectory_avg_score',
      'response_match_score',
      'tool_call_count_v1',
      'token_usage_v1',
      'hallucinations_v1',
      'rubric_based_*',
      'final_response_match_v2',
    ];
    const kinds = [undefined, 'parse_label', 'aggregate_samples', 'aggregate_invocations', 'summarize_invocations'];
    const isShown = ({ metric, kind }: Case) =>
      metric === undefined
        ? kind === 'final_eval_status'
        : metrics.includes(metric) && [...kinds, 'aggregate'].includes(kind);
    expect(ALL.filter((testCase) => !isShown(testCase)).map(({ id }) => id)).toEqual([
      'conv-tool-only',
      'conv-two-finals',
      'conv-real-shopping-session',
    ]);
    expect(ALL).toHaveLength(53);
  });
});
