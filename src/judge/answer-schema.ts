import * as z from 'zod';
import { get, getArray, getObject, isObject, type JsonObject } from '../core/json.ts';

/** An enumeration that a schema repeats stands in one place when it has more values than this. */
const LONG_ENUM = 4;
/** OpenAI takes 1000 values in a schema; a longer list is left to the check of the answer. */
const LONGEST_ENUM = 500;

/**
 * The JSON Schema of a packed answer: one object with a key per question, in order. In the subset that OpenAI takes with
 * `strict`, which the other servers take as well: every object closed and every field required, so that a field which
 * may be absent is one that may be null (`nullish`). What the subset cannot say stands in the descriptions.
 *
 * @throws Error for what no server can be held to: records, and intersections of other things than objects.
 */
export function answerSchema(answers: ReadonlyMap<string, z.ZodType>): JsonObject {
  return withSharedEnums(strict(z.toJSONSchema(z.object(Object.fromEntries(answers)), { io: 'input' })));
}

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Keywords that are taken as they stand; numbers' bounds as well, but for those of safe integers. */
const TAKEN = ['type', 'enum', 'minItems', 'maxItems', '$ref'] as const;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** What other keywords say, in words. */
const IN_WORDS: Readonly<Record<string, (value: unknown) => string>> = {
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  pattern: (value) => `matches the pattern ${value}`,
  format: (value) => `in the format ${value}`,
  multipleOf: (value) => `a multiple of ${value}`,
  uniqueItems: () => 'nothing twice',
};

function strict(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const result: Record<string, unknown> = { ...only(schema, TAKEN), ...boundsOf(schema), ...shapeOf(schema) };
  const notes = Object.entries(IN_WORDS).flatMap(([keyword, inWords]) => {
    const value = get(schema, keyword);
    return value === undefined || value === false ? [] : inWords(value);
  });
  const values = getArray(result, 'enum');
  if (values && values.length > LONGEST_ENUM) {
    delete result.enum;
    notes.push('one of those that are shown');
  }
  const description = [get(schema, 'description'), ...notes].filter((text) => text !== undefined).join('; ');
  if (description === '') return result;
  // A reference may have nothing beside it.
  return '$ref' in result ? { description, anyOf: [result] } : { ...result, description };
}

function shapeOf(schema: JsonObject): JsonObject {
  const shape: Record<string, unknown> = {};
  if ('const' in schema) shape.enum = [schema.const];
  const alternatives = getArray(schema, 'anyOf') ?? getArray(schema, 'oneOf');
  if (alternatives) shape.anyOf = alternatives.map(strict);
  const places = getArray(schema, 'prefixItems');
  if (places) shape.items = places.length === 1 ? strict(places[0]) : { anyOf: places.map(strict) };
  else if (isObject(schema.items)) shape.items = strict(schema.items);
  if (schema.type === 'object') Object.assign(shape, objectOf(schema));
  if (schema.allOf !== undefined) throw new Error('The schema of an answer may not have intersections.');
  const definitions = getObject(schema, '$defs');
  if (definitions) shape.$defs = mapped(definitions, strict);
  return shape;
}

function objectOf(schema: JsonObject): JsonObject {
  if (isObject(schema.additionalProperties)) throw new Error('The schema of an answer may not have records.');
  return closed(mapped(getObject(schema, 'properties') ?? {}, strict));
}

function boundsOf(schema: JsonObject): JsonObject {
  const bounds = Object.entries(only(schema, BOUNDS));
  return Object.fromEntries(bounds.filter(([, bound]) => Math.abs(Number(bound)) < Number.MAX_SAFE_INTEGER));
}

function only(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));
}

function mapped(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/**
 * Every question may cite the same ids: written out each time, they would soon be more values than a schema may have, and
 * tokens for nothing.
 */
function withSharedEnums(schema: JsonObject): JsonObject {
  const counts = new Map<string, number>();
  countEnums(schema, counts);
  const names = new Map<string, string>();
  for (const [values, count] of counts) if (count > 1) names.set(values, `values${names.size + 1}`);
  if (names.size === 0) return schema;
  const definitions: Record<string, unknown> = {};
  const shared = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shared);
    if (!isObject(value)) return value;
    const name = isLongEnum(value) ? names.get(JSON.stringify(value.enum)) : undefined;
    if (name === undefined) return mapped(value, shared);
    const { description, ...definition } = value;
    definitions[name] = definition;
    const reference = { $ref: `#/$defs/${name}` };
    return description === undefined ? reference : { description, anyOf: [reference] };
  };
  const rest = mapped(schema, shared);
  return { ...rest, $defs: { ...getObject(rest, '$defs'), ...definitions } };
}

function isLongEnum(schema: JsonObject): schema is JsonObject & { readonly enum: readonly unknown[] } {
  return Array.isArray(schema.enum) && schema.enum.length > LONG_ENUM;
}

function countEnums(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) {
    for (const item of value) countEnums(item, counts);
    return;
  }
  if (!isObject(value)) return;
  if (isLongEnum(value)) {
    const values = JSON.stringify(value.enum);
    counts.set(values, (counts.get(values) ?? 0) + 1);
    return;
  }
  for (const inner of Object.values(value)) countEnums(inner, counts);
}
