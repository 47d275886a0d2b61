import { get, getArray, getNumber, getObject, getString, type JsonObject } from '../core/json.ts';

/** About as long as a reason is. */
const SENTENCE = 'The answer names the order and its state, and says what the user can do next.';

/**
 * A value of about the length of a true answer that fits the schema of an answer; it says nothing.
 *
 * @param at its position in a list: entries that name one of several things name each of them once.
 */
export function likelyAnswer(schema: unknown, root: unknown = schema, at = 0): unknown {
  const target = getString(schema, '$ref');
  if (target !== undefined) return likelyAnswer(get(get(root, '$defs'), target.replace('#/$defs/', '')), root, at);
  const values = getArray(schema, 'enum') ?? [];
  if (values.length > 0) return values[at % values.length];
  const [alternative] = getArray(schema, 'anyOf') ?? [];
  if (alternative !== undefined) return likelyAnswer(alternative, root, at);
  switch (getString(schema, 'type')) {
    case 'object':
      return propertiesOf(getObject(schema, 'properties') ?? {}, root, at);
    case 'array':
      return Array.from({ length: lengthOf(schema) }, (_, index) => likelyAnswer(get(schema, 'items'), root, index));
    case 'string':
      return SENTENCE;
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function propertiesOf(properties: JsonObject, root: unknown, at: number): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, likelyAnswer(schema, root, at)]));
}

function lengthOf(schema: unknown): number {
  return Math.min(Math.max(1, getNumber(schema, 'minItems') ?? 0), getNumber(schema, 'maxItems') ?? 1);
}

function numberOf(schema: unknown): number {
  const above = getNumber(schema, 'exclusiveMinimum');
  return (
    getNumber(schema, 'minimum') ?? (above === undefined ? Math.min(0, getNumber(schema, 'maximum') ?? 0) : above + 1)
  );
}
