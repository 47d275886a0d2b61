import { NOT_ASKED, type Topic } from './answering.ts';
import { pack } from './packer.ts';
import type { Answered, Asking, Question } from './question.ts';
import { settleAll } from './sampling.ts';
import type { JudgeSettings } from './settings.ts';

/** A turn, or a session as a whole, that questions are asked about. */
export interface Subject {
  /** Questions of one tick travel together; one that was asked before is not asked again. */
  ask(question: Question, asking?: Asking): Asked;
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
  let gathered: Gathered[] = [];

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
  const sampling = { answerOf: (fact: Question) => answerOf(fact).answer, settle };

  const flush = () => {
    const batch = Map.groupBy(gathered, companyOf);
    gathered = [];
    for (const company of batch.values()) send(company);
  };
  const send = (company: readonly Gathered[]) => {
    const batch = new Set(company.map(({ question }) => question));
    const isAsked = (question: Question) => answers.has(question) && !batch.has(question);
    const calls = pack([...batch], questionsPerCall, isAsked);
    for (const { facts } of calls) for (const fact of facts) answerOf(fact);
    for (const call of calls) {
      settleAll(call, { ...sampling, samples: company[0]?.samples ?? samples }, topic).catch((cause) => {
        const reason = `Reading the answer failed unexpectedly: ${cause instanceof Error ? cause.message : cause}`;
        for (const question of [...call.facts, ...call.questions]) settle(question, { ...NOT_ASKED, reason });
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

interface Gathered {
  readonly question: Question;
  readonly samples: number;
}

/** What is asked equally often, and shown the same, can travel together. */
function companyOf({ question: { data }, samples }: Gathered): string {
  return JSON.stringify([samples, data ?? null]);
}
