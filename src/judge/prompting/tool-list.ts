import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import { fairLimit } from './shorten.ts';
import type { Show } from './trace-text.ts';

const LONGEST_NAME = 100;
const LONGEST_SIGNATURE = 500;
const MOST_ARGUMENTS = 20;

/** With less room than this for each tool, names are all that is shown. */
const SHORTEST_LINE = 60;

/** One line for each tool: `get_order(order_id: string, full?: boolean): Looks an order up.` */
export function toolList(tools: readonly Tool[], show: Show, limit: number): string {
  if (tools.length * SHORTEST_LINE > limit) {
    return tools.map(({ name }) => name.slice(0, LONGEST_NAME)).join(', ');
  }
  const lines = tools.map((tool) => ({
    signature: signatureOf(tool),
    description: oneLine(tool.description ?? ''),
  }));
  const fair = fairLimit(
    lines.map(({ signature, description }) => signature.length + description.length + 3),
    limit,
  );
  return lines
    .map(({ signature, description }) => {
      const rest = fair - signature.length;
      if (description === '' || rest < SHORTEST_LINE / 2) return signature;
      return `${signature}: ${show(description, rest)}`;
    })
    .join('\n');
}

function signatureOf({ name, inputSchema }: Tool): string {
  const required = new Set(getArray(inputSchema, 'required'));
  const properties = Object.entries(getObject(inputSchema, 'properties') ?? {});
  const listed = properties
    .slice(0, MOST_ARGUMENTS)
    .map(([key, schema]) => `${key.slice(0, LONGEST_NAME)}${required.has(key) ? '' : '?'}: ${typeOf(schema)}`);
  if (properties.length > MOST_ARGUMENTS) listed.push(`… ${properties.length - MOST_ARGUMENTS} more`);
  return `${name.slice(0, LONGEST_NAME)}(${listed.join(', ')})`.slice(0, LONGEST_SIGNATURE);
}

/** The type of an argument in a word or two, and the values it may have where it names them. */
function typeOf(schema: unknown): string {
  const values = getArray(schema, 'enum');
  const types = values ?? getArray(schema, 'type') ?? alternatives(schema);
  const named = types ? types.slice(0, MOST_ARGUMENTS).map(word).join(' | ') : word(get(schema, 'type'));
  const items = named === 'array' ? getString(get(schema, 'items'), 'type') : undefined;
  return (items ? `${items}[]` : named).slice(0, LONGEST_NAME);
}

function alternatives(schema: unknown): readonly unknown[] | undefined {
  const schemas = getArray(schema, 'anyOf') ?? getArray(schema, 'oneOf');
  return schemas?.map((one) => get(one, 'type'));
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' || value === undefined ? 'any' : String(value);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
