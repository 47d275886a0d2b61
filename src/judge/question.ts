import type * as z from 'zod';
import type { Evidence } from '../core/result.ts';

/** What a question is about: a turn by its zero-based index, or the session as a whole. */
export type JudgeTarget = number | 'session';

/** A question to a model, as a metric declares it. Several about one turn may share a call. */
export interface Question<Answer = unknown> {
  /** In snake case, and unique among the questions about a turn: the key of its part of an answer. */
  readonly name: string;
  /** What is asked: criteria with anchors, what counts as evidence and what does not. */
  readonly instructions: string;
  /**
   * The schema of the answer: an object whose fields are in the order in which a model should write them, evidence and reason
   * before the score. What is known in advance is pinned in it. Created once for all turns if the question is always the same
   * object.
   */
  answer(context: AnswerContext): z.ZodType<Answer>;
  /** The questions that it depends on. Each is asked before it, and once, however many questions about the turn need it. */
  readonly facts?: readonly Question[];
  /**
   * What the model is shown. `facts`: the facts alone, if the question is asked separately. In a shared call the turn is there
   * as well, and the instructions say what to go by.
   */
  readonly context: 'turn' | 'session' | 'facts';
  /**
   * Data for this question alone, by names in snake case: an expected answer, the sentences to check. Questions with other data,
   * or with none, do not share a call with it, so that it influences no other answer.
   */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Shares no call with other questions: somebody else wrote it. */
  readonly isAlone?: true;
}

/** What is asked about two turns in one call, in their order. */
export type QuestionPair = readonly [first: readonly Question[], second: readonly Question[]];

/** The questions about two turns, each once. */
export function allQuestions([first, second]: QuestionPair): readonly Question[] {
  return [...new Set([...first, ...second])];
}

/** How a question is asked. */
export interface AskOptions {
  /** How often, before the answers are combined; by default as in the judge's settings. */
  readonly samples?: number | undefined;
}

/** Types of what a prompt names by ids. They fit every prompt: an answer is checked against the ids that its own prompt shows. */
export interface AnswerContext {
  /** One of the ids that the prompt shows. */
  readonly id: z.ZodType<string>;
  /** One of the ids of the turn's tool calls. */
  readonly call: z.ZodType<string>;
  /** A list with one entry for each of these calls. */
  perCall<Entry extends { readonly call: string }>(entry: z.ZodType<Entry>): z.ZodType<Entry[]>;
}

/** Answers to other questions, by their names. */
export type FactValues = Readonly<Record<string, unknown>>;

/** The result of a question. */
export type JudgeAnswer<Answer> =
  | {
      readonly status: 'answered';
      /** One per sample, at least one. */
      readonly values: readonly [Answer, ...Answer[]];
      /** Of the facts that it depends on. */
      readonly facts: FactValues;
      /** The `provider/model` that answered; of the editor's models with the version. */
      readonly judge: string;
      /** The locations in the trace that ids of the prompt stand for; unknown ids are left out. */
      cite(ids: readonly string[]): readonly Evidence[];
    }
  | { readonly status: 'error' | 'cancelled'; readonly reason: string };

/** Gives a question the type of its answer. */
export function defineQuestion<Answer>(question: Question<Answer>): Question<Answer> {
  return question;
}
