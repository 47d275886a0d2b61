import { get, getArray, getNumber, getObject, getString, type JsonObject } from '../core/json.ts';

/** About as long as a reason is. */
const SENTENCE = 'The answer names the order and its state, and says what the user can do next.';

/** A value of about the length of a true answer that fits the schema of an answer; it says nothing. */
export function likelyAnswer(schema: unknown, root: unknown = schema): unknown {
  const target = getString(schema, '$ref');
  if (target !== undefined) return likelyAnswer(get(get(root, '$defs'), target.replace('#/$defs/', '')), root);
  const [value] = getArray(schema, 'enum') ?? [];
  if (value !== undefined) return value;
  const [alternative] = getArray(schema, 'anyOf') ?? [];
  if (alternative !== undefined) return likelyAnswer(alternative, root);
  switch (getString(schema, 'type')) {
    case 'object':
      return propertiesOf(getObject(schema, 'properties') ?? {}, root);
    case 'array':
      return Array.from({ length: lengthOf(schema) }, () => likelyAnswer(get(schema, 'items'), root));
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

function propertiesOf(properties: JsonObject, root: unknown): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, likelyAnswer(schema, root)]));
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
