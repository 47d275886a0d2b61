import { errorMessage } from '../core/error-message.ts';
import type { MissingAnswer } from '../llm/model-error.ts';
import {
  type AnswerPart,
  askBatch,
  type BatchContext,
  factValues,
  firstFactIn,
  missingAnswers,
  NO_ANSWER,
} from './ask-batch.ts';
import { packQuestions, type QuestionBatch } from './packer.ts';
import type { AskOptions, FactValues, JudgeAnswer, Question } from './question.ts';

/** Collects the questions about one target, and asks them in as few calls as possible. */
export interface QuestionBatcher {
  /** Questions of one tick share calls; a question that was asked before is not asked again. */
  ask(question: Question, options?: AskOptions): PendingQuestion;
  /** Whether no answer is pending. */
  readonly isIdle: boolean;
}

export interface PendingQuestion<Answer = unknown> {
  readonly question: Question<Answer>;
  /** Never rejects. */
  readonly answer: Promise<JudgeAnswer<Answer>>;
}

interface BatcherSettings {
  readonly questionsPerCall: number;
  readonly samples: number;
}

export function createQuestionBatcher(
  context: BatchContext,
  { questionsPerCall, samples }: BatcherSettings,
): QuestionBatcher {
  const outstanding = new Map<
    Question,
    PendingQuestion & { readonly resolve: (answer: JudgeAnswer<unknown>) => void }
  >();
  const pending = new Set<Question>();
  let queue: QueuedQuestion[] = [];

  const entryFor = (question: Question) => {
    const existing = outstanding.get(question);
    if (existing) return existing;
    const { promise, resolve } = Promise.withResolvers<JudgeAnswer<unknown>>();
    const entry = { question, answer: promise, resolve };
    outstanding.set(question, entry);
    pending.add(question);
    return entry;
  };
  const answers: BatchAnswers = {
    get: (fact) => entryFor(fact).answer,
    resolve(question, answer) {
      pending.delete(question);
      entryFor(question).resolve(answer);
    },
  };

  const flush = () => {
    const groups = Map.groupBy(queue, batchKey);
    queue = [];
    for (const group of groups.values()) send(group);
  };
  const send = (group: readonly QueuedQuestion[]) => {
    const questions = new Set(group.map(({ question }) => question));
    const isAsked = (question: Question) => outstanding.has(question) && !questions.has(question);
    const batches = packQuestions([...questions], questionsPerCall, isAsked);
    for (const { facts } of batches) for (const fact of facts) entryFor(fact);
    for (const batch of batches) {
      resolveBatch(batch, group[0]?.samples ?? samples, answers, context).catch((cause) => {
        const reason = `Reading the answer failed unexpectedly: ${errorMessage(cause)}`;
        for (const question of [...batch.facts, ...batch.questions])
          answers.resolve(question, { ...NO_ANSWER, reason });
      });
    }
  };
  return {
    ask(question, { samples: times = samples } = {}) {
      if (!outstanding.has(question)) {
        // After all promises of this tick, so that metrics that wait for each other's results are included.
        if (queue.length === 0) setImmediate(flush);
        queue.push({ question, samples: times });
      }
      return entryFor(question);
    },
    get isIdle() {
      return pending.size === 0;
    },
  };
}

interface QueuedQuestion {
  readonly question: Question;
  readonly samples: number;
}

/** Questions that are asked equally often, with the same data, can share a call. */
function batchKey({ question: { data, name, isAlone }, samples }: QueuedQuestion): string {
  return JSON.stringify([samples, data ?? null, isAlone ? name : null]);
}

interface BatchAnswers {
  /** Of a fact, which may be in another call. */
  get(fact: Question): Promise<JudgeAnswer<unknown>>;
  resolve(question: Question, answer: JudgeAnswer<unknown>): void;
}

/**
 * Asks the questions of one call as often as `samples` says, and resolves each. Facts are asked until they are known, and no
 * more often: all samples use the same ones.
 */
async function resolveBatch(
  { facts, questions }: QuestionBatch,
  samples: number,
  answers: BatchAnswers,
  context: BatchContext,
): Promise<void> {
  const all = [...facts, ...questions];
  const known = new Map<Question, unknown>();
  const missing = new Map<Question, MissingAnswer>();
  const parts = new Map<Question, AnswerPart[]>();
  const lastErrors = new Map<Question, MissingAnswer>();

  const isOpen = (question: Question) => !missing.has(question) && !known.has(question);
  /** Without a fact, what depends on it has no answer either. */
  const failDependents = () => {
    for (const question of all) {
      const reason = firstFactIn(question.facts, missing);
      if (reason) missing.set(question, reason);
    }
  };
  const ask = async (sample: number) => {
    const outcomes = await askBatch(all.filter(isOpen), known, sample, context);
    for (const [question, reason] of missingAnswers(outcomes)) lastErrors.set(question, reason);
    for (const [question, part] of outcomes) {
      if (part.status === 'given') parts.set(question, [...(parts.get(question) ?? []), part]);
    }
  };

  for (const fact of externalFacts(all)) {
    const answer = await answers.get(fact);
    if (answer.status === 'answered') known.set(fact, answer.values[0]);
    else missing.set(fact, answer);
  }
  failDependents();

  let sample = 0;
  for (; sample < samples && facts.some(isOpen); sample += 1) {
    await ask(sample);
    for (const fact of facts.filter(isOpen)) {
      const [part] = parts.get(fact) ?? [];
      if (!part) continue;
      answers.resolve(fact, toJudgeAnswer([part], factValues([fact], known), context));
      known.set(fact, part.value);
    }
  }
  for (const fact of facts.filter(isOpen)) missing.set(fact, lastErrors.get(fact) ?? NO_ANSWER);
  failDependents();
  if (questions.some(isOpen)) {
    await Promise.all(Array.from({ length: samples - sample }, (_, index) => ask(sample + index)));
  }
  for (const [question, reason] of missing) if (all.includes(question)) answers.resolve(question, reason);
  for (const question of questions.filter(isOpen)) {
    const [first, ...more] = parts.get(question) ?? [];
    const reason = lastErrors.get(question) ?? NO_ANSWER;
    answers.resolve(question, first ? toJudgeAnswer([first, ...more], factValues([question], known), context) : reason);
  }
}

/** The facts that questions depend on and that are not among them. */
function externalFacts(questions: readonly Question[]): ReadonlySet<Question> {
  return new Set(questions.flatMap(({ facts = [] }) => facts.filter((fact) => !questions.includes(fact))));
}

function toJudgeAnswer(
  [first, ...more]: readonly [AnswerPart, ...AnswerPart[]],
  facts: FactValues,
  { judge }: BatchContext,
): JudgeAnswer<unknown> {
  return {
    status: 'answered',
    values: [first.value, ...more.map(({ value }) => value)],
    facts,
    judge,
    cite: (ids) => first.cite(ids),
  };
}
