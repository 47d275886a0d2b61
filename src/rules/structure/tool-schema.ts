import { dereference, validate } from '@cfworker/json-schema';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import { formatValue } from '../shared/message-format.ts';
import { fitsPlainSchema, isPlainSchema } from './plain-schema.ts';
import { isKeyword, readSchema } from './schema-reader.ts';
import { type SchemaViolation, schemaViolations } from './schema-violations.ts';

/** What a tool's schema says of the arguments of its calls, or why it says nothing. */
export type ToolSchema = { readonly broken: string } | { readonly broken: null; readonly check: ArgumentCheck };

/**
 * What does not fit, the gravest first. Nothing where the arguments could not be checked in as many steps as their
 * size warrants.
 *
 * @param size of the arguments, in characters.
 */
type ArgumentCheck = (args: JsonObject, size: number) => readonly SchemaViolation[];

/** A schema may be written so that checking it takes for ever: it gets so many steps for any call, … */
const STEPS = 20_000;
/** … so many more for every character of the arguments, … */
const STEPS_PER_CHARACTER = 20;
/** … and after so many calls for which that was not enough, its calls are not checked any more. */
const MOST_FAILED = 3;

/** Reads the schema of each tool once, and prepares it for the validator when a call first needs that. */
export function createSchemaCache(): (tool: Tool) => ToolSchema | null {
  const known = new Map<Tool, ToolSchema | null>();
  return (tool) => {
    let schema = known.get(tool);
    if (schema === undefined) {
      schema = isObject(tool.inputSchema) ? toolSchema(tool.inputSchema) : null;
      known.set(tool, schema);
    }
    return schema;
  };
}

function toolSchema(raw: JsonObject): ToolSchema {
  if (!isPlainSchema(raw, isKeyword)) return createSchemaCheck(raw);
  let full: ToolSchema | undefined;
  return {
    broken: null,
    check(args, size) {
      if (fitsPlainSchema(args, raw)) return [];
      full ??= createSchemaCheck(raw);
      return full.broken === null ? full.check(args, size) : [];
    },
  };
}

function createSchemaCheck(raw: JsonObject): ToolSchema {
  let stepsLeft = Number.POSITIVE_INFINITY;
  const read = readSchema(raw, (weight) => {
    stepsLeft -= weight;
    if (stepsLeft < 0) throw new Error('A schema takes too many steps.');
  });
  if ('broken' in read) return read;
  const { schema, draft, references } = read;
  const parts = references.length === 0 ? {} : dereference(schema);
  for (const { $ref, __absolute_ref__ } of references) {
    if (parts[__absolute_ref__ ?? ''] === undefined)
      return { broken: `it refers to ${formatValue($ref)}, which is not in it` };
  }
  let failed = 0;
  return {
    broken: null,
    check(args, size) {
      if (failed >= MOST_FAILED) return [];
      stepsLeft = STEPS + STEPS_PER_CHARACTER * size;
      try {
        const { errors } = validate(args, schema, draft, parts, false);
        return schemaViolations(errors, { args, schema, parts });
      } catch {
        // Too many steps, or arguments or references nested deeper than the stack reaches.
        failed += 1;
        return [];
      }
    },
  };
}
