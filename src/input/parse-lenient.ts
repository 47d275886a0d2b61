import type * as z from 'zod';
import { get } from '../core/json.ts';
import { childPointer } from '../core/pointer.ts';
import type { Problem } from '../core/problem.ts';
import { Problems } from '../formats/problems.ts';

/** The parsed value, or null with errors; a value may come with warnings. */
export interface ParsedValue<Value> {
  readonly value: Value | null;
  readonly problems: readonly Problem[];
}

/** Parses a value with a schema of strict objects. Unknown keys are dropped with a warning each. */
export function parseLenient<Value>(schema: z.ZodType<Value>, value: unknown, file: string): ParsedValue<Value> {
  const first = schema.safeParse(value);
  if (first.success) return { value: first.data, problems: [] };

  const problems = new Problems(file);
  for (const issue of first.error.issues) {
    const pointer = issue.path.reduce<string>((parent, key) => childPointer(parent, pathToken(key)), '');
    if (issue.code === 'unrecognized_keys') {
      const parent = issue.path.reduce<unknown>(childValue, value);
      for (const key of issue.keys) {
        const message = `Unknown key "${key}" ignored. Check the spelling.`;
        problems.warn('unknown-key', childPointer(pointer, key), message);
        if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, key);
      }
    } else {
      const what = pointer === '' ? 'The file' : `"${issue.path.map(String).join('.')}"`;
      const reason = issue.message.replace(/^Invalid input: /, '');
      const message = `${what} is invalid: ${reason}. The file is ignored until this is fixed.`;
      problems.error('invalid-value', pointer, message);
    }
  }
  const second = schema.safeParse(value);
  return { value: second.success ? second.data : null, problems: problems.list() };
}

function pathToken(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

function childValue(parent: unknown, key: PropertyKey): unknown {
  return Array.isArray(parent) ? parent[Number(key)] : get(parent, String(key));
}
