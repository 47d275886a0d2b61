import type { Evidence } from '../core/result.ts';
import { redactSecrets } from '../core/secrets.ts';
import { oneLine, truncate } from '../core/text/truncate.ts';
import { UNFIT_ANSWER } from '../core/unfit-answer.ts';
import type { ChatClient, ModelCall, ModelReply } from '../llm/chat-client.ts';
import type { MissingAnswer } from '../llm/model-error.ts';
import type { AnswerSchemas } from './answer-schemas.ts';
import { type ExpectedAnswers, type ParsedAnswer, parseAnswer, parseTruncatedAnswer } from './parse-answer.ts';
import type { SessionPrompt, SessionPrompts } from './prompting/session-prompts.ts';
import type { FactValues, JudgeTarget, Question } from './question.ts';
import type { TurnPairs } from './turn-pairs.ts';

/** Which model is asked about what. */
export interface BatchContext {
  readonly target: JudgeTarget;
  /** For the log: which turn of which session. */
  readonly title: string;
  readonly prompts: SessionPrompts;
  readonly client: Pick<ChatClient, 'complete'>;
  readonly schemas: AnswerSchemas;
  /** `provider/model`. */
  readonly judge: string;
  /** Asks about two turns in one call; null: each turn is asked about alone. */
  readonly pairs: TurnPairs | null;
}

/** A question's part of an answer. */
export interface AnswerPart {
  readonly status: 'given';
  readonly value: unknown;
  /** As the model wrote it. */
  readonly raw: unknown;
  cite(ids: readonly string[]): readonly Evidence[];
}

type BatchOutcomes = ReadonlyMap<Question, AnswerPart | MissingAnswer>;
/** The values of facts, as far as they are known. */
type KnownFacts = ReadonlyMap<Question, unknown>;
type ParsedAnswers = ReadonlyMap<Question, ParsedAnswer>;

interface BatchRequest {
  /** Each after those that it depends on. */
  readonly questions: readonly Question[];
  /** What they depend on and is not among them. */
  readonly knownFacts: KnownFacts;
  readonly sample: number;
  /** What was wrong with the previous answer, if they are asked again. */
  readonly problems: readonly string[];
  /** Each recovery is tried once at most. */
  readonly retried: { readonly again: boolean; readonly halves: boolean };
}

/**
 * Asks some questions in one call. Invalid parts of the answer are asked for once more, with what was wrong. If the answer was
 * truncated, its missing parts are asked for in two calls, since shorter answers may be within the model's limit. Never rejects.
 *
 * @param sample from 0, when the same questions are asked several times.
 */
export function askBatch(
  questions: readonly Question[],
  knownFacts: KnownFacts,
  sample: number,
  context: BatchContext,
): Promise<BatchOutcomes> {
  return requestBatch(
    { questions, knownFacts, sample, problems: [], retried: { again: false, halves: false } },
    context,
  );
}

async function requestBatch(request: BatchRequest, context: BatchContext): Promise<BatchOutcomes> {
  const { questions, knownFacts } = request;
  const reply = await sendBatch(request, context);
  if (reply.status !== 'replied') return failAll(questions, () => reply);
  if (reply.finish === 'refusal') {
    return failAll(questions, () => error(`${context.judge} refused to answer${quoteRefusal(reply.text)}`));
  }
  const isTruncated = reply.finish === 'length';
  const parsed = isTruncated ? parseTruncatedAnswer(reply.call, reply.text) : parseAnswer(reply.call, reply.text);
  const valid = validParts(parsed, reply);
  const isComplete = valid.size === questions.length;
  if (!reply.cached && (isComplete || !isTruncated)) await cacheParts(reply, valid);
  if (isComplete) return valid;

  const recover = isTruncated ? retryTruncated : retryInvalid;
  const all = new Map([...valid, ...(await recover(parsed, addValues(knownFacts, valid), request, context))]);
  await cacheParts(reply, all);
  return all;
}

async function sendBatch(request: BatchRequest, context: BatchContext): Promise<ModelReply<BatchCall> | MissingAnswer> {
  const { questions, sample } = request;
  const { target, pairs, prompts, client } = context;
  const build = () => createBatchCall(request, context);
  if (pairs === null || target === 'session' || !canBePaired(request)) return client.complete(build, sample);
  return pairs.complete({
    turn: target,
    questions,
    sample,
    build: () => ({ ...build(), shown: prompts.citableOf(target), manner: 'beside another turn' }),
  });
}

/** What is shown for the questions of one turn alone cannot be shown beside another turn; nor can what was wrong with its answer. */
function canBePaired({ questions, knownFacts, problems, retried }: BatchRequest): boolean {
  if (problems.length > 0 || retried.halves) return false;
  if (questions.some(({ data }) => data !== undefined)) return false;
  const hasFacts = questions.some(({ facts = [] }) => facts.some((fact) => knownFacts.has(fact)));
  return !hasFacts && questions.some(({ context }) => context !== 'facts');
}

/** A call with what its answer is parsed by. */
interface BatchCall extends ModelCall, ExpectedAnswers {
  cite(ids: readonly string[]): readonly Evidence[];
}

/** @throws RangeError if there is no such turn. */
function createBatchCall({ questions, knownFacts, problems }: BatchRequest, context: BatchContext): BatchCall {
  const prompt = promptFor(context, questions, factValues(questions, knownFacts));
  const { schemas } = context;
  return {
    name: `${context.title}: ${questions.map(({ name }) => name).join(', ')}`,
    prompt: {
      system: prompt.system,
      parts: problems.length === 0 ? prompt.parts : [...prompt.parts, retryPrompt(problems)],
    },
    schema: schemas.ofBatch(questions),
    exactSchema: () => schemas.exactOfBatch(questions, prompt.citable),
    answers: new Map(questions.map((question) => [question, schemas.of(question)])),
    shown: prompt.citable,
    cite: prompt.cite,
  };
}

/** Without the trace if all questions need facts alone. */
function promptFor(
  { prompts, target }: BatchContext,
  questions: readonly Question[],
  facts: FactValues,
): SessionPrompt {
  const needFactsOnly = questions.every(({ context }) => context === 'facts');
  if (target === 'session') return needFactsOnly ? prompts.facts(questions, facts) : prompts.session(questions, facts);
  return needFactsOnly ? prompts.facts(questions, facts, target) : prompts.turn(target, questions, facts);
}

/** Begins the last part of a prompt that asks again. No other part begins so. */
export const RETRY_HEADING = '# Your last answer did not fit';

function retryPrompt(problems: readonly string[]): string {
  return `${RETRY_HEADING}

${problems.map((problem) => `- ${problem}`).join('\n')}

Answer the ${problems.length === 1 ? 'question' : 'questions'} again, so that the answer fits the schema.`;
}

type Recovery = (
  parsed: ParsedAnswers,
  knownFacts: KnownFacts,
  request: BatchRequest,
  context: BatchContext,
) => Promise<BatchOutcomes>;

const retryInvalid: Recovery = async (parsed, knownFacts, request, context) => {
  const questions = invalidQuestions(parsed);
  if (!request.retried.again) {
    const problems = questions.flatMap((question) => problemsFor(question, parsed));
    const retried = { again: true, halves: true };
    return requestBatch({ ...request, questions, knownFacts, problems, retried }, context);
  }
  return failAll(questions, (question) => {
    // A question without a problem of its own depends on one that has one.
    const invalid = [question, ...(question.facts ?? [])].find(
      (candidate) => problemsFor(candidate, parsed).length > 0,
    );
    return error(`${context.judge} ${UNFIT_ANSWER}${briefFor(invalid ?? question, parsed)}`);
  });
};

const retryTruncated: Recovery = async (parsed, knownFacts, request, context) => {
  const questions = invalidQuestions(parsed);
  if (request.retried.halves || request.questions.length === 1) {
    const advice =
      'Choose a model that may write longer answers, or ask fewer questions per call (`questionsPerCall`).';
    return failAll(questions, ({ name }) =>
      error(`The answer of ${context.judge} reached the model's limit before "${name}" was complete. ${advice}`),
    );
  }
  const middle = Math.ceil(questions.length / 2);
  const requestHalf = (half: readonly Question[], facts: KnownFacts) =>
    requestBatch(
      { ...request, questions: half, knownFacts: facts, retried: { ...request.retried, halves: true } },
      context,
    );
  const first = await requestHalf(questions.slice(0, middle), knownFacts);
  const missing = missingAnswers(first);
  const [dependents, independent] = partition(
    questions.slice(middle),
    ({ facts }) => firstFactIn(facts, missing) !== undefined,
  );
  const second = independent.length === 0 ? [] : await requestHalf(independent, addValues(knownFacts, first));
  const failed = failAll(dependents, ({ facts }) => firstFactIn(facts, missing) ?? NO_ANSWER);
  return new Map([...first, ...second, ...failed]);
};

/** For a question that was not asked for a reason that is reported elsewhere. */
export const NO_ANSWER: MissingAnswer = { status: 'error', reason: 'The question was not asked.' };

function validParts(parsed: ParsedAnswers, { call }: ModelReply<BatchCall>): ReadonlyMap<Question, AnswerPart> {
  return new Map(
    [...parsed].flatMap(([question, part]) =>
      part.isValid ? [[question, { status: 'given', value: part.value, raw: part.raw, cite: call.cite }] as const] : [],
    ),
  );
}

function invalidQuestions(parsed: ParsedAnswers): readonly Question[] {
  return [...parsed].flatMap(([question, { isValid }]) => (isValid ? [] : question));
}

function problemsFor(question: Question, parsed: ParsedAnswers): readonly string[] {
  const part = parsed.get(question);
  return part?.isValid === false ? part.problems : [];
}

function briefFor(question: Question, parsed: ParsedAnswers): string {
  const part = parsed.get(question);
  return part?.isValid === false ? part.brief : '';
}

/** Caches all parts under the call that asked for them first, so that the next run needs no retry. */
async function cacheParts(reply: ModelReply<BatchCall>, outcomes: BatchOutcomes): Promise<void> {
  const raw = [...outcomes].flatMap(([{ name }, part]) => (part.status === 'given' ? [[name, part.raw] as const] : []));
  if (raw.length > 0) await reply.cache(JSON.stringify(Object.fromEntries(raw)));
}

function addValues(knownFacts: KnownFacts, outcomes: BatchOutcomes): KnownFacts {
  const values = [...outcomes].flatMap(([question, part]) =>
    part.status === 'given' ? [[question, part.value] as const] : [],
  );
  return new Map([...knownFacts, ...values]);
}

/** The known facts that questions depend on, by name. */
export function factValues(questions: readonly Question[], knownFacts: KnownFacts): FactValues {
  const facts = questions.flatMap(({ facts = [] }) => facts.filter((fact) => knownFacts.has(fact)));
  return Object.fromEntries(facts.map((fact) => [fact.name, knownFacts.get(fact)]));
}

export function missingAnswers(outcomes: BatchOutcomes): ReadonlyMap<Question, MissingAnswer> {
  return new Map([...outcomes].flatMap(([question, part]) => (part.status === 'given' ? [] : [[question, part]])));
}

/** The value in a map of the first fact that is in it. */
export function firstFactIn<T>(facts: readonly Question[] = [], map: ReadonlyMap<Question, T>): T | undefined {
  const first = facts.find((fact) => map.has(fact));
  return first && map.get(first);
}

function failAll(questions: readonly Question[], reason: (question: Question) => MissingAnswer): BatchOutcomes {
  return new Map(questions.map((question) => [question, reason(question)]));
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
  const quote = truncate(oneLine(redactSecrets(text.slice(0, 2000))), 200);
  return quote === '' ? '.' : `: "${quote}"${/[.!?…]$/.test(quote) ? '' : '.'}`;
}
