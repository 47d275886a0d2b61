import * as z from 'zod';
import type { JsonObject } from '../core/json.ts';
import type { Question } from './question.ts';
import { CITED, toQuestionSchema } from './strict-schema.ts';

/** The schema of the answer to a question. */
export interface AnswerSchema {
  /** See `toQuestionSchema`. */
  readonly schema: JsonObject;
  /** @param ids that the prompt shows; empty: any can be cited. */
  parse(raw: unknown, ids: readonly string[]): SchemaMatch;
}

type SchemaMatch =
  | { readonly isValid: true; readonly value: unknown }
  | { readonly isValid: false; readonly issues: readonly z.core.$ZodIssue[] };

export interface AnswerSchemas {
  /** @param calls of the turn that the question is about. */
  get(question: Question, calls: readonly string[]): AnswerSchema;
}

/**
 * Creates the schemas of answers: once for a question that is asked about many turns, unless it depends on their calls. Creating
 * one costs more than everything else about a call, so the ids, which differ in every prompt, are not part of it.
 */
export function createAnswerSchemas(): AnswerSchemas {
  const { id, withIds } = citableIdSchema();
  const seen = new WeakSet<Question>();
  const schemas = new WeakMap<Question, AnswerSchema>();

  return {
    get(question, calls) {
      const existing = schemas.get(question);
      if (existing) return existing;
      let dependsOnCalls = false;
      const answer = question.answer({
        id,
        get calls() {
          dependsOnCalls = true;
          return calls;
        },
      });
      const schema: AnswerSchema = {
        schema: toQuestionSchema(answer),
        parse: (raw, ids) => withIds(ids, () => matchSchema(answer, raw)),
      };
      // A question that was created for its turn does not come again: its schema is not worth keeping.
      if (seen.has(question) && !dependsOnCalls) schemas.set(question, schema);
      seen.add(question);
      return schema;
    },
  };
}

function matchSchema(answer: z.ZodType, raw: unknown): SchemaMatch {
  // Compiling it first would cost more than parsing all answers of a run.
  const { success, data, error } = answer.safeParse(raw, { jitless: true });
  // zod formats an error when its issues are read: that has to happen here, while the ids are known.
  return success ? { isValid: true, value: data } : { isValid: false, issues: error.issues };
}

/** The type of an id, and a function that sets the valid ids while a synchronous function parses. */
function citableIdSchema(): {
  readonly id: z.ZodType<string>;
  withIds<T>(ids: readonly string[], parse: () => T): T;
} {
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
    withIds(validIds, parse) {
      ids = validIds;
      try {
        return parse();
      } finally {
        ids = [];
      }
    },
  };
}

function invalidValueIssue(ids: readonly string[]) {
  return { code: 'invalid_value' as const, values: [...ids] };
}
