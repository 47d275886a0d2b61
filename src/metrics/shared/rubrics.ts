import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import { joinWithAnd, limitList } from '../../core/text/lists.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { quoteText } from '../../rules/shared/message-format.ts';
import { type AskDefinition, notApplicable } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { evidenceIds } from './graded-question.ts';
import { judgeSamples } from './judge-samples.ts';
import type { JudgedOutcome } from './judged-outcome.ts';
import { lenientEnum } from './lenient-enum.ts';

/** The texts of rubrics with their ids that fit into one prompt. */
const MAX_RUBRIC_CHARS = 8000;
/** Longer ones leave too little room for other questions in the same call. */
const MAX_SHARED_CALL_CHARS = 2500;

const rubric = z.strictObject({ id: z.string().min(1), text: z.string().min(1) });
type RubricStatement = z.output<typeof rubric>;

/** The properties of a good answer, as yes-or-no statements in plain words. */
export const rubricOptions = z.strictObject({
  rubrics: z
    .array(rubric)
    .refine((rubrics) => new Set(rubrics.map(({ id }) => id)).size === rubrics.length, {
      error: 'each rubric needs an id of its own',
    })
    .refine((rubrics) => listRubrics(rubrics).length <= MAX_RUBRIC_CHARS, {
      error: `all rubrics together may have at most ${MAX_RUBRIC_CHARS} characters, so that they fit into a prompt`,
    })
    .default([]),
  samples: judgeSamples,
});

type RubricOptions = z.output<typeof rubricOptions>;

const NO_RUBRICS = notApplicable('No rubrics are configured for this metric.');

export function requireRubrics(_: TurnView, { rubrics }: RubricOptions): MetricOutcome | null {
  return rubrics.length === 0 ? NO_RUBRICS : null;
}

/** A judge's verdicts on the rubrics, each once and in any order. */
interface RubricAnswers {
  readonly verdicts: readonly RubricAnswer[];
}

interface RubricAnswer {
  readonly rubric: string;
  readonly evidence: readonly string[];
  readonly reason: string;
  /** Null if the turn cannot show it. */
  readonly verdict: 'yes' | 'no' | null;
}

/**
 * Asks for a verdict on each rubric. Of several samples the majority decides for each rubric, and a tie is no. The score
 * is the mean over the decided rubrics.
 *
 * @param instructions come before the rubrics. Rubrics are the user's configuration, not part of a trace.
 */
export function askRubrics(name: string, instructions: string): AskDefinition<TurnView, RubricOptions, RubricAnswers> {
  // One question for all turns of a run, so that its answer schema is built once.
  const questions = new WeakMap<RubricOptions, Question<RubricAnswers>>();
  const questionFor = (options: RubricOptions) => {
    const made = questions.get(options) ?? rubricQuestion(name, instructions, options.rubrics);
    questions.set(options, made);
    return made;
  };
  return {
    question: (_, options) => questionFor(options),
    interpret: (answer, _, __, { rubrics }) => combineAnswers([answer], rubrics),
    combine: (answers, _, { rubrics }) => combineAnswers(answers, rubrics),
    samples: ({ samples }) => samples,
  };
}

function rubricQuestion(
  name: string,
  instructions: string,
  rubrics: readonly RubricStatement[],
): Question<RubricAnswers> {
  const text = listRubrics(rubrics);
  const isLong = text.length > MAX_SHARED_CALL_CHARS;
  const ids = rubrics.map(({ id }) => id);
  return defineQuestion({
    name,
    context: 'turn',
    instructions: `${instructions}\n${isLong ? 'The statements stand in the data "statements".' : `The statements:\n${text}`}`,
    ...(isLong ? { data: { statements: text } } : {}),
    answer: ({ id }) => {
      const verdict = z.object({
        rubric: z.enum(ids),
        evidence: evidenceIds(id),
        reason: z.string().describe('what decides, in one sentence'),
        verdict: lenientEnum(['yes', 'no']).nullable().describe('null where the turn cannot show it'),
      });
      return z.object({ verdicts: z.array(verdict).length(ids.length).refine(hasEachOnce, EACH_ONCE) });
    },
  });
}

const EACH_ONCE = { error: 'give exactly one verdict on each of the statements' };

function hasEachOnce(verdicts: readonly { readonly rubric: string }[]): boolean {
  return new Set(verdicts.map((verdict) => verdict.rubric)).size === verdicts.length;
}

function listRubrics(rubrics: readonly RubricStatement[]): string {
  return rubrics.map(({ id, text }) => `- ${id}: ${text.replace(/\s+/g, ' ').trim()}`).join('\n');
}

/** The decision on one rubric, and an answer that agrees with it. */
interface RubricOutcome {
  readonly id: string;
  readonly score: 0 | 1 | null;
  readonly answer: RubricAnswer | undefined;
}

const NOTHING_TO_DECIDE_BY = 'The turn shows nothing to decide the rubrics by.';

function combineAnswers(samples: readonly RubricAnswers[], rubrics: readonly RubricStatement[]): JudgedOutcome {
  const settled = rubrics.map(({ id }) => decideRubric(id, samples));
  const scores = settled.flatMap(({ score }) => score ?? []);
  const cited = [...new Set(settled.flatMap(({ answer }) => answer?.evidence ?? []))];
  const metadata = {
    rubrics: Object.fromEntries(settled.map(({ id, score }) => [id, score])),
    reasons: Object.fromEntries(settled.map(({ id, answer }) => [id, answer?.reason ?? ''])),
    ...(samples.length === 1 ? {} : { samples: samples.map(votesOf) }),
  };
  if (scores.length === 0) return { status: 'not_applicable', reason: NOTHING_TO_DECIDE_BY, cited, metadata };
  const score = scores.reduce<number>((sum, value) => sum + value, 0) / scores.length;
  return { score, reason: describeOutcomes(settled, scores), cited, metadata };
}

function decideRubric(id: string, samples: readonly RubricAnswers[]): RubricOutcome {
  const ownVerdicts = samples.flatMap(({ verdicts }) => verdicts.filter(({ rubric }) => rubric === id));
  const count = (verdict: RubricAnswer['verdict']) => ownVerdicts.filter((answer) => answer.verdict === verdict).length;
  const decided = count('yes') > count('no') ? 'yes' : count('no') > 0 ? 'no' : null;
  const score = decided === null ? null : decided === 'yes' ? 1 : 0;
  return { id, score, answer: ownVerdicts.find(({ verdict }) => verdict === decided) };
}

function votesOf({ verdicts }: RubricAnswers): Readonly<Record<string, RubricAnswer['verdict']>> {
  return Object.fromEntries(verdicts.map(({ rubric, verdict }) => [rubric, verdict]));
}

/** Failed rubrics that are listed by id; the first one is explained. */
const MAX_NAMED = 5;

function describeOutcomes(settled: readonly RubricOutcome[], scores: readonly number[]): string {
  const failed = settled.filter(({ score }) => score === 0);
  const [first] = failed;
  const untold = settled.length - scores.length;
  const open = untold === 0 ? '' : ` ${untold} cannot be decided.`;
  if (!first) return `${scores.length === 1 ? 'The rubric holds.' : `All ${scores.length} rubrics hold.`}${open}`;
  const names = limitList(failed, MAX_NAMED, ({ id }) => quoteText(id));
  const holding = scores.length - failed.length;
  const why = first.answer?.reason ?? '';
  return `${holding} of ${scores.length} rubrics ${holding === 1 ? 'holds' : 'hold'}; not ${joinWithAnd(names)}.${open} On ${quoteText(first.id)}: ${why}`;
}
