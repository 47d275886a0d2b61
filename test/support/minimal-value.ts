import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../../src/core/json.ts';

/**
 * The least value that fits a JSON schema: all properties, as few items as are allowed, the first of an enumeration or a
 * union, the lowest number (0 where it may be). Knows what schemas of questions are made of; a pattern is no part of that.
 *
 * @param at its position in a list: entries that name one of several things name each of them once.
 */
export function minimalValue(schema: unknown, root: unknown = schema, at = 0): unknown {
  const target = getString(schema, '$ref');
  if (target !== undefined) return minimalValue(resolved(root, target), root, at);
  if (isObject(schema) && Object.hasOwn(schema, 'const')) return schema.const;
  const values = getArray(schema, 'enum') ?? getArray(schema, 'examples') ?? [];
  if (values.length > 0) return values[at % values.length];
  const union = getArray(schema, 'anyOf') ?? getArray(schema, 'oneOf');
  if (union) return minimalValue(union[0], root, at);
  const all = getArray(schema, 'allOf');
  if (all) return minimalValue(Object.assign({}, ...all), root, at);
  const type = get(schema, 'type');
  return leastOfType(Array.isArray(type) ? type[0] : type, isObject(schema) ? schema : {}, root, at);
}

function leastOfType(type: unknown, schema: JsonObject, root: unknown, at: number): unknown {
  switch (type) {
    case 'string':
      return 'x'.repeat(getNumber(schema, 'minLength') ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'integer':
    case 'number':
      return leastNumber(schema);
    case 'array':
      return leastItems(schema, root);
    default: {
      const properties = Object.entries(getObject(schema, 'properties') ?? {});
      return Object.fromEntries(properties.map(([key, value]) => [key, minimalValue(value, root, at)]));
    }
  }
}

function leastNumber(schema: JsonObject): number {
  const above = getNumber(schema, 'exclusiveMinimum');
  const from = getNumber(schema, 'minimum') ?? (above === undefined ? Number.NEGATIVE_INFINITY : above + 1);
  const to = getNumber(schema, 'maximum') ?? Number.POSITIVE_INFINITY;
  // JSON Schemas of integers carry the bounds of safe integers: those say nothing.
  return from <= Number.MIN_SAFE_INTEGER ? Math.min(0, to) : from;
}

function leastItems(schema: JsonObject, root: unknown): unknown[] {
  const places = getArray(schema, 'prefixItems') ?? [];
  const count = getNumber(schema, 'minItems') ?? places.length;
  return Array.from({ length: count }, (_, index) => minimalValue(places[index] ?? get(schema, 'items'), root, index));
}

/** What `#/a/b` names. */
function resolved(root: unknown, target: string): unknown {
  return target
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => get(value, key.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}
