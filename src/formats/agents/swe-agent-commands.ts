import { getObject, getString, type JsonObject } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';

/** A command's name and description. */
const COMMAND = /^([\w.-]+):\n {2}docstring: ?(.*)$/gm;
const ARGUMENT = /^ {4}- ([\w.-]+) \((\w+)\) \[(required|optional)\]: ?(.*)$/gm;
const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

/**
 * The tools of a SWE-agent configuration, from the command documentation in the model's prompt. Undefined if the model
 * writes commands as text: they are then shell commands, not tools.
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
  const parsedArguments = [...text.matchAll(ARGUMENT)];
  const properties = parsedArguments.map(([, name = '', type = '', , description = '']) => {
    return [name, { ...(TYPES.has(type) && { type }), ...(description && { description }) }] as const;
  });
  const required = parsedArguments.flatMap(([, name = '', , need]) => (need === 'required' ? name : []));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}
