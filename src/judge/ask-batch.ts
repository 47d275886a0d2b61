import type { Evidence } from '../core/result.ts';
import type { ChatClient, ModelReply } from '../llm/chat-client.ts';
import type { MissingAnswer } from '../llm/model-error.ts';
import type { AnswerSchemas } from './answer-schemas.ts';
import { type BatchCall, createBatchCall } from './batch-call.ts';
import { type JudgeTarget, promptFor } from './judge-target.ts';
import { type ParsedAnswer, parseAnswer, parseTruncatedAnswer } from './parse-answer.ts';
import type { FactValues } from './prompting/questions-part.ts';
import type { SessionPrompts } from './prompting/session-prompts.ts';
import type { Question } from './question.ts';

/** Whom is asked about what. */
export interface BatchContext {
  readonly target: JudgeTarget;
  /** For the log: which turn of which session. */
  readonly title: string;
  readonly prompts: SessionPrompts;
  readonly client: ChatClient;
  readonly schemas: AnswerSchemas;
  /** `provider/model`. */
  readonly judge: string;
}

/** A question's part of an answer. */
export interface AnswerPart {
  readonly status: 'given';
  readonly value: unknown;
  /** As the model wrote it. */
  readonly raw: unknown;
  cite(ids: readonly string[]): readonly Evidence[];
}

export type BatchOutcomes = ReadonlyMap<Question, AnswerPart | MissingAnswer>;
/** Values of facts that are known. */
export type KnownFacts = ReadonlyMap<Question, unknown>;

/** Some questions for one call, each behind those it rests on. */
interface BatchRequest {
  readonly questions: readonly Question[];
  /** What they rest on and is not among them. */
  readonly knownFacts: KnownFacts;
  readonly sample: number;
  /** What was wrong with the last answer, when it is asked for again. */
  readonly problems: readonly string[];
  /** What was tried already: nothing is tried twice, so that there is an end. */
  readonly retried: { readonly again: boolean; readonly halves: boolean };
}

/**
 * Asks some questions in one call. What fits of the answer is kept; what does not is asked for once more, with what was
 * wrong, and what was cut off in two calls, since shorter answers may be within the model's limit. Never rejects.
 *
 * @param sample from 0, when the same is asked several times.
 */
export function askBatch(
  questions: readonly Question[],
  given: KnownFacts,
  sample: number,
  topic: BatchContext,
): Promise<BatchOutcomes> {
  return requestBatch(
    { questions, knownFacts: given, sample, problems: [], retried: { again: false, halves: false } },
    topic,
  );
}

async function requestBatch(asking: BatchRequest, topic: BatchContext): Promise<BatchOutcomes> {
  const { questions, knownFacts: given, sample, problems: complaints } = asking;
  const reply = await topic.client.call(() => {
    const prompt = promptFor(topic.prompts, topic.target, questions, factValues(questions, given));
    return createBatchCall(topic.title, questions, prompt, topic.schemas, complaints);
  }, sample);
  if (reply.status !== 'replied') return failAll(questions, () => reply);
  if (reply.finish === 'refusal') {
    return failAll(questions, () => error(`${topic.judge} refused to answer${quoteRefusal(reply.text)}`));
  }
  const isCut = reply.finish === 'length';
  const read = isCut ? parseTruncatedAnswer(reply.call, reply.text) : parseAnswer(reply.call, reply.text);
  const fitting = validParts(read, reply);
  const isComplete = fitting.size === questions.length;
  if (!reply.cached && (isComplete || !isCut)) await cacheParts(reply, fitting);
  if (isComplete) return fitting;

  const mend = isCut ? retryTruncated : retryInvalid;
  const all = new Map([...fitting, ...(await mend(read, addValues(given, fitting), asking, topic))]);
  await cacheParts(reply, all);
  return all;
}

type Recovery = (
  read: ReadonlyMap<Question, ParsedAnswer>,
  given: KnownFacts,
  asking: BatchRequest,
  topic: BatchContext,
) => Promise<BatchOutcomes>;

const retryInvalid: Recovery = async (read, given, asking, topic) => {
  const rest = invalidQuestions(read);
  if (!asking.retried.again) {
    const complaints = rest.flatMap((question) => problemsFor(question, read));
    return requestBatch(
      { ...asking, questions: rest, knownFacts: given, problems: complaints, retried: { again: true, halves: true } },
      topic,
    );
  }
  return failAll(rest, (question) => {
    // What has no fault of its own rests on something that has.
    const faulty = [question, ...(question.facts ?? [])].find((one) => problemsFor(one, read).length > 0) ?? question;
    return error(`${topic.judge} gave an answer that does not fit: ${briefFor(faulty, read)}`);
  });
};

const retryTruncated: Recovery = async (read, given, asking, topic) => {
  const rest = invalidQuestions(read);
  if (asking.retried.halves || asking.questions.length === 1) {
    const advice = 'A model that may write more helps, or fewer questions in a call (`questionsPerCall`).';
    return failAll(rest, ({ name }) =>
      error(`The answer of ${topic.judge} reached the model's limit before "${name}" was complete. ${advice}`),
    );
  }
  const middle = Math.ceil(rest.length / 2);
  const half = (questions: readonly Question[], known: KnownFacts) =>
    requestBatch({ ...asking, questions, knownFacts: known, retried: { ...asking.retried, halves: true } }, topic);
  const first = await half(rest.slice(0, middle), given);
  const lost = missingAnswers(first);
  const [resting, free] = partition(rest.slice(middle), ({ facts }) => firstFactIn(facts, lost) !== undefined);
  const second = free.length === 0 ? [] : await half(free, addValues(given, first));
  return new Map([...first, ...second, ...failAll(resting, ({ facts }) => firstFactIn(facts, lost) ?? NO_ANSWER)]);
};

/** What nobody could answer for a reason that is told elsewhere. */
export const NO_ANSWER: MissingAnswer = { status: 'error', reason: 'The question was not asked.' };

function validParts(
  read: ReadonlyMap<Question, ParsedAnswer>,
  { call }: ModelReply<BatchCall>,
): ReadonlyMap<Question, AnswerPart> {
  return new Map(
    [...read].flatMap(([question, { fits, ...part }]) =>
      fits && 'value' in part ? [[question, { status: 'given', ...part, cite: call.cite }]] : [],
    ),
  );
}

function invalidQuestions(read: ReadonlyMap<Question, ParsedAnswer>): readonly Question[] {
  return [...read].flatMap(([question, { fits }]) => (fits ? [] : question));
}

function problemsFor(question: Question, read: ReadonlyMap<Question, ParsedAnswer>): readonly string[] {
  const part = read.get(question);
  return part?.fits === false ? part.problems : [];
}

function briefFor(question: Question, read: ReadonlyMap<Question, ParsedAnswer>): string {
  const part = read.get(question);
  return part?.fits === false ? part.brief : '';
}

/** Keeps what was answered under the call that asked for it, so that the next run need not mend it again. */
async function cacheParts(reply: ModelReply<BatchCall>, outcomes: BatchOutcomes): Promise<void> {
  const raw = [...outcomes].flatMap(([{ name }, part]) => (part.status === 'given' ? [[name, part.raw] as const] : []));
  if (raw.length > 0) await reply.cache(JSON.stringify(Object.fromEntries(raw)));
}

function addValues(given: KnownFacts, outcomes: BatchOutcomes): KnownFacts {
  const values = [...outcomes].flatMap(([question, part]) =>
    part.status === 'given' ? [[question, part.value] as const] : [],
  );
  return new Map([...given, ...values]);
}

/** What questions rest on, as far as it is known, by the names of the facts. */
export function factValues(questions: readonly Question[], given: KnownFacts): FactValues {
  const facts = questions.flatMap(({ facts = [] }) => facts.filter((fact) => given.has(fact)));
  return Object.fromEntries(facts.map((fact) => [fact.name, given.get(fact)]));
}

export function missingAnswers(outcomes: BatchOutcomes): ReadonlyMap<Question, MissingAnswer> {
  return new Map([...outcomes].flatMap(([question, part]) => (part.status === 'given' ? [] : [[question, part]])));
}

/** Of the facts that a question rests on, the first that is in a map. */
export function firstFactIn<T>(facts: readonly Question[] = [], map: ReadonlyMap<Question, T>): T | undefined {
  const found = facts.find((fact) => map.has(fact));
  return found && map.get(found);
}

function failAll(questions: readonly Question[], failure: (question: Question) => MissingAnswer): BatchOutcomes {
  return new Map(questions.map((question) => [question, failure(question)]));
}

function error(reason: string): MissingAnswer {
  return { status: 'error', reason };
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(items, (item) => (test(item) ? 'yes' : 'no'));
  return [yes, no];
}

/** A model's own words, as the end of a sentence, with its full stop. */
function quoteRefusal(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '.';
  const shown = line.length <= 200 ? line : `${line.slice(0, 199)}…`;
  return `: "${shown}"${/[.!?…]$/.test(shown) ? '' : '.'}`;
}
