import * as z from 'zod';
import { isObject } from '../core/json.ts';

/** An object whose keys are data, kept as it is: `z.record` would drop an own key `__proto__`. */
export function dictionary<Value>(value: z.ZodType<Value>) {
  return z.custom<Readonly<Record<string, Value>>>(isObject, 'expected an object').superRefine((entries, context) => {
    for (const [key, entry] of Object.entries(entries)) {
      for (const issue of value.safeParse(entry).error?.issues ?? []) {
        context.addIssue({ code: 'custom', message: issue.message, path: [key, ...issue.path] });
      }
    }
  });
}
