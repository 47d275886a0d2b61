import { get, getString, isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Tool } from '../core/session.ts';
import { firstPresent } from './values.ts';

/**
 * A catalogue of tools in any of the shapes that people have: OpenAI's `{type: 'function', function: {…}}`, the bare
 * `{name, parameters}` of its older and newer APIs, Anthropic's `input_schema`, MCP's and our own `inputSchema`,
 * Gemini's lists of declarations, and any of these as JSON in a string. Entries without a name are left out.
 * Undefined when the value is no list: the trace does not say which tools there were.
 */
export function toolsOf(value: unknown): Tool[] | undefined {
  return Array.isArray(value) ? value.flatMap(toolsIn) : undefined;
}

function toolsIn(entry: unknown): Tool[] {
  const value = typeof entry === 'string' ? parseJson(entry) : entry;
  const declarations = firstPresent(value, 'function_declarations', 'functionDeclarations');
  const definitions = Array.isArray(declarations) ? declarations : [value];
  return definitions.flatMap((definition) => toolOf(definition) ?? []);
}

function toolOf(entry: unknown): Tool | undefined {
  const definition = objectAt(entry, 'function') ?? objectAt(entry, 'custom') ?? entry;
  const name = getString(definition, 'name');
  if (name === undefined || name === '') return undefined;
  const description = getString(definition, 'description');
  const schema = firstPresent(definition, 'parameters', 'parameters_json_schema', 'input_schema', 'inputSchema');
  const changesState = changesStateOf(definition) ?? changesStateOf(entry);
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { inputSchema: schema }),
    ...(changesState === undefined ? {} : { changesState }),
  };
}

/** What MCP takes for granted where a tool says nothing; some servers write it out for every tool. */
const MCP_DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** By our own word, else by MCP's annotations (modelcontextprotocol.io, `ToolAnnotations`). */
function changesStateOf(definition: unknown): boolean | undefined {
  const own = get(definition, 'changesState');
  if (typeof own === 'boolean') return own;
  const hints = get(definition, 'annotations');
  if (Object.entries(MCP_DEFAULTS).every(([hint, usual]) => get(hints, hint) === usual)) return undefined;
  const readOnly = get(hints, 'readOnlyHint');
  if (typeof readOnly === 'boolean') return !readOnly;
  return get(hints, 'destructiveHint') === true ? true : undefined;
}

function objectAt(entry: unknown, key: string): JsonObject | undefined {
  const value = get(entry, key);
  return isObject(value) ? value : undefined;
}
