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
import type { QuestionBatch } from './packer.ts';
import type { JudgeAnswer, Question } from './question.ts';

export interface BatchResolution {
  /** How often each question is asked. */
  readonly samples: number;
  /** What became of a fact that travels in another call. */
  answerOf(fact: Question): Promise<JudgeAnswer<unknown>>;
  resolve(question: Question, answered: JudgeAnswer<unknown>): void;
}

/**
 * Settles all that travels in one call, asking it as often as samples are wanted. Facts are asked until they are known,
 * and no more often: all samples rest on the same ones.
 */
export async function resolveBatch(
  { facts, questions }: QuestionBatch,
  sampling: BatchResolution,
  topic: BatchContext,
): Promise<void> {
  const { samples, answerOf, resolve: settle } = sampling;
  const all = [...facts, ...questions];
  const given = new Map<Question, unknown>();
  const lost = new Map<Question, MissingAnswer>();
  const parts = new Map<Question, AnswerPart[]>();
  const failures = new Map<Question, MissingAnswer>();

  const isOpen = (question: Question) => !lost.has(question) && !given.has(question);
  /** What rests on a lost fact is lost as well. */
  const loseResting = () => {
    for (const question of all) {
      const failure = firstFactIn(question.facts, lost);
      if (failure) lost.set(question, failure);
    }
  };
  const ask = async (sample: number) => {
    const outcomes = await askBatch(all.filter(isOpen), given, sample, topic);
    for (const [question, failure] of missingAnswers(outcomes)) failures.set(question, failure);
    for (const [question, part] of outcomes) {
      if (part.status === 'given') parts.set(question, [...(parts.get(question) ?? []), part]);
    }
  };

  for (const fact of externalFacts(all)) {
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
      settle(fact, toJudgeAnswer([part], factValues([fact], given), topic));
      given.set(fact, part.value);
    }
  }
  for (const fact of facts.filter(isOpen)) lost.set(fact, failures.get(fact) ?? NO_ANSWER);
  loseResting();
  if (questions.some(isOpen)) {
    await Promise.all(Array.from({ length: samples - asked }, (_, index) => ask(asked + index)));
  }
  for (const [question, failure] of lost) if (all.includes(question)) settle(question, failure);
  for (const question of questions.filter(isOpen)) {
    const [first, ...more] = parts.get(question) ?? [];
    const failure = failures.get(question) ?? NO_ANSWER;
    settle(question, first ? toJudgeAnswer([first, ...more], factValues([question], given), topic) : failure);
  }
}

/** What some questions rest on and is not among them. */
function externalFacts(questions: readonly Question[]): ReadonlySet<Question> {
  return new Set(questions.flatMap(({ facts = [] }) => facts.filter((fact) => !questions.includes(fact))));
}

function toJudgeAnswer(
  [first, ...more]: readonly [AnswerPart, ...AnswerPart[]],
  facts: Readonly<Record<string, unknown>>,
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
