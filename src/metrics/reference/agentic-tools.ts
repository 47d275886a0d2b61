import * as z from 'zod';
import type { Evidence, Metadata, MetricOutcome } from '../../core/result.ts';
import { agentToolCalls, type ExpectedCall, type ToolStep, type Turn } from '../../core/session.ts';
import type { JudgeAnswer } from '../../judge/question.ts';
import { codeSpan, inlineText } from '../../rules/shared/message-format.ts';
import { notApplicable } from '../judged-metric.ts';
import { turnMetric } from '../metric.ts';
import { describeAlignment, firstSentences } from '../shared/call-descriptions.ts';
import { alignCalls, toCallSignature } from '../shared/call-matching.ts';
import { answerEvidence, evidenceAt } from '../shared/evidence.ts';
import { requireExpectedCalls } from '../shared/expected-values.ts';
import { BINARY, type GradedAnswer, gradedQuestion } from '../shared/graded-question.ts';
import { findUsedResult } from '../shared/result-use.ts';
import { textOrEmpty } from '../shared/text.ts';
import { fairForgeAspects, type ToolAspects, toolAspects } from '../shared/tool-aspects.ts';

const weight = z.number().min(0).default(0.25);

/** Weights are overridden key by key and count in proportion. */
const weights = z
  .strictObject({ selection: weight, parameters: weight, sequence: weight, utilization: weight })
  .refine((weights) => Object.values(weights).some((weight) => weight > 0), {
    error: 'at least one weight must be above 0',
  });
export type ToolWeights = z.output<typeof weights>;

const options = z.strictObject({
  weights: weights.prefault({}),
  /** Computes the aspects exactly as their source does, including its defects. */
  compat: z.literal('fair-forge').optional(),
});
type Options = z.output<typeof options>;

/** Asked only if the answer contains no value of a result. */
const QUESTION = gradedQuestion({
  name: 'agentic_tools',
  instructions: `Does the answer of this turn use what the agent's tool calls came back with?
1 if at least one statement of the answer rests on a result of this turn: it tells it in other words, sums it up, concludes from it, or says that nothing was found or that a call failed. 0 if it would read the same without the calls, or goes against their results.
Values need not be repeated: "yes, it is open" uses opening hours. Naming a tool, saying that something was looked up, and facts that the user or an earlier turn gave are no use of a result. Whether the calls were the right ones, and whether the answer is good, is not asked.`,
  score: BINARY,
});

/** Four aspects of a turn's tool calls: which tools, with which arguments, in which order, and whether it helped. */
export const agenticTools = turnMetric({
  name: 'agentic_tools',
  question: 'Were the right tools called with the right arguments in the right order, and their results used?',
  source: 'Fair Forge, agentic metric',
  scale: 'unit',
  threshold: 1,
  bands: [
    { from: 1, name: 'perfect', meaning: 'All aspects correct' },
    { from: 0.75, name: 'good', meaning: 'Minor issues' },
    { from: 0.5, name: 'moderate', meaning: 'Several issues' },
    { from: 0, name: 'poor', meaning: 'Significant problems' },
  ],
  needs: ['reference'],
  usesJudge: true,
  options,

  evaluate(view, options): MetricOutcome | Promise<MetricOutcome> {
    const { turn, judge } = view;
    const { weights, compat } = options;
    const expected = turn.reference?.toolCalls ?? [];
    const skipped = requireExpectedCalls(view);
    if (skipped) return skipped;
    const used = agentToolCalls(turn);
    if (!compat && used.length === 0 && expected.length === 0) return NO_TOOLS_AT_ALL;

    const compared = { turn, used, expected, options };
    const use = compat ? useFromFlag(turn) : useFromAnswer(turn, used, expected);
    if (use !== null || judge === null || weights.utilization === 0) return toOutcome(use, compared);
    return judge.ask(QUESTION).then((answered) => {
      const judged = useFromJudge(answered);
      if (!('status' in judged)) return toOutcome(judged, compared);
      return { ...toOutcome(null, compared), ...judged };
    });
  },
});

interface ToolComparison {
  readonly turn: Turn;
  readonly used: readonly ToolStep[];
  readonly expected: readonly ExpectedCall[];
  readonly options: Options;
}

/** @param use null if it is unknown whether results were used. */
function toOutcome(
  use: ResultUse | null,
  { turn, used, expected, options: { weights, compat } }: ToolComparison,
): MetricOutcome {
  const aspectsOf = compat ? fairForgeAspects : toolAspects;
  const aspects = {
    ...aspectsOf(used, expected, turn.reference?.orderMatters ?? true),
    utilization: use?.score ?? null,
  };
  const overall = weightedMean(aspects, weights);
  const offences = [
    ...describeAlignment(
      alignCalls(expected.map(toCallSignature), used, { ordered: false, ignoreArguments: false }),
      expected.map(toCallSignature),
      used,
    ).filter(({ match }) => match !== 'same'),
    ...(compat ? [] : describeOrder(aspects, expected, used)),
  ];
  const useText = use?.judged === undefined ? '' : ` Use of the results: ${use.judged.reason}`;
  const reason = firstSentences([describeAspects(aspects), ...offences.map((offence) => offence.reason)]) + useText;
  const metadata: Metadata = {
    tool_selection_correct: aspects.selection,
    parameter_accuracy: aspects.parameters,
    sequence_correct: aspects.sequence,
    result_utilization: aspects.utilization,
    overall_correctness: overall,
    reasoning: reason,
  };
  const evidence = [
    ...offences.map(({ actual, reason: note }): Evidence => {
      const made = actual === null ? undefined : used[actual];
      return evidenceAt(turn, made?.pointer ?? turn.pointer, note);
    }),
    ...(use?.evidence ?? []),
  ];
  if (compat && used.length === 0) return { status: 'not_applicable', reason: NO_TOOLS_USED, metadata };
  if (overall === null) return { status: 'needs_judge', reason: UNDECIDED, metadata, evidence };
  return {
    status: 'scored',
    score: overall,
    source: 'reference',
    ...(use?.judged && { judge: use.judged.judge }),
    reason,
    evidence,
    metadata,
    verdictInMetadata: 'is_correct',
  };
}

const NO_TOOLS_AT_ALL = notApplicable('No tool calls were expected of this turn, and none was made.');
const NO_TOOLS_USED = 'No tools were used in this turn; Fair Forge defines no score for that.';
const UNDECIDED = 'The answer repeats no value of a result, so a judge must decide whether the results were used.';

/** Explains the order if only the order differs from the expected calls. */
function describeOrder(
  { selection, sequence }: ToolAspects,
  expected: readonly ExpectedCall[],
  used: readonly ToolStep[],
): { readonly actual: number; readonly reason: string }[] {
  if (selection < 1 || sequence === 1) return [];
  const first = used.findIndex(({ name }, index) => name !== expected[index]?.name);
  const inOrder = (calls: readonly { readonly name: string }[]) =>
    calls
      .slice(first, first + MAX_NAMED)
      .map(({ name }) => codeSpan(name))
      .join(', ');
  const reason = `From call ${first + 1} on, the order is ${inOrder(used)}; expected was ${inOrder(expected)}.`;
  return [{ actual: first, reason }];
}

const MAX_NAMED = 4;

/** Whether the answer uses what the tools returned, 0 or 1. */
interface ResultUse {
  readonly score: number;
  readonly evidence?: readonly Evidence[];
  /** Present if a judge decided. */
  readonly judged?: { readonly judge: string; readonly reason: string };
}

/** Several samples are votes; a tie is 0. */
function useFromJudge(
  answered: JudgeAnswer<GradedAnswer>,
): ResultUse | Exclude<JudgeAnswer<GradedAnswer>, { readonly status: 'answered' }> {
  if (answered.status !== 'answered') return answered;
  const { values, judge, cite } = answered;
  const votes = values.reduce((sum, { score }) => sum + score, 0);
  const score = votes * 2 > values.length ? 1 : 0;
  const [first] = values;
  const { reason, evidence } = values.find((value) => value.score === score) ?? first;
  return { score, evidence: cite(evidence), judged: { judge, reason } };
}

/** Fair Forge's flag, whose default is false. */
function useFromFlag({ reference }: Turn): ResultUse {
  return { score: reference?.usesToolResults ? 1 : 0 };
}

/** By the flag if there is one, else by values that the answer repeats; null if a judge must decide. */
function useFromAnswer(turn: Turn, used: readonly ToolStep[], expected: readonly ExpectedCall[]): ResultUse | null {
  if (used.length === 0) return { score: 0 };
  if (turn.reference?.usesToolResults !== undefined) return useFromFlag(turn);
  // A missing answer uses nothing.
  if (textOrEmpty(turn.output) === '') return { score: 0 };
  const use = findUsedResult(turn);
  if (use) {
    const { call, value } = use;
    const text = inlineText(value);
    return {
      score: 1,
      evidence: [
        answerEvidence(turn, `the answer has ${text} from the result of ${codeSpan(call.name)}`),
        evidenceAt(turn, call.resultPointer ?? call.pointer, `the result that gives ${text}`),
      ],
    };
  }
  return expected.length === 0 ? { score: 0 } : null;
}

type AspectScores = ToolAspects & { readonly utilization: number | null };
const ASPECTS = ['selection', 'parameters', 'sequence', 'utilization'] as const;

/** The weighted mean; null when an aspect that has a weight is undecided. */
function weightedMean(aspects: AspectScores, weights: ToolWeights): number | null {
  let sum = 0;
  let total = 0;
  for (const aspect of ASPECTS) {
    if (weights[aspect] === 0) continue;
    const score = aspects[aspect];
    if (score === null) return null;
    sum += weights[aspect] * score;
    total += weights[aspect];
  }
  return sum / total;
}

function describeAspects(aspects: AspectScores): string {
  const parts = ASPECTS.map((aspect) => `${aspect} ${aspects[aspect]?.toFixed(2) ?? 'undecided'}`).join(', ');
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}
