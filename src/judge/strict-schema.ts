import * as z from 'zod';
import { isObject, type JsonObject } from '../core/json.ts';
import type { CitableIds } from './prompting/session-prompts.ts';

/** A repeated enumeration with more values than this is defined once. */
const SHARED_ENUM_LENGTH = 4;
/** OpenAI accepts 1000 values per schema; a longer list is checked only when the answer is parsed. */
const MAX_ENUM_LENGTH = 500;

/** The keyword that marks a string as an id that a prompt shows: of a `passage` or of a `call`. */
export const CITED = 'cited';
/** The keyword that marks a list with one entry for each call. */
export const PER_CALL = 'perCall';

type SchemaNode = Record<string, unknown>;
/** The nodes of a schema with a long enumeration, by its values. */
type EnumNodes = Map<string, SchemaNode[]>;

/** Shared by all nodes of a question's part. */
interface SchemaPart {
  readonly name: string;
  readonly shown: CitableIds | null;
  readonly enums: EnumNodes;
}

/** The JSON Schema of an object with one property, `answer`, for any ids. */
export function toQuestionSchema(answer: z.ZodType): JsonObject {
  return z.toJSONSchema(z.object({ answer }), { io: 'input' });
}

/**
 * The JSON Schema of the answer to a batch: one object with a key per question, in order. It uses the subset that OpenAI accepts
 * with `strict`, and other servers as well: every object is closed and every field required, so an optional field must be
 * nullable (`nullish`). Descriptions say what the subset cannot express.
 *
 * @param parts from `toQuestionSchema`, by the names of the questions.
 * @param shown pins what one prompt shows: its ids as enumerations, the number of its calls. Null: fits every prompt.
 * @throws Error for what no server can enforce: records and intersections.
 */
export function buildBatchSchema(parts: ReadonlyMap<string, JsonObject>, shown: CitableIds | null = null): JsonObject {
  const enums: EnumNodes = new Map();
  const properties: SchemaNode = {};
  const definitions: SchemaNode = {};
  for (const [name, { properties: whole, $defs }] of parts) {
    const part = { name, shown, enums };
    properties[name] = toStrictNode(asNode(whole).answer, part);
    for (const [key, value] of Object.entries(asNode($defs))) definitions[`${name}${key}`] = toStrictNode(value, part);
  }
  Object.assign(definitions, sharedDefinitions(enums));
  return {
    type: 'object',
    properties,
    required: [...parts.keys()],
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

/**
 * The JSON Schema of the answers about two turns: an object with `first` and `second`, which share the schemas of their questions.
 *
 * @param batch from `buildBatchSchema`, with the questions of both.
 * @param first the names of those about the first turn.
 */
export function buildPairSchema(
  { properties, $defs }: JsonObject,
  first: readonly string[],
  second: readonly string[],
): JsonObject {
  const schemas = asNode(properties);
  const define = (definitions: SchemaNode) => ({ ...asNode($defs), ...definitions });
  // Where the same is asked, one definition of all answers is shorter.
  if (first.join() === second.join()) {
    const both = { $ref: `#/$defs/${ANSWER}all` };
    return {
      ...closedObject({ first: both, second: both }),
      $defs: define({ [`${ANSWER}all`]: closedObject(schemas) }),
    };
  }
  const side = (names: readonly string[]) =>
    closedObject(Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${ANSWER}${name}` }])));
  const answers = Object.entries(schemas).map(([name, schema]) => [`${ANSWER}${name}`, schema] as const);
  return { ...closedObject({ first: side(first), second: side(second) }), $defs: define(Object.fromEntries(answers)) };
}

/** Begins the names of definitions that are schemas of questions. No other definition begins so. */
const ANSWER = 'answer_to_';

/** The same for sides that have nothing in common. */
export function joinSchemas(first: JsonObject, second: JsonObject): JsonObject {
  const definitions: SchemaNode = {};
  const side = (name: string, { $defs, ...schema }: JsonObject) => {
    for (const [key, value] of Object.entries(asNode($defs))) {
      definitions[`${name}${key}`] = renameDefinitions(value, name);
    }
    return renameDefinitions(schema, name);
  };
  return { ...closedObject({ first: side('first', first), second: side('second', second) }), $defs: definitions };
}

function closedObject(properties: SchemaNode): SchemaNode {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function renameDefinitions(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameDefinitions(item, prefix));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', `#/$defs/${prefix}`) : renameDefinitions(inner, prefix),
    ]),
  );
}

/** Keywords outside the subset, as descriptions. They are part of prompts. */
const KEYWORD_DESCRIPTIONS: ReadonlyMap<string, (value: unknown) => string> = new Map([
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['pattern', (value) => `matches the pattern ${value}`],
  ['format', (value) => `in the format ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
]);

function toStrictNode(schema: unknown, part: SchemaPart): SchemaNode {
  const node: SchemaNode = {};
  const notes: unknown[] = [];
  const inner = (value: unknown) => toStrictNode(value, part);
  for (const [keyword, value] of Object.entries(asNode(schema))) {
    switch (keyword) {
      case 'type':
      case 'enum':
      case 'minItems':
      case 'maxItems':
        node[keyword] = value;
        break;
      case CITED: {
        const ids = (value === 'call' ? part.shown?.calls : part.shown?.ids) ?? [];
        if (ids.length > 0) node.enum = ids;
        else notes.push(`id of a ${value}`);
        break;
      }
      case PER_CALL:
        if (part.shown) Object.assign(node, { minItems: part.shown.calls.length, maxItems: part.shown.calls.length });
        break;
      case '$ref':
        node.$ref = String(value).replace('#/$defs/', `#/$defs/${part.name}`);
        break;
      case 'const':
        node.enum = [value];
        break;
      case 'minimum':
      case 'maximum':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // zod gives every integer the bounds of safe integers.
        if (Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER) node[keyword] = value;
        break;
      case 'anyOf':
      case 'oneOf':
        node.anyOf = asList(value).map(inner);
        break;
      case 'items':
        if (isObject(value)) node.items = inner(value);
        break;
      case 'prefixItems':
        node.items = { anyOf: asList(value).map(inner) };
        break;
      case 'properties':
        node.properties = mapValues(asNode(value), inner);
        node.required = Object.keys(asNode(value));
        node.additionalProperties = false;
        break;
      case 'description':
        notes.unshift(value);
        break;
      case 'additionalProperties':
        if (isObject(value)) throw new Error('The schema of an answer may not have records.');
        break;
      case 'allOf':
        throw new Error('The schema of an answer may not have intersections.');
      default: {
        const inWords = KEYWORD_DESCRIPTIONS.get(keyword);
        if (inWords) notes.push(inWords(value));
      }
    }
  }
  return addDescription(limitEnum(node, notes, part.enums), notes);
}

/** A reference must be the only keyword of its node. */
function addDescription(node: SchemaNode, notes: readonly unknown[]): SchemaNode {
  if (notes.length === 0) return node;
  const description = notes.join('; ');
  return '$ref' in node ? { description, anyOf: [node] } : Object.assign(node, { description });
}

function limitEnum(node: SchemaNode, notes: unknown[], enums: EnumNodes): SchemaNode {
  const values = asList(node.enum);
  if (values.length > MAX_ENUM_LENGTH) {
    delete node.enum;
    notes.push('one of those that are shown');
  } else if (values.length > SHARED_ENUM_LENGTH) {
    const key = JSON.stringify(values);
    const nodes = enums.get(key);
    if (nodes) nodes.push(node);
    else enums.set(key, [node]);
  }
  return node;
}

/**
 * Replaces repeated enumerations by references: every question may cite the same ids, which would soon exceed the number of values
 * that a schema may have, and waste tokens.
 */
function sharedDefinitions(enums: EnumNodes): SchemaNode {
  const definitions: SchemaNode = {};
  for (const nodes of enums.values()) {
    const [first] = nodes;
    if (!first || nodes.length === 1) continue;
    const name = `values${Object.keys(definitions).length + 1}`;
    const { description: _, ...definition } = first;
    definitions[name] = definition;
    for (const node of nodes) {
      delete node.type;
      delete node.enum;
      const reference = { $ref: `#/$defs/${name}` };
      Object.assign(node, 'description' in node ? { anyOf: [reference] } : reference);
    }
  }
  return definitions;
}

function asNode(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function mapValues(object: JsonObject, change: (value: unknown) => SchemaNode): SchemaNode {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
