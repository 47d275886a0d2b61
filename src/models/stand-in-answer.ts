import { isObject } from '../core/json.ts';
import { likelyAnswer, SENTENCE } from './likely-answer.ts';

/** Stands for text that only a model can give. */
export const STAND_IN = '(what the model answers)';

/** An answer that fits the schema, and in which every text says that it is none. */
export function standInAnswer(schema: unknown): unknown {
  return withoutSentences(likelyAnswer(schema));
}

function withoutSentences(value: unknown): unknown {
  if (value === SENTENCE) return STAND_IN;
  if (Array.isArray(value)) return value.map(withoutSentences);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSentences(inner)]));
}
