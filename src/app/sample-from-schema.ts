import { get, getArray, getNumber, getObject, getString, type JsonObject } from '../core/json.ts';

/** About as long as a typical reason. */
export const SAMPLE_SENTENCE = 'The answer names the order and its state, and says what the user can do next.';

/** The position of a value in its list. */
interface ListPosition {
  readonly at: number;
  readonly of: number;
}

const SINGLE_ITEM: ListPosition = { at: 0, of: 1 };

/**
 * A value that fits a schema and has about the length of a real answer. Scores are the best ones, so that no problem
 * must be named with them.
 */
export function sampleFromSchema(
  schema: unknown,
  root: unknown = schema,
  position: ListPosition = SINGLE_ITEM,
): unknown {
  const target = getString(schema, '$ref');
  if (target !== undefined)
    return sampleFromSchema(get(get(root, '$defs'), target.replace('#/$defs/', '')), root, position);
  const values = getArray(schema, 'enum') ?? [];
  if (values.length > 0) return enumSample(values, position);
  const [alternative] = getArray(schema, 'anyOf') ?? [];
  if (alternative !== undefined) return sampleFromSchema(alternative, root, position);
  switch (schemaType(schema)) {
    case 'object':
      return objectSample(getObject(schema, 'properties') ?? {}, root, position);
    case 'array': {
      const of = arrayLength(schema);
      return Array.from({ length: of }, (_, at) => sampleFromSchema(get(schema, 'items'), root, { at, of }));
    }
    case 'string':
      return SAMPLE_SENTENCE;
    case 'integer':
    case 'number':
      return numberSample(schema);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

/** If a list has one entry per enum value, each value occurs once. */
function enumSample(values: readonly unknown[], { at, of }: ListPosition): unknown {
  if (of > 1 && of <= values.length) return values[at];
  const numbers = values.filter((value) => typeof value === 'number');
  return numbers.length > 0 ? Math.max(...numbers) : values[0];
}

/** The type of a nullable schema without null. */
function schemaType(schema: unknown): unknown {
  const types = getArray(schema, 'type');
  return types ? types.find((type) => type !== 'null') : get(schema, 'type');
}

function objectSample(properties: JsonObject, root: unknown, position: ListPosition): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, sampleFromSchema(schema, root, position)]),
  );
}

function arrayLength(schema: unknown): number {
  const most = getNumber(schema, 'maxItems') ?? Number.POSITIVE_INFINITY;
  return Math.min(Math.max(1, getNumber(schema, 'minItems') ?? 0), most);
}

function numberSample(schema: unknown): number {
  const above = getNumber(schema, 'exclusiveMinimum');
  return (
    getNumber(schema, 'minimum') ?? (above === undefined ? Math.min(0, getNumber(schema, 'maximum') ?? 0) : above + 1)
  );
}
