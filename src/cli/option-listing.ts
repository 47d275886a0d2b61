import * as z from 'zod';
import { get, getArray, getObject, getString } from '../core/json.ts';
import { padEnd } from '../reports/terminal-text.ts';

/** An option of a metric or a rule. */
export interface OptionDescription {
  readonly key: string;
  /** `number, default 4` */
  readonly type: string;
}

/** The options of a metric or a rule, from their schema. */
export function describeOptions(schema: z.ZodType | undefined): OptionDescription[] {
  if (!schema) return [];
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(getObject(described, 'properties') ?? {}).map(([key, node]) => {
    const fallback = get(node, 'default');
    return {
      key,
      type: fallback === undefined ? kindOf(node) : `${kindOf(node)}, default ${JSON.stringify(fallback)}`,
    };
  });
}

function kindOf(node: unknown): string {
  const values = getArray(node, 'enum');
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  const only = get(node, 'const');
  if (only !== undefined) return JSON.stringify(only);
  const alternatives = getArray(node, 'anyOf');
  if (alternatives) return alternatives.map(kindOf).join(' | ');
  return getString(node, 'type') ?? 'any value';
}

/** The options section of a page in the terminal. */
export function* optionLines(schema: z.ZodType | undefined, under: string): Generator<string> {
  const options = describeOptions(schema);
  if (options.length === 0) return;
  yield `\nOptions, under ${under}:\n`;
  const keys = Math.max(...options.map(({ key }) => key.length));
  for (const { key, type: what } of options) yield `  ${padEnd(key, keys)}  ${what}\n`;
}
