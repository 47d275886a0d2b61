import { get, getArray, getString, isObject, type JsonObject } from '../core/json.ts';

/**
 * The JSON Schema of a schema of zod 3, which cannot convert itself and which configurations of Agentest use. The answer
 * is parsed by the schema itself, so what JSON Schema cannot say is still checked.
 *
 * @throws TypeError for a type that an answer in JSON cannot have
 */
export function toJsonSchemaOfZod3(schema: unknown): JsonObject {
  const definition = get(schema, '_def');
  const description = getString(definition, 'description');
  const json = convert(definition);
  return description === undefined ? json : { ...json, description };
}

function convert(definition: unknown): JsonObject {
  const inner = () => toJsonSchemaOfZod3(get(definition, 'innerType'));
  const typeName = getString(definition, 'typeName') ?? 'unknown type';
  switch (typeName) {
    case 'ZodObject':
      return objectSchema(definition);
    case 'ZodString':
      return { type: 'string' };
    case 'ZodNumber':
      return numberSchema(definition);
    case 'ZodBoolean':
      return { type: 'boolean' };
    case 'ZodNull':
      return { type: 'null' };
    case 'ZodAny':
    case 'ZodUnknown':
      return {};
    case 'ZodEnum':
      return { type: 'string', enum: getArray(definition, 'values') };
    case 'ZodNativeEnum':
      return { enum: enumValues(Object(get(definition, 'values'))) };
    case 'ZodLiteral':
      return { const: get(definition, 'value') };
    case 'ZodArray':
      return { type: 'array', items: toJsonSchemaOfZod3(get(definition, 'type')) };
    case 'ZodUnion':
      return { anyOf: getArray(definition, 'options')?.map(toJsonSchemaOfZod3) };
    case 'ZodNullable':
      return { anyOf: [inner(), { type: 'null' }] };
    case 'ZodOptional':
    case 'ZodDefault':
    case 'ZodReadonly':
    case 'ZodCatch':
      return inner();
    case 'ZodEffects':
      return toJsonSchemaOfZod3(get(definition, 'schema'));
    default:
      throw new TypeError(`The schema of an answer cannot contain ${typeName}`);
  }
}

/** Enums of numbers have their names as values, too. */
function enumValues(members: JsonObject): readonly unknown[] {
  return Object.entries(members).flatMap(([name, value]) =>
    typeof members[String(value)] === 'number' && name !== value ? [] : [value],
  );
}

function objectSchema(definition: unknown): JsonObject {
  const shape = get(definition, 'shape');
  const fields: unknown = typeof shape === 'function' ? shape() : shape;
  const entries = Object.entries(isObject(fields) ? fields : {});
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, toJsonSchemaOfZod3(field)])),
    required: entries.map(([key]) => key),
  };
}

function numberSchema(definition: unknown): JsonObject {
  const checks = getArray(definition, 'checks') ?? [];
  const limit = (kind: string) =>
    get(
      checks.find((check) => get(check, 'kind') === kind),
      'value',
    );
  const [minimum, maximum] = [limit('min'), limit('max')];
  return {
    type: checks.some((check) => get(check, 'kind') === 'int') ? 'integer' : 'number',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  };
}
