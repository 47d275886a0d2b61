import { dereference, validate } from '@cfworker/json-schema';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Tool } from '../../core/session.ts';
import { formatValue } from '../shared/message-format.ts';
import { fitsPlainSchema, isPlainSchema } from './plain-schema.ts';
import { isKeyword, readSchema } from './schema-reader.ts';
import { type SchemaViolation, schemaViolations } from './schema-violations.ts';

/** The check of a tool's schema, or why it is broken. */
export type ToolSchema = { readonly broken: string } | { readonly broken: null; readonly check: ArgumentCheck };

/**
 * Checks the arguments of a call.
 *
 * @param size of the arguments, in characters
 * @returns the violations, the most severe first; none if the check took too many steps for the size
 */
type ArgumentCheck = (args: JsonObject, size: number) => readonly SchemaViolation[];

/** Limits for schemas that would take too long to check: the steps for any call, … */
const STEPS = 20_000;
/** … the additional steps per character of the arguments, … */
const STEPS_PER_CHARACTER = 20;
/** … and the number of calls that may exceed their steps before the tool is skipped. */
const MAX_FAILURES = 3;

/** Reads the schema of each tool once, and prepares it for the validator on first use. */
export function createSchemaCache(): (tool: Tool) => ToolSchema | null {
  const schemas = new Map<Tool, ToolSchema | null>();
  return (tool) => {
    let schema = schemas.get(tool);
    if (schema === undefined) {
      schema = isObject(tool.inputSchema) ? toolSchema(tool.inputSchema) : null;
      schemas.set(tool, schema);
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
  const readResult = readSchema(raw, (weight) => {
    stepsLeft -= weight;
    if (stepsLeft < 0) throw new Error('A schema takes too many steps.');
  });
  if ('broken' in readResult) return readResult;
  const { schema, draft, references } = readResult;
  const parts = references.length === 0 ? {} : dereference(schema);
  for (const { $ref, __absolute_ref__ } of references) {
    if (parts[__absolute_ref__ ?? ''] === undefined)
      return { broken: `it refers to ${formatValue($ref)}, which is not in it` };
  }
  let failures = 0;
  return {
    broken: null,
    check(args, size) {
      if (failures >= MAX_FAILURES) return [];
      stepsLeft = STEPS + STEPS_PER_CHARACTER * size;
      try {
        const { errors } = validate(args, schema, draft, parts, false);
        return schemaViolations(errors, { args, schema, parts });
      } catch {
        // Too many steps, or arguments or references nested too deeply for the stack.
        failures += 1;
        return [];
      }
    },
  };
}
