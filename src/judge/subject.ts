import { NOT_ASKED, type Topic } from './answering.ts';
import { pack } from './packer.ts';
import type { Answered, Question } from './question.ts';
import { settleAll } from './sampling.ts';
import type { JudgeSettings } from './settings.ts';

/** A turn, or a session as a whole, that questions are asked about. */
export interface Subject {
  /** Questions of one tick travel together; one that was asked before is not asked again. */
  ask(question: Question): Asked;
  /** Whether nothing is under way. */
  readonly isIdle: boolean;
}

export interface Asked<Answer = unknown> {
  readonly question: Question<Answer>;
  /** Never rejects. */
  readonly answer: Promise<Answered<Answer>>;
}

export function createSubject(
  topic: Topic,
  { questionsPerCall, samples }: Pick<JudgeSettings, 'questionsPerCall' | 'samples'>,
): Subject {
  const answers = new Map<Question, Asked & { readonly resolve: (answered: Answered<unknown>) => void }>();
  const unsettled = new Set<Question>();
  let gathered: Question[] = [];

  const answerOf = (question: Question) => {
    const known = answers.get(question);
    if (known) return known;
    const { promise, resolve } = Promise.withResolvers<Answered<unknown>>();
    const asked = { question, answer: promise, resolve };
    answers.set(question, asked);
    unsettled.add(question);
    return asked;
  };
  const settle = (question: Question, answered: Answered<unknown>) => {
    unsettled.delete(question);
    answerOf(question).resolve(answered);
  };
  const sampling = { samples, answerOf: (fact: Question) => answerOf(fact).answer, settle };

  const flush = () => {
    const batch = new Set(gathered);
    gathered = [];
    const isAsked = (question: Question) => answers.has(question) && !batch.has(question);
    const calls = pack([...batch], questionsPerCall, isAsked);
    for (const { facts } of calls) for (const fact of facts) answerOf(fact);
    for (const call of calls) {
      settleAll(call, sampling, topic).catch((cause) => {
        const reason = `Reading the answer failed unexpectedly: ${cause instanceof Error ? cause.message : cause}`;
        for (const question of [...call.facts, ...call.questions]) settle(question, { ...NOT_ASKED, reason });
      });
    }
  };
  return {
    ask(question) {
      if (!answers.has(question)) {
        // Behind all promises of this tick, so that metrics that wait for one another's views are in.
        if (gathered.length === 0) setImmediate(flush);
        gathered.push(question);
      }
      return answerOf(question);
    },
    get isIdle() {
      return unsettled.size === 0;
    },
  };
}
