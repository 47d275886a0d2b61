import type { JudgeSettings } from '../llm/settings.ts';
import { type BatchContext, NO_ANSWER } from './ask-batch.ts';
import { packQuestions } from './packer.ts';
import type { AskOptions, JudgeAnswer, Question } from './question.ts';
import { resolveBatch } from './resolve-batch.ts';

/** A turn, or a session as a whole, that questions are asked about. */
export interface QuestionBatcher {
  /** Questions of one tick travel together; one that was asked before is not asked again. */
  ask(question: Question, asking?: AskOptions): PendingQuestion;
  /** Whether nothing is under way. */
  readonly isIdle: boolean;
}

export interface PendingQuestion<Answer = unknown> {
  readonly question: Question<Answer>;
  /** Never rejects. */
  readonly answer: Promise<JudgeAnswer<Answer>>;
}

export function createQuestionBatcher(
  topic: BatchContext,
  { questionsPerCall, samples }: Pick<JudgeSettings, 'questionsPerCall' | 'samples'>,
): QuestionBatcher {
  const answers = new Map<Question, PendingQuestion & { readonly resolve: (answered: JudgeAnswer<unknown>) => void }>();
  const unsettled = new Set<Question>();
  let gathered: QueuedQuestion[] = [];

  const answerOf = (question: Question) => {
    const known = answers.get(question);
    if (known) return known;
    const { promise, resolve } = Promise.withResolvers<JudgeAnswer<unknown>>();
    const asked = { question, answer: promise, resolve };
    answers.set(question, asked);
    unsettled.add(question);
    return asked;
  };
  const settle = (question: Question, answered: JudgeAnswer<unknown>) => {
    unsettled.delete(question);
    answerOf(question).resolve(answered);
  };
  const sampling = { answerOf: (fact: Question) => answerOf(fact).answer, resolve: settle };

  const flush = () => {
    const batch = Map.groupBy(gathered, batchKey);
    gathered = [];
    for (const company of batch.values()) send(company);
  };
  const send = (company: readonly QueuedQuestion[]) => {
    const batch = new Set(company.map(({ question }) => question));
    const isAsked = (question: Question) => answers.has(question) && !batch.has(question);
    const calls = packQuestions([...batch], questionsPerCall, isAsked);
    for (const { facts } of calls) for (const fact of facts) answerOf(fact);
    for (const call of calls) {
      resolveBatch(call, { ...sampling, samples: company[0]?.samples ?? samples }, topic).catch((cause) => {
        const reason = `Reading the answer failed unexpectedly: ${cause instanceof Error ? cause.message : cause}`;
        for (const question of [...call.facts, ...call.questions]) settle(question, { ...NO_ANSWER, reason });
      });
    }
  };
  return {
    ask(question, { samples: times = samples } = {}) {
      if (!answers.has(question)) {
        // Behind all promises of this tick, so that metrics that wait for one another's views are in.
        if (gathered.length === 0) setImmediate(flush);
        gathered.push({ question, samples: times });
      }
      return answerOf(question);
    },
    get isIdle() {
      return unsettled.size === 0;
    },
  };
}

interface QueuedQuestion {
  readonly question: Question;
  readonly samples: number;
}

/** What is asked equally often, and shown the same, can travel together. */
function batchKey({ question: { data }, samples }: QueuedQuestion): string {
  return JSON.stringify([samples, data ?? null]);
}
