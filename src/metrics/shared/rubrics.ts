import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { joinWithAnd, quoteText } from '../../rules/shared/message-format.ts';
import { type Asks, notApplicable } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import type { Conclusion } from './conclusion.ts';
import { evidenceOf } from './graded.ts';
import { judgeSamples } from './judge-samples.ts';
import { spelledFreely } from './spelled-freely.ts';

/** All that one prompt has room for, in characters: the texts of rubrics with their ids. */
const LONGEST_RUBRICS = 8000;
/** Longer ones would leave too little room for the questions that travel with them. */
const LONGEST_IN_COMPANY = 2500;

const rubric = z.strictObject({ id: z.string().min(1), text: z.string().min(1) });
type Rubric = z.output<typeof rubric>;

/** What a good answer has, as yes-or-no statements in plain words. */
export const rubricOptions = z.strictObject({
  rubrics: z
    .array(rubric)
    .refine((rubrics) => new Set(rubrics.map(({ id }) => id)).size === rubrics.length, {
      error: 'each rubric needs an id of its own',
    })
    .refine((rubrics) => listed(rubrics).length <= LONGEST_RUBRICS, {
      error: `all rubrics together may have ${LONGEST_RUBRICS} characters, which is what a prompt has room for`,
    })
    .default([]),
  samples: judgeSamples,
});

type RubricOptions = z.output<typeof rubricOptions>;

const NO_RUBRICS = notApplicable('No rubrics are configured for this metric.');

export function withoutRubrics(_: TurnView, { rubrics }: RubricOptions): MetricOutcome | null {
  return rubrics.length === 0 ? NO_RUBRICS : null;
}

/** What a model says of the rubrics, each once and in any order. */
interface Judged {
  readonly verdicts: readonly Verdict[];
}

interface Verdict {
  readonly rubric: string;
  readonly evidence: readonly string[];
  readonly reason: string;
  /** Null where the turn cannot show it. */
  readonly verdict: 'yes' | 'no' | null;
}

/**
 * Asks for a verdict on each rubric. Of several samples the majority decides for each rubric, and a tie is no; the score
 * is the mean of those that could be told.
 *
 * @param instructions what is looked at; the rubrics follow. They are the user's own configuration, and nothing of a trace.
 */
export function asksRubrics(name: string, instructions: string): Asks<TurnView, RubricOptions, Judged> {
  // One question for all turns of a run, so that what its answer is like is made once.
  const questions = new WeakMap<RubricOptions, Question<Judged>>();
  const questionFor = (options: RubricOptions) => {
    const made = questions.get(options) ?? questionOf(name, instructions, options.rubrics);
    questions.set(options, made);
    return made;
  };
  return {
    question: (_, options) => questionFor(options),
    conclude: (answer, _, __, { rubrics }) => concluded([answer], rubrics),
    combine: (answers, _, { rubrics }) => concluded(answers, rubrics),
    samples: ({ samples }) => samples,
  };
}

function questionOf(name: string, instructions: string, rubrics: readonly Rubric[]): Question<Judged> {
  const text = listed(rubrics);
  const isLong = text.length > LONGEST_IN_COMPANY;
  const ids = rubrics.map(({ id }) => id);
  return defineQuestion({
    name,
    context: 'turn',
    instructions: `${instructions}\n${isLong ? 'The statements stand in the data "statements".' : `The statements:\n${text}`}`,
    ...(isLong ? { data: { statements: text } } : {}),
    answer: ({ id }) => {
      const verdict = z.object({
        rubric: z.enum(ids),
        evidence: evidenceOf(id),
        reason: z.string().describe('what decides, in one sentence'),
        verdict: spelledFreely(['yes', 'no']).nullable().describe('null where the turn cannot show it'),
      });
      return z.object({ verdicts: z.array(verdict).length(ids.length).refine(eachOnce, EACH_ONCE) });
    },
  });
}

const EACH_ONCE = { error: 'give exactly one verdict on each of the statements' };

function eachOnce(verdicts: readonly { readonly rubric: string }[]): boolean {
  return new Set(verdicts.map((one) => one.rubric)).size === verdicts.length;
}

function listed(rubrics: readonly Rubric[]): string {
  return rubrics.map(({ id, text }) => `- ${id}: ${text.replace(/\s+/g, ' ').trim()}`).join('\n');
}

/** What the samples come to for one rubric, and one of those that say so. */
interface Settled {
  readonly id: string;
  readonly score: 0 | 1 | null;
  readonly said: Verdict | undefined;
}

const CANNOT_BE_TOLD = 'The turn shows nothing that the rubrics could be told by.';

function concluded(samples: readonly Judged[], rubrics: readonly Rubric[]): Conclusion {
  const settled = rubrics.map(({ id }) => settledBy(id, samples));
  const told = settled.flatMap(({ score }) => score ?? []);
  const cited = [...new Set(settled.flatMap(({ said }) => said?.evidence ?? []))];
  const metadata = {
    rubrics: Object.fromEntries(settled.map(({ id, score }) => [id, score])),
    reasons: Object.fromEntries(settled.map(({ id, said }) => [id, said?.reason ?? ''])),
    ...(samples.length === 1 ? {} : { samples: samples.map(votesOf) }),
  };
  if (told.length === 0) return { status: 'not_applicable', reason: CANNOT_BE_TOLD, cited, metadata };
  const score = told.reduce<number>((sum, one) => sum + one, 0) / told.length;
  return { score, reason: reasonOf(settled, told), cited, metadata };
}

function settledBy(id: string, samples: readonly Judged[]): Settled {
  const said = samples.flatMap(({ verdicts }) => verdicts.filter(({ rubric }) => rubric === id));
  const count = (verdict: Verdict['verdict']) => said.filter((one) => one.verdict === verdict).length;
  const decided = count('yes') > count('no') ? 'yes' : count('no') > 0 ? 'no' : null;
  const score = decided === null ? null : decided === 'yes' ? 1 : 0;
  return { id, score, said: said.find(({ verdict }) => verdict === decided) };
}

function votesOf({ verdicts }: Judged): Readonly<Record<string, Verdict['verdict']>> {
  return Object.fromEntries(verdicts.map(({ rubric, verdict }) => [rubric, verdict]));
}

/** The first rubric that fails is told with its reason; the others by their ids. */
const MOST_NAMED = 5;

function reasonOf(settled: readonly Settled[], told: readonly number[]): string {
  const failed = settled.filter(({ score }) => score === 0);
  const [first] = failed;
  const untold = settled.length - told.length;
  const open = untold === 0 ? '' : ` ${untold} cannot be told.`;
  if (!first) return `${told.length === 1 ? 'The rubric holds.' : `All ${told.length} rubrics hold.`}${open}`;
  const names = failed.slice(0, MOST_NAMED).map(({ id }) => quoteText(id));
  const more = failed.length > MOST_NAMED ? [`${failed.length - MOST_NAMED} more`] : [];
  const holding = told.length - failed.length;
  const why = first.said?.reason ?? '';
  return `${holding} of ${told.length} rubrics ${holding === 1 ? 'holds' : 'hold'}; not ${joinWithAnd([...names, ...more])}.${open} On ${quoteText(first.id)}: ${why}`;
}
