import * as z from 'zod/mini';
import { get, isObject, type JsonObject } from '../core/json.ts';
import { toJsonSchemaOfZod3 } from './zod3-schema.ts';

/** A question that a function asks the judge of the run. */
export interface FunctionQuestion {
  readonly instructions: string;
  /** What the judge sees instead of the turn or the session; empty: the instructions alone. */
  readonly text?: string | undefined;
  /** JSON Schema of the answer. */
  readonly schema: JsonObject;
}

/** The judge's answer, or why there is none: the end of a sentence. */
export type FunctionAnswer =
  | { readonly answered: true; readonly value: unknown }
  | { readonly answered: false; readonly reason: string };

/** Asks the judge. Never rejects. */
export type AskForFunction = (question: FunctionQuestion) => Promise<FunctionAnswer>;

/** `context.judge` of a function. @throws Error if there is no answer */
export type FunctionJudge = (
  question: string,
  schema: unknown,
  options?: { readonly text?: string },
) => Promise<unknown>;

export function createFunctionJudge(ask: AskForFunction): FunctionJudge {
  return async (question, schema, { text } = {}) => {
    if (typeof question !== 'string' || question.trim() === '') {
      throw new TypeError('The judge was asked no question: the first argument must be a text');
    }
    const { json, parse } = readSchema(schema);
    const answer = await ask({ instructions: question, text, schema: json });
    if (!answer.answered) throw new Error(`The judge gave no answer: ${answer.reason}`);
    return parse(answer.value);
  };
}

interface AnswerSchema {
  readonly json: JsonObject;
  /** @throws Error if the value does not fit */
  parse(value: unknown): unknown;
}

/** A schema of zod, in any version, or JSON Schema. */
function readSchema(schema: unknown): AnswerSchema {
  if (!isObject(schema)) throw new TypeError('The second argument of judge must be a zod schema or a JSON Schema');
  if (isZodSchema(schema)) {
    return { json: z.toJSONSchema(schema, { io: 'input' }), parse: (value) => schema.parse(value) };
  }
  const parse = get(schema, 'parse');
  if (get(schema, '_def') === undefined || typeof parse !== 'function')
    return { json: schema, parse: (value) => value };
  return { json: toJsonSchemaOfZod3(schema), parse: (value) => parse.call(schema, value) };
}

/** A schema of zod 4, also of another copy of it, whose structure is the same. */
function isZodSchema(schema: object): schema is z.core.$ZodType & Pick<z.ZodMiniType, 'parse'> {
  return '_zod' in schema;
}
