import { getObject, getString, type JsonObject } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';

/** The name of a command, and what it is for. */
const COMMAND = /^([\w.-]+):\n {2}docstring: ?(.*)$/gm;
const ARGUMENT = /^ {4}- ([\w.-]+) \((\w+)\) \[(required|optional)\]: ?(.*)$/gm;
const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

/**
 * The tools of a SWE-agent configuration, from the documentation that the model was given. Undefined where the model
 * writes commands as text: then they are no tools, but names that its shell knows among others.
 */
export function commandTools(config: unknown): readonly Tool[] | undefined {
  const docs = getString(config, 'command_docs');
  if (docs === undefined || getString(getObject(config, 'parse_function'), 'type') !== 'function_calling') {
    return undefined;
  }
  const commands = [...docs.matchAll(COMMAND)];
  return commands.map((command, index): Tool => {
    const [, name = '', description = ''] = command;
    const text = docs.slice(command.index, commands[index + 1]?.index);
    return { name, ...(description && { description }), inputSchema: schemaOf(text) };
  });
}

function schemaOf(text: string): JsonObject {
  const found = [...text.matchAll(ARGUMENT)];
  const properties = found.map(([, name = '', type = '', , description = '']) => {
    return [name, { ...(TYPES.has(type) && { type }), ...(description && { description }) }] as const;
  });
  const required = found.flatMap(([, name = '', , need]) => (need === 'required' ? name : []));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}
