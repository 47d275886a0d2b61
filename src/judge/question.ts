import type * as z from 'zod';
import type { Evidence } from '../core/result.ts';

/** A question to a model, as a metric declares it. Several about one turn may travel in one call. */
export interface Question<Answer = unknown> {
  /** In snake case, and unique among the questions of a turn: the key of its part of a packed answer. */
  readonly name: string;
  /** What is asked: criteria with anchors, what counts as evidence and what does not. */
  readonly instructions: string;
  /**
   * The schema of the answer: an object whose fields stand in the order in which a model should write them, evidence and
   * reason before the score. What is known beforehand is pinned in it. Made once for all turns, where the question is one
   * and the same object and goes by no calls.
   */
  answer(known: AnswerContext): z.ZodType<Answer>;
  /** What it rests on: asked before it, and once, however many questions of the turn rest on the same. */
  readonly facts?: readonly Question[];
  /**
   * What the model is shown. `facts`: the facts alone, where the question is asked on its own (in a packed call the turn
   * is there as well, and the instructions say what to go by).
   */
  readonly context: 'turn' | 'session' | 'facts';
  /**
   * What this question alone is shown beside that, as data, by names in snake case: an answer that was expected, the
   * sentences to be looked at. Questions with other data, or with none, do not travel with it, so that no other answer
   * leans on it.
   */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** How a question is asked. */
export interface AskOptions {
  /** How often, before the answers are put together; by default as often as the judge's settings say. */
  readonly samples?: number | undefined;
}

/** What the prompt names by ids that a model can cite. */
export interface AnswerContext {
  /** One id, of those that the prompt shows: an enumeration of them in the JSON Schema. */
  readonly id: z.ZodType<string>;
  /** Of the turn's tool calls, in order. To be looked at when the schema is made, and not when an answer is checked. */
  readonly calls: readonly string[];
}

/** What became of a question. */
export type JudgeAnswer<Answer> =
  | {
      readonly status: 'answered';
      /** One per sample, at least one. */
      readonly values: readonly [Answer, ...Answer[]];
      /** Of the facts that it rested on, by their names. */
      readonly facts: Readonly<Record<string, unknown>>;
      /** `provider/model` that answered. */
      readonly judge: string;
      /** The places in the trace that ids of the prompt stand for; unknown ids are left out. */
      cite(ids: readonly string[]): readonly Evidence[];
    }
  | { readonly status: 'error' | 'cancelled'; readonly reason: string };

/** Gives a question the type of its answer. */
export function defineQuestion<Answer>(asked: Question<Answer>): Question<Answer> {
  return asked;
}
