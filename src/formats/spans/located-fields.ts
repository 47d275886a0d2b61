import { get, isObject } from '../../core/json.ts';
import { childPointer } from '../../core/pointer.ts';
import type { Pointer } from '../../core/session.ts';
import { type Attribute, Attributes } from './attributes.ts';
import type { SpanEvent } from './span.ts';

/** A value of the file and where it stands. */
export interface LocatedField {
  readonly value: unknown;
  readonly pointer: Pointer;
}

/** A field of a thing that several parts of a file record, under the first key that says anything; the last part counts. */
export function fieldOf(parts: readonly LocatedField[], ...keys: readonly string[]): Attribute | undefined {
  for (const key of keys) {
    const part = parts.findLast(({ value }) => !isEmpty(get(value, key)));
    if (part) return { value: get(part.value, key), pointer: childPointer(part.pointer, key) };
  }
  return undefined;
}

/** A field that is a text with anything in it. */
export function textOf(parts: readonly LocatedField[], ...keys: readonly string[]): string | undefined {
  const value = fieldOf(parts, ...keys)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** What is written in one part until another one knows better. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A score that stands beside a span, as the event that OpenTelemetry has for it. */
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
