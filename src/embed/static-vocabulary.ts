import { get, getArray, getNumber, getObject, getString, isObject, type JsonObject } from '../core/json.ts';

/** What model2vec reads of a tokenizer besides the ids of a text. */
export interface StaticVocabulary {
  readonly size: number;
  /** The highest id of a token. */
  readonly lastId: number;
  /** In code points, rounded down. */
  readonly medianTokenLength: number;
  /** The id that texts lose. A Unigram tokenizer names its unknown token in another way, and model2vec keeps it. */
  readonly unknownId: number | null;
  /** How many tokens of a text the tokenizer keeps, and whether those at its end; null without a limit. */
  readonly truncation: { readonly maxLength: number; readonly keepsEnd: boolean } | null;
}

/** @throws Error whose message is a clause about the tokenizer's file */
export function readVocabulary(tokenizer: JsonObject): StaticVocabulary {
  const model = getObject(tokenizer, 'model') ?? {};
  const ids = tokenIds(model, getArray(tokenizer, 'added_tokens') ?? []);
  if (ids.size === 0) throw new Error('has no vocabulary');
  const numbers = Array.from(ids.values());
  if (!numbers.every((id) => Number.isInteger(id) && id >= 0)) throw new Error('has a token without a valid id');
  const unknown = getString(model, 'unk_token');
  const unknownId = unknown === undefined ? null : ids.get(unknown);
  if (unknownId === undefined) throw new Error(`names the unknown token "${unknown}", which has no id`);
  return {
    size: ids.size,
    lastId: numbers.reduce((highest, id) => Math.max(highest, id)),
    medianTokenLength: Math.floor(median(Array.from(ids.keys(), (token) => [...token].length))),
    unknownId,
    truncation: readTruncation(tokenizer),
  };
}

function tokenIds(model: JsonObject, addedTokens: readonly unknown[]): ReadonlyMap<string, number> {
  const vocabulary = get(model, 'vocab');
  const ids = new Map<string, number>();
  const add = (token: unknown, id: unknown) => {
    if (typeof token === 'string') ids.set(token, typeof id === 'number' ? id : Number.NaN);
  };
  // Unigram lists tokens with their scores, in the order of their ids.
  if (Array.isArray(vocabulary))
    for (const [id, entry] of vocabulary.entries()) add(Array.isArray(entry) && entry[0], id);
  if (isObject(vocabulary)) for (const [token, id] of Object.entries(vocabulary)) add(token, id);
  for (const token of addedTokens) add(get(token, 'content'), get(token, 'id'));
  return ids;
}

function readTruncation(tokenizer: JsonObject): StaticVocabulary['truncation'] {
  // Padding to the longest text of a batch changes no text that is alone in it.
  if (isObject(get(get(tokenizer, 'padding'), 'strategy'))) {
    throw new Error('pads texts to a fixed length, which Turnwise does not do; set "padding" to null');
  }
  const truncation = getObject(tokenizer, 'truncation');
  const maxLength = truncation && getNumber(truncation, 'max_length');
  return maxLength === undefined ? null : { maxLength, keepsEnd: getString(truncation, 'direction') === 'Left' };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [before = 0, after = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 0 ? (before + after) / 2 : after;
}
