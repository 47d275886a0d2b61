import type * as z from 'zod';
import { get } from '../core/json.ts';
import { childPointer } from '../core/pointer.ts';
import type { Problem } from '../core/problem.ts';
import { Problems } from '../formats/problems.ts';

/** A value that was asked for, or why there is none; warnings may stand beside a value. */
export interface ParsedValue<Value> {
  readonly value: Value | null;
  readonly problems: readonly Problem[];
}

/** Checks what a file holds against a schema of strict objects. Unknown keys are left out with a warning each. */
export function parseLenient<Value>(schema: z.ZodType<Value>, value: unknown, file: string): ParsedValue<Value> {
  const first = schema.safeParse(value);
  if (first.success) return { value: first.data, problems: [] };

  const problems = new Problems(file);
  for (const issue of first.error.issues) {
    const place = issue.path.reduce<string>((pointer, key) => childPointer(pointer, pathToken(key)), '');
    if (issue.code === 'unrecognized_keys') {
      const holder = issue.path.reduce<unknown>(childValue, value);
      for (const key of issue.keys) {
        const message = `"${key}" means nothing here and is left out. Check how it is spelled.`;
        problems.warn('unknown-key', childPointer(place, key), message);
        if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, key);
      }
    } else {
      const what = place === '' ? 'The file' : `"${issue.path.map(String).join('.')}"`;
      const wrong = issue.message.replace(/^Invalid input: /, '');
      const message = `${what} does not fit: ${wrong}. The file is left out; correct it.`;
      problems.error('invalid-value', place, message);
    }
  }
  const again = schema.safeParse(value);
  return { value: again.success ? again.data : null, problems: problems.list() };
}

function pathToken(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

function childValue(holder: unknown, key: PropertyKey): unknown {
  return Array.isArray(holder) ? holder[Number(key)] : get(holder, String(key));
}
