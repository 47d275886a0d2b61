import { get, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { type Attribute, Attributes } from './attributes.ts';
import type { SpanEvent } from './span.ts';

/** A value and its location in the file. */
export interface LocatedField {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/**
 * A field that several parts of a file may record, under the first key with a value; the last part takes precedence.
 */
export function fieldOf(parts: readonly LocatedField[], ...keys: readonly string[]): Attribute | undefined {
  for (const key of keys) {
    const part = parts.findLast(({ value }) => !isEmpty(get(value, key)));
    if (part) return { value: get(part.value, key), pointer: childPointer(part.pointer, key) };
  }
  return undefined;
}

/** A field with a text that is not empty. */
export function textOf(parts: readonly LocatedField[], ...keys: readonly string[]): string | undefined {
  const value = fieldOf(parts, ...keys)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Whether a value is a placeholder that another part may replace. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Converts a score next to a span to the event that OpenTelemetry defines for it. */
export function scoreEvent(name: string, score: unknown, pointer: Pointer): SpanEvent | undefined {
  if (name === '' || (typeof score !== 'number' && typeof score !== 'string')) return undefined;
  const key = typeof score === 'number' ? 'gen_ai.evaluation.score.value' : 'gen_ai.evaluation.score.label';
  const entries = [
    ['gen_ai.evaluation.name', { value: name, pointer }],
    [key, { value: score, pointer }],
  ] as const;
  return {
    name: 'gen_ai.evaluation.result',
    attributes: new Attributes(new Map(entries)),
    body: undefined,
    at: undefined,
  };
}
