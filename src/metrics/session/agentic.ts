import * as z from 'zod';
import { getString } from '../../core/json.ts';
import type { Metadata, MetricOutcome, Result, Status } from '../../core/result.ts';
import { meetsThreshold } from '../../core/scoring.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { type PassAtKEstimate, passAtK, validateQuery } from '../attempts/pass-at-k.ts';
import { notApplicable } from '../judged-metric.ts';
import { type SessionView, sessionMetric } from '../metric.ts';
import { answerEvidence } from '../shared/evidence.ts';
import { fairForgeEstimate } from '../shared/fair-forge-estimate.ts';

const options = z.strictObject({
  k: z.int().positive(),
  /** `frequentist` is its source's name for the plug-in estimator. */
  estimator: z.enum(['plug-in', 'frequentist', 'unbiased', 'bayesian']).default('plug-in'),
  correctBy: z.enum(['answer', 'both']).default('answer'),
  /** The score at which the tools of a turn are correct; default: the threshold of `agentic_tools`. */
  toolThreshold: z.number().min(0).max(1).optional(),
});
type Options = z.output<typeof options>;

/**
 * The share of correct turns in a session, and pass@k and pass^k with n = the turns with a reference and c = the correct
 * ones. A turn is correct by its answer (`agentic_answer`), or by answer and tools (`agentic_tools`) with
 * `correctBy: "both"`. Its configured `threshold` applies to `agentic_answer`, as in its source.
 */
export const agentic = sessionMetric({
  name: 'agentic',
  question: 'Is every turn of the session correct, and how likely is that over k attempts?',
  source: 'Fair Forge, agentic metric',
  scale: 'unit',
  threshold: null,
  thresholdFor: 'agentic_answer',
  needs: ['judge', 'reference'],
  uses: ['agentic_answer', 'agentic_tools'],
  optIn: true,
  options,

  evaluate(view, options): MetricOutcome {
    const turns = assessTurns(view, options);
    if (turns.some(({ answer }) => answer === undefined)) return PARTLY_EVALUATED;
    const compared = turns.filter(({ correct }) => correct !== null);
    if (compared.length === 0) return NO_REFERENCES;
    const known = agenticMetadata(view, options, turns);
    const open = compared.filter(({ correct }) => typeof correct !== 'boolean');
    if (open.length > 0) return undecidedOutcome(open, known);

    const right = compared.filter(({ correct }) => correct === true);
    const estimator = options.estimator === 'frequentist' ? ('plug-in' as const) : options.estimator;
    const query = { n: compared.length, c: right.length, k: options.k, estimator };
    const problem = validateQuery(query);
    if (problem !== null) return { status: 'error', reason: `With the turns as attempts: ${problem}`, metadata: known };
    const wrong = compared.filter(({ correct }) => correct === false);
    const estimate = passAtK(query);
    return {
      status: 'scored',
      score: query.c / query.n,
      source: 'aggregate',
      reason: describeResult(wrong, estimate, turns.length - compared.length),
      evidence: wrong.flatMap(({ index, why }) => {
        const turn = view.session.turns[index];
        return turn ? [answerEvidence(turn, `turn ${index + 1} is not correct: ${why}`)] : [];
      }),
      metadata: { ...known, ...passAtKMetadata(estimate), correct_indices: right.map(({ index }) => index) },
    };
  },
});

const NO_REFERENCES = notApplicable('No turn of the session has a reference for its answer or its calls.');
const PARTLY_EVALUATED = notApplicable('Only some turns of the session were evaluated.');

/** Statuses of a part whose correctness is unknown. */
const UNDECIDED_STATUSES = [
  'error',
  'cancelled',
  'needs_judge',
  'needs_embedder',
  'needs_reference',
] as const satisfies Status[];
type UndecidedStatus = (typeof UNDECIDED_STATUSES)[number];

interface TurnCorrectness {
  readonly index: number;
  readonly answer: Result | undefined;
  readonly tools: Result | undefined;
  /** Null if there is nothing to compare with; a status if it is unknown. */
  readonly correct: boolean | UndecidedStatus | null;
  /** The reason. */
  readonly why: string;
}

function assessTurns(view: SessionView, { correctBy, toolThreshold }: Options): TurnCorrectness[] {
  const answers = view.turnResults('agentic_answer');
  const tools = view.turnResults('agentic_tools');
  return view.session.turns.map((_, index) => {
    const ofAnswer = assessPart('its answer scores', answers[index]);
    const ofTools = correctBy === 'both' ? assessPart('its tool calls score', tools[index], toolThreshold) : null;
    return { index, answer: answers[index], tools: tools[index], ...decidingPart(ofAnswer, ofTools) };
  });
}

type PartCorrectness = Pick<TurnCorrectness, 'correct' | 'why'>;

/** The answer decides if it is wrong or unknown; otherwise the calls decide. */
function decidingPart(answer: PartCorrectness, tools: PartCorrectness | null): PartCorrectness {
  const isDecided = answer.correct !== true && answer.correct !== null;
  return isDecided || tools === null || tools.correct === null ? answer : tools;
}

function assessPart(what: string, result: Result | undefined, threshold = result?.threshold ?? 1): PartCorrectness {
  const status = UNDECIDED_STATUSES.find((state) => state === result?.status);
  if (status) return { correct: status, why: result?.reason ?? status };
  const score = result?.score ?? null;
  if (score === null) return { correct: null, why: '' };
  return {
    correct: meetsThreshold(score, threshold),
    why: `${what} ${formatScore(score)}, below ${formatScore(threshold)}`,
  };
}

function formatScore(score: number): string {
  return score.toFixed(2);
}

/** Metadata that do not depend on the outcome, under the names of Fair Forge's `AgenticMetric`. */
function agenticMetadata(
  { session }: SessionView,
  { k, correctBy, toolThreshold }: Options,
  turns: readonly TurnCorrectness[],
): Metadata {
  const scores = turns.map(({ answer }) => answer?.score ?? null);
  const limit = toolThreshold ?? turns.find(({ tools }) => tools)?.tools?.threshold ?? 1;
  return {
    session_id: session.id,
    assistant_id: getString(session.metadata, 'assistant_id') ?? session.task?.agent ?? null,
    threshold: turns[0]?.answer?.threshold ?? null,
    correctness_scores: scores,
    tool_correctness_scores: turns.map(({ tools }) => toolScore(tools, limit)),
    k,
    correct_by: correctBy,
    tool_threshold: limit,
    left_out: turns.filter(({ correct }) => correct === null).length,
  };
}

/** Fair Forge's `ToolCorrectnessScore`; null if it has none. */
function toolScore(tools: Result | undefined, threshold: number): Metadata | null {
  if (!tools || tools.score === null) return null;
  return { ...tools.metadata, is_correct: meetsThreshold(tools.score, threshold) };
}

function passAtKMetadata(estimate: PassAtKEstimate): Metadata {
  const { n, c } = estimate;
  return {
    total_interactions: n,
    correct_interactions: c,
    is_fully_correct: c === n,
    ...fairForgeEstimate(estimate),
  };
}

/** A turn that was not judged is not wrong. The most severe status of such turns is the session's. */
function undecidedOutcome(open: readonly TurnCorrectness[], metadata: Metadata): MetricOutcome {
  const status = UNDECIDED_STATUSES.find((state) => open.some(({ correct }) => correct === state)) ?? 'error';
  const first = open.find(({ correct }) => correct === status);
  const more = open.length === 1 ? '' : ` (and ${open.length - 1} more)`;
  const reason = `It is unknown whether turn ${(first?.index ?? 0) + 1}${more} is correct: ${first?.why ?? status}`;
  return { status, reason, metadata: { ...metadata, unjudged: open.map(({ index }) => index) } };
}

function describeResult(wrong: readonly TurnCorrectness[], estimate: PassAtKEstimate, leftOut: number): string {
  const { n, c, k, estimator, passAtK: atK, passPowK: powK, assessment } = estimate;
  const not = wrong.length === 0 ? '' : `, not ${turnNumbers(wrong)}`;
  const rest = leftOut === 0 ? '' : ` ${leftOut} without a reference ${leftOut === 1 ? 'is' : 'are'} left out.`;
  const figures = `pass@${k} is ${formatScore(atK)} and pass^${k} ${formatScore(powK)} (${estimator}): ${assessment}.`;
  return `${c} of ${n} turns ${n === 1 ? 'is' : 'are'} correct${not}.${rest} ${figures}`;
}

const MAX_NUMBERS = 5;

function turnNumbers(turns: readonly TurnCorrectness[]): string {
  const numbers = limitList(turns, MAX_NUMBERS, ({ index }) => String(index + 1));
  return `${turns.length === 1 ? 'turn' : 'turns'} ${joinWithAnd(numbers)}`;
}
