import { get, getArray, getObject, getString } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import { oneLine } from '../../core/text/truncate.ts';
import { fairLimit } from './shorten.ts';
import type { RenderText } from './trace-text.ts';

const MAX_NAME_LENGTH = 100;
const MAX_SIGNATURE_LENGTH = 500;
const MAX_ARGUMENTS = 20;

/** With less room than this per tool, only names are shown. */
const MIN_LINE_LENGTH = 60;

/** One line for each tool: `get_order(order_id: string, full?: boolean): Looks an order up.` */
export function renderToolList(tools: readonly Tool[], render: RenderText, limit: number): string {
  if (tools.length * MIN_LINE_LENGTH > limit) {
    return tools.map(({ name }) => name.slice(0, MAX_NAME_LENGTH)).join(', ');
  }
  const lines = tools.map((tool) => ({
    signature: toolSignature(tool),
    description: oneLine(tool.description ?? ''),
  }));
  const fair = fairLimit(
    lines.map(({ signature, description }) => signature.length + description.length + 3),
    limit,
  );
  return lines
    .map(({ signature, description }) => {
      const rest = fair - signature.length;
      if (description === '' || rest < MIN_LINE_LENGTH / 2) return signature;
      return `${signature}: ${render(description, rest)}`;
    })
    .join('\n');
}

function toolSignature({ name, inputSchema }: Tool): string {
  const required = new Set(getArray(inputSchema, 'required'));
  const properties = Object.entries(getObject(inputSchema, 'properties') ?? {});
  const listed = properties
    .slice(0, MAX_ARGUMENTS)
    .map(([key, schema]) => `${key.slice(0, MAX_NAME_LENGTH)}${required.has(key) ? '' : '?'}: ${argumentType(schema)}`);
  if (properties.length > MAX_ARGUMENTS) listed.push(`… ${properties.length - MAX_ARGUMENTS} more`);
  return `${name.slice(0, MAX_NAME_LENGTH)}(${listed.join(', ')})`.slice(0, MAX_SIGNATURE_LENGTH);
}

/** The type of an argument in a word or two, or its possible values. */
function argumentType(schema: unknown): string {
  const values = getArray(schema, 'enum');
  const types = values ?? getArray(schema, 'type') ?? alternatives(schema);
  const named = types ? types.slice(0, MAX_ARGUMENTS).map(typeWord).join(' | ') : typeWord(get(schema, 'type'));
  const items = named === 'array' ? getString(get(schema, 'items'), 'type') : undefined;
  return (items ? `${items}[]` : named).slice(0, MAX_NAME_LENGTH);
}

function alternatives(schema: unknown): readonly unknown[] | undefined {
  const schemas = getArray(schema, 'anyOf') ?? getArray(schema, 'oneOf');
  return schemas?.map((schema) => get(schema, 'type'));
}

function typeWord(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' || value === undefined ? 'any' : String(value);
}
