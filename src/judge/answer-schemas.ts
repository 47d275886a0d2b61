import * as z from 'zod';
import type { JsonObject } from '../core/json.ts';
import type { Question } from './question.ts';
import { CITED, toQuestionSchema } from './strict-schema.ts';

/** What an answer to a question is like. */
export interface AnswerSchema {
  /** As `partSchema` gives it. */
  readonly schema: JsonObject;
  /** @param ids that the prompt shows; empty: any can be cited. */
  parse(raw: unknown, ids: readonly string[]): SchemaMatch;
}

type SchemaMatch =
  | { readonly fits: true; readonly value: unknown }
  | { readonly fits: false; readonly issues: readonly z.core.$ZodIssue[] };

export interface AnswerSchemas {
  /** @param calls those of the turn that the question is about. */
  get(question: Question, calls: readonly string[]): AnswerSchema;
}

/**
 * Makes the forms of answers: once for a question that is asked of many turns, unless it goes by their calls. Making one
 * costs more than all else about a call, so that the ids, which every prompt has of its own, are no part of it.
 */
export function createAnswerSchemas(): AnswerSchemas {
  const { id, within } = citableIdSchema();
  const seen = new WeakSet<Question>();
  const kept = new WeakMap<Question, AnswerSchema>();

  return {
    get(question, calls) {
      const known = kept.get(question);
      if (known) return known;
      let isOfTurn = false;
      const answer = question.answer({
        id,
        get calls() {
          isOfTurn = true;
          return calls;
        },
      });
      const form: AnswerSchema = {
        schema: toQuestionSchema(answer),
        parse: (raw, ids) => within(ids, () => matchSchema(answer, raw)),
      };
      // One that was made for its turn does not come again, and its form is nothing to keep.
      if (seen.has(question) && !isOfTurn) kept.set(question, form);
      seen.add(question);
      return form;
    },
  };
}

function matchSchema(answer: z.ZodType, raw: unknown): SchemaMatch {
  // Compiling it first would cost more than the answers of a run.
  const { success, data, error } = answer.safeParse(raw, { jitless: true });
  // An error is put into words when it is looked at: that has to be here, where it is known which ids there are.
  return success ? { fits: true, value: data } : { fits: false, issues: error.issues };
}

/** The type of an id, and what tells it which ids there are while an answer is read: that waits for nothing. */
function citableIdSchema(): { readonly id: z.ZodType<string>; within<T>(ids: readonly string[], read: () => T): T } {
  let ids: readonly string[] = [];
  const id = z
    .string({
      error: (issue) =>
        ids.length === 0 ? undefined : z.config().localeError?.({ ...issue, ...invalidValueIssue(ids) }),
    })
    .check(({ value, issues }) => {
      if (ids.length > 0 && !ids.includes(value)) issues.push({ ...invalidValueIssue(ids), input: value });
    })
    .meta({ [CITED]: true });
  return {
    id,
    within(shown, read) {
      ids = shown;
      try {
        return read();
      } finally {
        ids = [];
      }
    },
  };
}

function invalidValueIssue(ids: readonly string[]) {
  return { code: 'invalid_value' as const, values: [...ids] };
}
