import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../core/json.ts';

/** A field of a judge's answer, described for a reader. */
export interface AnswerField {
  readonly name: string;
  /** `a list of ids of passages`, `a whole number, 1 to 5`. */
  readonly kind: string;
  readonly description: string;
  /** Fields of the object, or of the objects in the list. */
  readonly fields: readonly AnswerField[];
}

/** The fields of an answer, from its JSON schema. `cited` marks ids of passages and calls. */
export function answerFields(schema: unknown): AnswerField[] {
  return Object.entries(getObject(schema, 'properties') ?? {}).map(([name, node]) => ({
    name,
    kind: kindOf(node),
    description: getString(node, 'description') ?? '',
    fields: answerFields(objectIn(node)),
  }));
}

function kindOf(node: unknown, many = false): string {
  const cited = getString(node, 'cited');
  if (cited !== undefined) return many ? `ids of ${cited}s` : `the id of a ${cited}`;
  const values = getArray(node, 'enum') ?? (isObject(node) && Object.hasOwn(node, 'const') ? [node.const] : null);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = getArray(node, 'anyOf') ?? getArray(node, 'oneOf');
  if (alternatives) return alternatives.map((alternative) => kindOf(alternative, many)).join(', or ');
  const types = getArray(node, 'type');
  if (types) return types.map((type) => kindOf({ ...(isObject(node) ? node : {}), type }, many)).join(', or ');
  switch (getString(node, 'type')) {
    case 'array':
      return `a list of ${lengthOf(node)}${kindOf(get(node, 'items'), true)}`;
    case 'object':
      return many ? 'objects' : 'an object';
    case 'string':
      return many ? 'texts' : 'a text';
    case 'boolean':
      return 'true | false';
    case 'null':
      return 'null';
    case 'integer':
      return `${many ? 'whole numbers' : 'a whole number'}${boundsOf(node)}`;
    case 'number':
      return `${many ? 'numbers' : 'a number'}${boundsOf(node)}`;
    default:
      return 'any value';
  }
}

function lengthOf(node: unknown): string {
  const least = getNumber(node, 'minItems') ?? 0;
  const most = getNumber(node, 'maxItems');
  if (most === undefined) return least > 0 ? `${least} or more ` : '';
  return least === most ? `${least} ` : `${least > 0 ? `${least} to ` : 'at most '}${most} `;
}

/** Bounds of safe integers are left out: every integer has them. */
function boundsOf(node: unknown): string {
  const [from, to] = ['minimum', 'maximum'].map((key) => getNumber(node, key));
  const isBound = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBound(from) && isBound(to)) return `, ${from} to ${to}`;
  if (isBound(from)) return `, ${from} or more`;
  return isBound(to) ? `, at most ${to}` : '';
}

/** The object schema of a node, of its items or of one of its alternatives. */
function objectIn(node: unknown): JsonObject | undefined {
  if (getObject(node, 'properties')) return isObject(node) ? node : undefined;
  const inner = get(node, 'items');
  if (inner !== undefined) return objectIn(inner);
  const alternatives = getArray(node, 'anyOf') ?? getArray(node, 'oneOf') ?? [];
  return alternatives.map(objectIn).find((object) => object !== undefined);
}
