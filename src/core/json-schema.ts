import type { JsonObject } from './json.ts';

/** The keywords of a JSON Schema that depends on a condition. */
export function schemaIf(condition: JsonObject, consequence: JsonObject, otherwise?: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: consequence, ...(otherwise && { else: otherwise }) };
}
