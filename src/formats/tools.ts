import { get, getString, isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Tool } from '../core/session.ts';
import { firstPresent } from './values.ts';

/**
 * Reads a tool catalogue in any common shape: OpenAI's `{type: 'function', function: {…}}`, the bare `{name,
 * parameters}` of its older and newer APIs, Anthropic's `input_schema`, `inputSchema` of MCP and Turnwise, Gemini's
 * lists of declarations, and any of these as a JSON string. Entries without a name are skipped. Undefined when the
 * value is not a list: the available tools are unknown.
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

/** MCP's defaults for absent annotations, which some servers write out for every tool. */
const MCP_DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** Turnwise's own `changesState`, else MCP's annotations (modelcontextprotocol.io, `ToolAnnotations`). */
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
