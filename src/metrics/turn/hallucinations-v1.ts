import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import type { Pointer, Turn } from '../../core/session.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { inlineText, quoteText } from '../../rules/shared/message-format.ts';
import { judgedTurn, notApplicable, withoutAnswer } from '../judged.ts';
import type { TurnView } from '../metric.ts';
import type { Conclusion } from '../shared/conclusion.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { evidenceOf } from '../shared/graded.ts';
import { judgeSamples } from '../shared/judge-samples.ts';
import { sentencesOf } from '../shared/sentences.ts';
import { spelledFreely } from '../shared/spelled-freely.ts';
import { readable } from '../shared/text.ts';

const LABELS = ['supported', 'not_applicable', 'unsupported', 'contradictory', 'disputed'] as const;
type Label = (typeof LABELS)[number];

const INSTRUCTIONS = `What does the record say of each sentence in the data "sentences"?
supported: it says so, or it follows (a sum, a conversion, a summary); unsupported: a fact of which the record says nothing; contradictory: the record says otherwise; disputed: one place says so, another otherwise; not_applicable: no fact that a record could bear out (greeting, question, offer, advice, opinion, plan, heading, code that was asked for).
The record is the agent's instructions and knowledge, what users said, results and documents. The agent's own words and thoughts support nothing; what it says it did is supported by calls and their results. Neither does your own knowledge, however well known the fact. A sentence with several facts has the label of its worst. Give one verdict on each sentence, in order.`;

const IN_STEPS = `${INSTRUCTIONS}\nThe sentences are grouped by the texts that they stand in: what came back after a text supports nothing in it.`;

const options = z.strictObject({
  samples: judgeSamples,
  /** ADK's `evaluate_intermediate_nl_responses`: what the agent says between its calls is looked at as well. */
  evaluateIntermediate: z.boolean().default(false),
});

type Options = z.output<typeof options>;

interface Labelled {
  readonly verdicts: readonly {
    readonly sentence: string;
    readonly evidence: readonly string[];
    readonly reason: string;
    readonly label: Label;
  }[];
}

/** Sentences that are supported or need no support, over all sentences of a text; of several texts the mean. */
export const hallucinationsV1 = judgedTurn({
  name: 'hallucinations_v1',
  question: 'Is every sentence of the answer supported by its context?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  optIn: true,
  options,
  settled: (view, { evaluateIntermediate }) => (evaluateIntermediate ? withoutText(view) : withoutAnswer(view)),
  asks: {
    question: ({ turn }, own) => asked(lookedAt(turn, own), own),
    conclude: (answer, _, { turn }, own) => concluded(answer, lookedAt(turn, own), turn),
    samples: ({ samples }) => samples,
  },
});

const NO_TEXT = notApplicable('The agent wrote no text in this turn, so there is none to judge.');

function withoutText({ turn }: TurnView): MetricOutcome | null {
  return textsOf(turn, { evaluateIntermediate: true }).length === 0 ? NO_TEXT : null;
}

/** A text of the agent. */
interface Text {
  readonly name: string;
  readonly text: string;
  readonly pointer: Pointer;
}

/** The answer, and what was said before it where that is to be looked at. */
function textsOf(
  { steps, output, outputPointer, pointer }: Turn,
  { evaluateIntermediate }: Pick<Options, 'evaluateIntermediate'>,
): Text[] {
  const answer = readable(output);
  const last = answer === '' ? [] : [{ name: 'answer', text: answer, pointer: outputPointer ?? pointer }];
  if (!evaluateIntermediate) return last;
  const said = steps.flatMap((step) => (step.type === 'model' && readable(step.text ?? null) !== '' ? [step] : []));
  const repeated = said.findLast(({ text }) => text === output);
  const before = said.filter((step) => step !== repeated);
  return [
    ...before.map((step, at) => ({ name: `text${at + 1}`, text: step.text ?? '', pointer: step.pointer })),
    ...last,
  ];
}

/** A sentence under the name that the model is given for it. */
interface Sentence {
  readonly id: string;
  readonly of: Text;
  readonly text: string;
}

interface LookedAt {
  readonly sentences: readonly Sentence[];
  /** How many there was no room for. */
  readonly leftOut: number;
}

/** What the prompt has room for: sentences, and characters with those that JSON puts around and before them. */
const MOST_SENTENCES = 60;
const LONGEST_SENTENCE = 1000;
const ROOM = 8500;
const AROUND = 16;

/** The answer goes first where there is no room for all, then what was said right before it. */
function lookedAt(turn: Turn, own: Options): LookedAt {
  const all = textsOf(turn, own).map((of) => sentencesOf(of.text).map((text) => ({ of, text: shortened(text) })));
  const chosen = new Set(fitting(all.toReversed().flat()));
  const sentences = all.flat().filter((sentence) => chosen.has(sentence));
  return {
    sentences: sentences.map((sentence, at) => ({ id: `s${at + 1}`, ...sentence })),
    leftOut: all.flat().length - sentences.length,
  };
}

/** The first of them, up to where the room ends. */
function fitting<S extends { readonly text: string }>(sentences: readonly S[]): readonly S[] {
  let room = ROOM;
  const end = sentences.findIndex(({ text }, at) => {
    room -= JSON.stringify(text).length + AROUND;
    return at === MOST_SENTENCES || room < 0;
  });
  return end < 0 ? sentences : sentences.slice(0, end);
}

function shortened(text: string): string {
  return text.length <= LONGEST_SENTENCE ? text : `${text.slice(0, LONGEST_SENTENCE - 4).toWellFormed()} (…)`;
}

/** One object per turn, as each has sentences of its own. */
function asked({ sentences }: LookedAt, { evaluateIntermediate }: Options): Question<Labelled> {
  const ids = sentences.map(({ id }) => id);
  return defineQuestion({
    name: 'hallucinations_v1',
    context: 'turn',
    instructions: evaluateIntermediate ? IN_STEPS : INSTRUCTIONS,
    data: { sentences: evaluateIntermediate ? grouped(sentences) : byId(sentences) },
    answer: ({ id }) => {
      const verdict = z.object({
        sentence: z.enum(ids),
        evidence: evidenceOf(id),
        reason: z.string().describe('what the record says of it, in a few words'),
        label: spelledFreely(LABELS),
      });
      return z.object({ verdicts: z.array(verdict).length(ids.length).refine(eachOnce, EACH_ONCE) });
    },
  });
}

const EACH_ONCE = { error: 'give exactly one verdict on each of the sentences' };

function eachOnce(verdicts: readonly { readonly sentence: string }[]): boolean {
  return new Set(verdicts.map(({ sentence }) => sentence)).size === verdicts.length;
}

function byId(sentences: readonly Sentence[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sentences.map(({ id, text }) => [id, text]));
}

function grouped(sentences: readonly Sentence[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const groups = Map.groupBy(sentences, ({ of }) => of.name);
  return Object.fromEntries(Array.from(groups, ([name, its]) => [name, byId(its)]));
}

/** A sentence and what the model says of it. */
interface Told extends Sentence {
  readonly label: Label;
  readonly reason: string;
  readonly evidence: readonly string[];
  readonly holds: boolean;
}

/** So many places and sentences are shown of those that fail; the metadata have all of them. */
const MOST_SHOWN = 10;
const MOST_CITED = 5;
const LONGEST_TEXT = 300;

function concluded({ verdicts }: Labelled, { sentences, leftOut }: LookedAt, turn: Turn): Conclusion {
  const of = new Map(verdicts.map((verdict) => [verdict.sentence, verdict]));
  const told = sentences.flatMap((sentence): Told[] => {
    const said = of.get(sentence.id);
    if (!said) return [];
    const { label, reason, evidence } = said;
    return [{ ...sentence, label, reason, evidence, holds: label === 'supported' || label === 'not_applicable' }];
  });
  const texts = [...Map.groupBy(told, (one) => one.of).values()].map((its) => share(its));
  const failed = told.filter(({ holds }) => !holds);
  const deciding = failed.length > 0 ? failed : told;
  return {
    score: texts.reduce((sum, one) => sum + one, 0) / texts.length,
    reason: reasonOf(told, failed, leftOut),
    cited: [...new Set(deciding.flatMap(({ evidence }) => evidence))].slice(
      0,
      failed.length > 0 ? MOST_SHOWN : MOST_CITED,
    ),
    evidence: failed
      .slice(0, MOST_SHOWN)
      .map(({ of: { pointer }, label, text }) => evidenceAt(turn, pointer, `${label}: ${quoteText(text)}`)),
    metadata: {
      sentences: told.map(({ of: { name }, text, label, reason }) => ({
        of: name,
        text: inlineText(text, LONGEST_TEXT),
        label,
        reason,
      })),
      ...(texts.length > 1 ? { texts } : {}),
      ...(leftOut > 0 ? { leftOut } : {}),
    },
  };
}

function share(sentences: readonly Told[]): number {
  return sentences.filter(({ holds }) => holds).length / sentences.length;
}

function reasonOf(told: readonly Told[], failed: readonly Told[], leftOut: number): string {
  const count = `${told.length} ${told.length === 1 ? 'sentence' : 'sentences'}`;
  const rest = leftOut > 0 ? ` ${leftOut} more were not looked at, for want of room.` : '';
  const [first] = failed;
  if (!first) return `Of ${count}, each is supported or needs no support.${rest}`;
  return `Of ${count}, ${failed.length} ${failed.length === 1 ? 'does' : 'do'} not hold. ${first.label}: ${quoteText(first.text)} ${first.reason}${rest}`;
}
