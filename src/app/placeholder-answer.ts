import { isObject } from '../core/json.ts';
import { SAMPLE_SENTENCE, sampleFromSchema } from './sample-from-schema.ts';

/** Replaces text that only a model can give. */
export const PLACEHOLDER_TEXT = '(what the model answers)';

/** An answer that fits the schema, with placeholders for all texts. */
export function placeholderAnswer(schema: unknown): unknown {
  return replaceSentences(sampleFromSchema(schema));
}

function replaceSentences(value: unknown): unknown {
  if (value === SAMPLE_SENTENCE) return PLACEHOLDER_TEXT;
  if (Array.isArray(value)) return value.map(replaceSentences);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaceSentences(inner)]));
}
