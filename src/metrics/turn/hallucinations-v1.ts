import * as z from 'zod';
import type { MetricOutcome } from '../../core/result.ts';
import type { Pointer, Turn } from '../../core/session.ts';
import { defineQuestion, type Question } from '../../judge/question.ts';
import { inlineText, quoteText } from '../../rules/shared/message-format.ts';
import { judgedTurn, notApplicable, requireAnswer } from '../judged-metric.ts';
import type { TurnView } from '../metric.ts';
import { evidenceAt } from '../shared/evidence.ts';
import { evidenceIds } from '../shared/graded-question.ts';
import { judgeSamples } from '../shared/judge-samples.ts';
import type { JudgedOutcome } from '../shared/judged-outcome.ts';
import { lenientEnum } from '../shared/lenient-enum.ts';
import { sentencesOf } from '../shared/sentences.ts';
import { textOrEmpty } from '../shared/text.ts';

const LABELS = ['supported', 'not_applicable', 'unsupported', 'contradictory', 'disputed'] as const;
type SentenceLabel = (typeof LABELS)[number];

const INSTRUCTIONS = `What does the record say of each sentence in the data "sentences"?
supported: it says so, or it follows (a sum, a conversion, a summary); unsupported: a fact of which the record says nothing; contradictory: the record says otherwise; disputed: one place says so, another otherwise; not_applicable: no fact that a record could bear out (greeting, question, offer, advice, opinion, plan, heading, code that was asked for).
The record is the agent's instructions and knowledge, what users said, results and documents. The agent's own words and thoughts support nothing; what it says it did is supported by calls and their results. Neither does your own knowledge, however well known the fact. A sentence with several facts has the label of its worst. Give one verdict on each sentence, in order.`;

const INSTRUCTIONS_BY_TEXT = `${INSTRUCTIONS}\nThe sentences are grouped by the texts that they stand in: what came back after a text supports nothing in it.`;

const options = z.strictObject({
  samples: judgeSamples,
  /** ADK's `evaluate_intermediate_nl_responses`: also judges what the agent says between its calls. */
  evaluateIntermediate: z.boolean().default(false),
});

type Options = z.output<typeof options>;

interface SentenceVerdicts {
  readonly verdicts: readonly {
    readonly sentence: string;
    readonly evidence: readonly string[];
    readonly reason: string;
    readonly label: SentenceLabel;
  }[];
}

/** Sentences that are supported or need no support / all sentences of a text; the mean over several texts. */
export const hallucinationsV1 = judgedTurn({
  name: 'hallucinations_v1',
  question: 'Is every sentence of the answer supported by its context?',
  source: 'ADK, metrics and scoring',
  scale: 'unit',
  threshold: null,
  optIn: true,
  options,
  precheck: (view, { evaluateIntermediate }) => (evaluateIntermediate ? requireText(view) : requireAnswer(view)),
  ask: {
    question: ({ turn }, own) => sentenceQuestion(selectSentences(turn, own), own),
    interpret: (answer, _, { turn }, own) => interpretVerdicts(answer, selectSentences(turn, own), turn),
    samples: ({ samples }) => samples,
  },
});

const NO_TEXT = notApplicable('The agent wrote no text in this turn.');

function requireText({ turn }: TurnView): MetricOutcome | null {
  return agentTexts(turn, { evaluateIntermediate: true }).length === 0 ? NO_TEXT : null;
}

/** A text that the agent wrote. */
interface JudgedText {
  readonly name: string;
  readonly text: string;
  readonly pointer: Pointer;
}

/** The answer, and the texts before it if they are judged too. */
function agentTexts(
  { steps, output, outputPointer, pointer }: Turn,
  { evaluateIntermediate }: Pick<Options, 'evaluateIntermediate'>,
): JudgedText[] {
  const answer = textOrEmpty(output);
  const last = answer === '' ? [] : [{ name: 'answer', text: answer, pointer: outputPointer ?? pointer }];
  if (!evaluateIntermediate) return last;
  const textSteps = steps.flatMap((step) =>
    step.type === 'model' && textOrEmpty(step.text ?? null) !== '' ? [step] : [],
  );
  const repeated = textSteps.findLast(({ text }) => text === output);
  const before = textSteps.filter((step) => step !== repeated);
  return [
    ...before.map((step, at) => ({ name: `text${at + 1}`, text: step.text ?? '', pointer: step.pointer })),
    ...last,
  ];
}

/** A sentence with its id in the prompt. */
interface Sentence {
  readonly id: string;
  readonly of: JudgedText;
  readonly text: string;
}

interface SentenceSelection {
  readonly sentences: readonly Sentence[];
  /** How many do not fit. */
  readonly leftOut: number;
}

/** Limits of the prompt: sentences, and characters including their JSON syntax. */
const MAX_SENTENCES = 60;
const MAX_SENTENCE_CHARS = 1000;
const MAX_PROMPT_CHARS = 8500;
const SENTENCE_OVERHEAD = 16;

/** If not all texts fit, the answer goes first, then the texts right before it. */
function selectSentences(turn: Turn, own: Options): SentenceSelection {
  const all = agentTexts(turn, own).map((of) => sentencesOf(of.text).map((text) => ({ of, text: shorten(text) })));
  const chosen = new Set(takeFitting(all.toReversed().flat()));
  const sentences = all.flat().filter((sentence) => chosen.has(sentence));
  return {
    sentences: sentences.map((sentence, at) => ({ id: `s${at + 1}`, ...sentence })),
    leftOut: all.flat().length - sentences.length,
  };
}

/** The first ones that fit. */
function takeFitting<S extends { readonly text: string }>(sentences: readonly S[]): readonly S[] {
  let room = MAX_PROMPT_CHARS;
  const end = sentences.findIndex(({ text }, at) => {
    room -= JSON.stringify(text).length + SENTENCE_OVERHEAD;
    return at === MAX_SENTENCES || room < 0;
  });
  return end < 0 ? sentences : sentences.slice(0, end);
}

function shorten(text: string): string {
  return text.length <= MAX_SENTENCE_CHARS ? text : `${text.slice(0, MAX_SENTENCE_CHARS - 4).toWellFormed()} (…)`;
}

/** One object per turn, because each turn has its own sentences. */
function sentenceQuestion(
  { sentences }: SentenceSelection,
  { evaluateIntermediate }: Options,
): Question<SentenceVerdicts> {
  const ids = sentences.map(({ id }) => id);
  return defineQuestion({
    name: 'hallucinations_v1',
    context: 'turn',
    instructions: evaluateIntermediate ? INSTRUCTIONS_BY_TEXT : INSTRUCTIONS,
    data: { sentences: evaluateIntermediate ? groupByText(sentences) : textById(sentences) },
    answer: ({ id }) => {
      const verdict = z.object({
        sentence: z.enum(ids),
        evidence: evidenceIds(id),
        reason: z.string().describe('what the record says of it, in a few words'),
        label: lenientEnum(LABELS),
      });
      return z.object({ verdicts: z.array(verdict).length(ids.length).refine(hasEachOnce, EACH_ONCE) });
    },
  });
}

const EACH_ONCE = { error: 'give exactly one verdict on each of the sentences' };

function hasEachOnce(verdicts: readonly { readonly sentence: string }[]): boolean {
  return new Set(verdicts.map(({ sentence }) => sentence)).size === verdicts.length;
}

function textById(sentences: readonly Sentence[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sentences.map(({ id, text }) => [id, text]));
}

function groupByText(sentences: readonly Sentence[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const groups = Map.groupBy(sentences, ({ of }) => of.name);
  return Object.fromEntries(Array.from(groups, ([name, its]) => [name, textById(its)]));
}

/** A sentence with the judge's verdict. */
interface JudgedSentence extends Sentence {
  readonly label: SentenceLabel;
  readonly reason: string;
  readonly evidence: readonly string[];
  readonly holds: boolean;
}

/** Limits of the evidence and the reason; the metadata have all sentences. */
const MAX_SHOWN = 10;
const MAX_CITED = 5;
const MAX_TEXT_CHARS = 300;

function interpretVerdicts(
  { verdicts }: SentenceVerdicts,
  { sentences, leftOut }: SentenceSelection,
  turn: Turn,
): JudgedOutcome {
  const of = new Map(verdicts.map((verdict) => [verdict.sentence, verdict]));
  const judged = sentences.flatMap((sentence): JudgedSentence[] => {
    const verdict = of.get(sentence.id);
    if (!verdict) return [];
    const { label, reason, evidence } = verdict;
    return [{ ...sentence, label, reason, evidence, holds: label === 'supported' || label === 'not_applicable' }];
  });
  const texts = [...Map.groupBy(judged, (sentence) => sentence.of).values()].map((its) => supportedShare(its));
  const failed = judged.filter(({ holds }) => !holds);
  const deciding = failed.length > 0 ? failed : judged;
  return {
    score: texts.reduce((sum, share) => sum + share, 0) / texts.length,
    reason: describeSentences(judged, failed, leftOut),
    cited: [...new Set(deciding.flatMap(({ evidence }) => evidence))].slice(
      0,
      failed.length > 0 ? MAX_SHOWN : MAX_CITED,
    ),
    evidence: failed
      .slice(0, MAX_SHOWN)
      .map(({ of: { pointer }, label, text }) => evidenceAt(turn, pointer, `${label}: ${quoteText(text)}`)),
    metadata: {
      sentences: judged.map(({ of: { name }, text, label, reason }) => ({
        of: name,
        text: inlineText(text, MAX_TEXT_CHARS),
        label,
        reason,
      })),
      ...(texts.length > 1 ? { texts } : {}),
      ...(leftOut > 0 ? { leftOut } : {}),
    },
  };
}

function supportedShare(sentences: readonly JudgedSentence[]): number {
  return sentences.filter(({ holds }) => holds).length / sentences.length;
}

function describeSentences(
  judged: readonly JudgedSentence[],
  failed: readonly JudgedSentence[],
  leftOut: number,
): string {
  const count = `${judged.length} ${judged.length === 1 ? 'sentence' : 'sentences'}`;
  const rest = leftOut > 0 ? ` ${leftOut} more did not fit into the prompt.` : '';
  const [first] = failed;
  if (!first) return `All of ${count} are supported or need no support.${rest}`;
  return `${failed.length} of ${count} ${failed.length === 1 ? 'is' : 'are'} not supported. ${first.label}: ${quoteText(first.text)} ${first.reason}${rest}`;
}
