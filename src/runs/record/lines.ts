import * as z from 'zod/mini';
import { scanJson } from '../../core/scan-json.ts';
import { redactJsonValue, redactSecrets } from '../../core/secrets.ts';

/** Keys of digests and pointers, which are no names of secrets. */
const OWN_KEYS: ReadonlySet<string> = new Set(['key', 'pointer', 'fingerprint']);

/** A value as a line with its end, without secrets. */
export function toLine(value: { readonly type: string; readonly [key: string]: unknown }): string {
  const text = JSON.stringify(value, (name, part: unknown) =>
    OWN_KEYS.has(name) && typeof part === 'string' ? redactSecrets(part) : redactJsonValue(name, part),
  );
  return `${text}\n`;
}

/** The content of a line of a schema; null where it is of another type, or damaged. */
export function parseLine<Schema extends z.ZodMiniObject<{ type: z.ZodMiniLiteral<string> }>>(
  line: string,
  schema: Schema,
): z.output<Schema> | null {
  const [type] = schema.shape.type.def.values;
  if (!line.startsWith(`{"type":"${type}",`)) return null;
  const { tooDeepAt, tooManyAt } = scanJson(line);
  if (tooDeepAt !== null || tooManyAt !== null) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isValid(value, schema) ? value : null;
  } catch {
    return null;
  }
}

/** The value itself and not its copy by the schema: reports show the keys in the order in which they were computed. */
function isValid<Schema extends z.core.$ZodType>(value: unknown, schema: Schema): value is z.output<Schema> {
  return z.safeParse(schema, value).success;
}
