import * as z from 'zod';
import { getArray, isObject } from '../core/json.ts';
import { childPointer } from '../core/pointer.ts';
import type { Pointer } from '../core/session.ts';
import type { Problems } from './problems.ts';

interface RecordContext {
  readonly pointer: Pointer;
  /** The kind of value, as a noun. */
  readonly what: string;
  readonly problems: Problems;
  /** Severity of the problem when the value is dropped. */
  readonly loss: 'warn' | 'error';
}

/**
 * Parses a value with a schema. Unknown keys are reported with a warning; optional fields of a wrong type are dropped
 * with a warning. Null, with problems, when a required field is invalid.
 */
export function parseRecordLeniently<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  place: RecordContext,
): z.output<Schema> | null {
  const { pointer, what, problems, loss } = place;
  warnOfUnknownKeys(schema, value, pointer, problems);
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const invalidFields = new Set<string>();
  for (const { path, message } of first.error.issues) {
    const tokens = path.map(String);
    const [field] = tokens;
    const at = nearestPointer(value, tokens, pointer);
    const reason = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    if (field === undefined || !(schema.shape[field] instanceof z.ZodOptional)) {
      const name = field === undefined ? '' : ` \`${tokens.join('.')}\` is invalid:`;
      problems[loss]('wrong-type', at, `${what.charAt(0).toUpperCase()}${what.slice(1)} skipped:${name} ${reason}.`);
      return null;
    }
    problems.warn('wrong-type', at, `Ignored \`${tokens.join('.')}\` of this ${what}: ${reason}.`);
    invalidFields.add(field);
  }
  if (!isObject(value)) return null;
  const remaining = schema.safeParse(
    Object.fromEntries(Object.entries(value).filter(([key]) => !invalidFields.has(key))),
  );
  return remaining.success ? remaining.data : null;
}

/** The pointer of a value, or of its nearest existing ancestor. */
function nearestPointer(value: unknown, tokens: readonly string[], pointer: Pointer): Pointer {
  const [token, ...rest] = tokens;
  if (token === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, token))
    return pointer;
  return nearestPointer(Reflect.get(value, token), rest, childPointer(pointer, token));
}

/** Warns of unknown keys, which are mostly misspelt. Descends as deep as the schema, not as the value. */
function warnOfUnknownKeys(schema: z.ZodObject, value: unknown, pointer: Pointer, problems: Problems): void {
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(schema.shape, key)) {
      problems.warn('unknown-key', childPointer(pointer, key), unknownKeyMessage(key, Object.keys(schema.shape)));
      continue;
    }
    const field = schema.shape[key];
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (inner instanceof z.ZodObject) {
      warnOfUnknownKeys(inner, value[key], childPointer(pointer, key), problems);
    } else if (inner instanceof z.ZodArray && inner.element instanceof z.ZodObject) {
      for (const [index, entry] of (getArray(value, key) ?? []).entries()) {
        warnOfUnknownKeys(inner.element, entry, childPointer(pointer, key, index), problems);
      }
    }
  }
}

function unknownKeyMessage(key: string, validKeys: readonly string[]): string {
  return `Unknown key "${key.slice(0, 80)}" ignored. Valid keys: ${validKeys.join(', ')}.`;
}
