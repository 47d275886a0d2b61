import { get, getObject, getString, isObject, type JsonObject } from '../../src/core/json.ts';

/** The ids in a prompt: of all passages that count for a turn, and of its calls. */
interface ShownIds {
  readonly passages: readonly string[];
  readonly calls: readonly string[];
}

/**
 * A schema with the ids that a prompt shows as enumerations, and the number of its calls: what a model makes of both. Fake models
 * answer by it.
 */
export function pinShownIds(schema: JsonObject, prompt: string): JsonObject {
  const asked = prompt.slice(prompt.lastIndexOf('# Your answer'));
  const [, turn = ''] = /about turn (\d+)\.$/m.exec(asked) ?? [];
  const [, first = '', second = ''] =
    /under "first" about turn (\d+), and under "second" about turn (\d+)/.exec(asked) ?? [];
  if (second === '') return pinAll(schema, shownIds(prompt, turn));
  const { first: ofFirst, second: ofSecond } = getObject(schema, 'properties') ?? {};
  const side = (node: unknown, of: string) => pin(withoutReferences(node, schema), shownIds(prompt, of));
  return { type: 'object', properties: { first: side(ofFirst, first), second: side(ofSecond, second) } };
}

/** As somebody reads a prompt who knows nothing but the marker that it names. */
function shownIds(prompt: string, turn: string): ShownIds {
  const [, marker = ''] = /^Its marker is (\w+)$/m.exec(prompt) ?? [];
  if (marker === '') return { passages: [], calls: [] };
  const lines = prompt.matchAll(new RegExp(`^${marker} \\[([^\\]]+)\\]`, 'gm'));
  const later = `t${Number(turn) + 1}.`;
  const passages = [...new Set(Array.from(lines, ([, id = '']) => id))].filter(
    (id) => turn === '' || !id.startsWith(later),
  );
  return { passages, calls: passages.filter((id) => new RegExp(`^t${turn}\\.call\\d+$`).test(id)) };
}

function pinAll(schema: JsonObject, shown: ShownIds): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, pin(value, shown)]));
}

/** A node with what it refers to in its place. */
function withoutReferences(node: unknown, root: JsonObject): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutReferences(item, root));
  if (!isObject(node)) return node;
  const name = getString(node, '$ref')?.replace('#/$defs/', '');
  if (name !== undefined) return withoutReferences(get(get(root, '$defs'), name), root);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutReferences(value, root)]));
}

function pin(node: unknown, shown: ShownIds): unknown {
  if (Array.isArray(node)) return node.map((item) => pin(item, shown));
  if (!isObject(node)) return node;
  const own = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, pin(value, shown)]));
  const description = getString(node, 'description') ?? '';
  const ids = description.endsWith('id of a call') ? shown.calls : shown.passages;
  if (/\bid of a (?:passage|call)$/.test(description) && ids.length > 0) return { ...own, enum: ids };
  if (!description.startsWith('one for every call')) return own;
  return { ...own, minItems: shown.calls.length, maxItems: shown.calls.length };
}
