import * as z from 'zod';
import { getArray, isObject } from '../core/json.ts';
import { childPointer } from '../core/pointer.ts';
import type { Pointer } from '../core/session.ts';
import type { Problems } from './problems.ts';

interface RecordContext {
  readonly pointer: Pointer;
  /** What the value is, as a noun. */
  readonly what: string;
  readonly problems: Problems;
  /** How bad it is when the value is lost. */
  readonly loss: 'warn' | 'error';
}

/**
 * A value as its schema says. Of an unknown key a person is warned; an optional field of a wrong type is left out with
 * a warning. Null when the rest does not fit, and `problems` say why.
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
  const wrong = new Set<string>();
  for (const { path, message } of first.error.issues) {
    const tokens = path.map(String);
    const [field] = tokens;
    const at = nearestPointer(value, tokens, pointer);
    const because = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    if (field === undefined || !(schema.shape[field] instanceof z.ZodOptional)) {
      const name = field === undefined ? '' : ` \`${tokens.join('.')}\` is wrong:`;
      problems[loss]('wrong-type', at, `This ${what} is left out:${name} ${because}.`);
      return null;
    }
    problems.warn('wrong-type', at, `\`${tokens.join('.')}\` of this ${what} is left out: ${because}.`);
    wrong.add(field);
  }
  if (!isObject(value)) return null;
  const kept = schema.safeParse(Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key))));
  return kept.success ? kept.data : null;
}

/** The pointer of a value, or of what it is missing from. */
function nearestPointer(value: unknown, tokens: readonly string[], pointer: Pointer): Pointer {
  const [token, ...rest] = tokens;
  if (token === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, token))
    return pointer;
  return nearestPointer(Reflect.get(value, token), rest, childPointer(pointer, token));
}

/** A key that nobody reads is mostly a misspelt one. Goes as deep as the schema, not as deep as the value. */
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

function unknownKeyMessage(key: string, known: readonly string[]): string {
  return `"${key.slice(0, 80)}" is no key that is read here; the keys are ${known.join(', ')}.`;
}
