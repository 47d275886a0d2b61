import * as z from 'zod';
import { memoizeWeak } from '../core/cache/memoize.ts';
import type { JsonObject } from '../core/json.ts';
import type { CitableIds } from './prompting/session-prompts.ts';
import { type AnswerContext, allQuestions, type Question, type QuestionPair } from './question.ts';
import { buildBatchSchema, buildPairSchema, CITED, joinSchemas, PER_CALL, toQuestionSchema } from './strict-schema.ts';

/** The schema of the answer to a question. It is the same for all turns. */
export interface AnswerSchema {
  /** See `toQuestionSchema`. */
  readonly schema: JsonObject;
  /** @param shown what the prompt shows; no ids: any can be cited. */
  parse(raw: unknown, shown: CitableIds): SchemaMatch;
}

type SchemaMatch =
  | { readonly isValid: true; readonly value: unknown }
  | { readonly isValid: false; readonly issues: readonly z.core.$ZodIssue[] };

/** Creates each schema once: that costs more than everything else about a call. */
export interface AnswerSchemas {
  of(question: Question): AnswerSchema;
  /** Of the answer to a call: one object for calls with the same questions. See `buildBatchSchema`. */
  ofBatch(questions: readonly Question[]): JsonObject;
  /** The same with what its prompt shows pinned in it. */
  exactOfBatch(questions: readonly Question[], shown: CitableIds): JsonObject;
  /** Of the answer to a call about two turns. See `buildPairSchema`. */
  ofPair(questions: QuestionPair): JsonObject;
  exactOfPair(questions: QuestionPair, shown: readonly [CitableIds, CitableIds]): JsonObject;
}

/** Batches by their questions, one after the other. */
interface BatchNode {
  schema?: JsonObject;
  readonly longer: WeakMap<Question, BatchNode>;
}

export function createAnswerSchemas(): AnswerSchemas {
  const { context, whileShown } = citableTypes();
  const batches: BatchNode = { longer: new WeakMap() };
  const of = memoizeWeak((question: Question): AnswerSchema => {
    const answer = question.answer(context);
    return {
      schema: toQuestionSchema(answer),
      parse: (raw, shown) => whileShown(shown, () => matchSchema(answer, raw)),
    };
  });
  const byName = (questions: readonly Question[]) =>
    new Map(questions.map((question) => [question.name, of(question).schema]));
  const ofBatch = (questions: readonly Question[]) => {
    let node = batches;
    for (const question of questions) {
      const next = node.longer.get(question) ?? { longer: new WeakMap() };
      node.longer.set(question, next);
      node = next;
    }
    node.schema ??= buildBatchSchema(byName(questions));
    return node.schema;
  };
  const exactOfBatch = (questions: readonly Question[], shown: CitableIds) =>
    buildBatchSchema(byName(questions), shown);
  const pairSchemas = memoizeWeak((_batch: JsonObject) => new Map<string, JsonObject>());
  const ofPair = (questions: QuestionPair) => {
    const batch = ofBatch(allQuestions(questions));
    const sides = questions.map((side) => side.map(({ name }) => name));
    const known = pairSchemas(batch);
    const key = sides.join('\n');
    const schema = known.get(key) ?? buildPairSchema(batch, sides[0] ?? [], sides[1] ?? []);
    known.set(key, schema);
    return schema;
  };
  return {
    of,
    ofBatch,
    exactOfBatch,
    ofPair,
    exactOfPair: ([ofFirst, ofSecond], [first, second]) =>
      joinSchemas(exactOfBatch(ofFirst, first), exactOfBatch(ofSecond, second)),
  };
}

function matchSchema(answer: z.ZodType, raw: unknown): SchemaMatch {
  // Compiling it first would cost more than parsing all answers of a run.
  const { success, data, error } = answer.safeParse(raw, { jitless: true });
  // zod formats an error when its issues are read: that has to happen here, while the ids are known.
  return success ? { isValid: true, value: data } : { isValid: false, issues: error.issues };
}

const NOTHING_SHOWN: CitableIds = { ids: [], calls: [] };

/** Types of ids, and a function that sets what is shown while a synchronous function parses. */
function citableTypes(): {
  readonly context: AnswerContext;
  whileShown<T>(shown: CitableIds, parse: () => T): T;
} {
  let shown = NOTHING_SHOWN;
  const oneOf = (idsOf: (shown: CitableIds) => readonly string[], kind: string) =>
    z
      .string({
        error: (issue) => {
          const ids = idsOf(shown);
          return ids.length === 0 ? undefined : z.config().localeError?.({ ...issue, ...invalidValueIssue(ids) });
        },
      })
      // Prompts show ids in brackets, and models repeat them.
      .overwrite((value) => value.replace(/^\[([^\]]*)\]$/, '$1'))
      .check(({ value, issues }) => {
        const ids = idsOf(shown);
        if (ids.length > 0 && !ids.includes(value)) issues.push({ ...invalidValueIssue(ids), input: value });
      })
      .meta({ [CITED]: kind });
  return {
    context: {
      id: oneOf(({ ids }) => ids, 'passage'),
      call: oneOf(({ calls }) => calls, 'call'),
      perCall: (entry) =>
        z
          .array(entry)
          .check(({ value, issues }) => {
            const message = perCallProblem(
              value.map((item) => item.call),
              shown.calls,
            );
            if (message !== null) issues.push({ code: 'custom', message, input: value });
          })
          .meta({ [PER_CALL]: true, description: 'one for every call of the agent in this turn' }),
    },
    whileShown(citable, parse) {
      shown = citable;
      try {
        return parse();
      } finally {
        shown = NOTHING_SHOWN;
      }
    },
  };
}

function perCallProblem(named: readonly string[], calls: readonly string[]): string | null {
  if (new Set(named).size < named.length) return 'a call has two entries: give every call exactly one';
  const missing = calls.filter((call) => !named.includes(call));
  return missing.length === 0 ? null : `there is no entry for ${missing.join(', ')}`;
}

function invalidValueIssue(ids: readonly string[]) {
  return { code: 'invalid_value' as const, values: [...ids] };
}
