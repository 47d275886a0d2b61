import { factsOf, failuresIn, firstOf, NOT_ASKED, outcomesOf, type Part, type Topic } from './answering.ts';
import type { Failure } from './failure.ts';
import type { Packed } from './packer.ts';
import type { Answered, Question } from './question.ts';

export interface Sampling {
  /** How often each question is asked. */
  readonly samples: number;
  /** What became of a fact that travels in another call. */
  answerOf(fact: Question): Promise<Answered<unknown>>;
  settle(question: Question, answered: Answered<unknown>): void;
}

/**
 * Settles all that travels in one call, asking it as often as samples are wanted. Facts are asked until they are known,
 * and no more often: all samples rest on the same ones.
 */
export async function settleAll({ facts, questions }: Packed, sampling: Sampling, topic: Topic): Promise<void> {
  const { samples, answerOf, settle } = sampling;
  const all = [...facts, ...questions];
  const given = new Map<Question, unknown>();
  const lost = new Map<Question, Failure>();
  const parts = new Map<Question, Part[]>();
  const failures = new Map<Question, Failure>();

  const isOpen = (question: Question) => !lost.has(question) && !given.has(question);
  /** What rests on a lost fact is lost as well. */
  const loseResting = () => {
    for (const question of all) {
      const failure = firstOf(question.facts, lost);
      if (failure) lost.set(question, failure);
    }
  };
  const ask = async (sample: number) => {
    const outcomes = await outcomesOf(all.filter(isOpen), given, sample, topic);
    for (const [question, failure] of failuresIn(outcomes)) failures.set(question, failure);
    for (const [question, part] of outcomes) {
      if (part.status === 'given') parts.set(question, [...(parts.get(question) ?? []), part]);
    }
  };

  for (const fact of elsewhere(all)) {
    const answer = await answerOf(fact);
    if (answer.status === 'answered') given.set(fact, answer.values[0]);
    else lost.set(fact, answer);
  }
  loseResting();

  let asked = 0;
  for (; asked < samples && facts.some(isOpen); asked += 1) {
    await ask(asked);
    for (const fact of facts.filter(isOpen)) {
      const [part] = parts.get(fact) ?? [];
      if (!part) continue;
      settle(fact, answered([part], factsOf([fact], given), topic));
      given.set(fact, part.value);
    }
  }
  for (const fact of facts.filter(isOpen)) lost.set(fact, failures.get(fact) ?? NOT_ASKED);
  loseResting();
  if (questions.some(isOpen)) {
    await Promise.all(Array.from({ length: samples - asked }, (_, index) => ask(asked + index)));
  }
  for (const [question, failure] of lost) if (all.includes(question)) settle(question, failure);
  for (const question of questions.filter(isOpen)) {
    const [first, ...more] = parts.get(question) ?? [];
    const failure = failures.get(question) ?? NOT_ASKED;
    settle(question, first ? answered([first, ...more], factsOf([question], given), topic) : failure);
  }
}

/** What some questions rest on and is not among them. */
function elsewhere(questions: readonly Question[]): ReadonlySet<Question> {
  return new Set(questions.flatMap(({ facts = [] }) => facts.filter((fact) => !questions.includes(fact))));
}

function answered(
  [first, ...more]: readonly [Part, ...Part[]],
  facts: Readonly<Record<string, unknown>>,
  { judge }: Topic,
): Answered<unknown> {
  return {
    status: 'answered',
    values: [first.value, ...more.map(({ value }) => value)],
    facts,
    judge,
    cite: (ids) => first.cite(ids),
  };
}
