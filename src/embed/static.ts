import { createHash } from 'node:crypto';
import type { Tokenizer } from '@huggingface/tokenizers';
import { errorMessage } from '../core/error-message.ts';
import { get, getArray, getString, isObject, type JsonObject } from '../core/json.ts';
import type { Embedder } from './embedder.ts';
import { openSafetensors, type Tensor } from './safetensors.ts';
import { readVocabulary, type StaticVocabulary } from './static-vocabulary.ts';

/** The files of a static embedding model, as model2vec saves it. */
export const STATIC_MODEL_FILES = ['model.safetensors', 'tokenizer.json', 'config.json'] as const;

export type StaticModelFile = (typeof STATIC_MODEL_FILES)[number];
export type StaticModelFiles = Readonly<Record<StaticModelFile, Uint8Array>>;

/** A model that cannot be used. The message is a clause about the file. */
export class StaticModelError extends Error {
  override readonly name = 'StaticModelError';
  readonly file: StaticModelFile;
  constructor(file: StaticModelFile, clause: string) {
    super(clause);
    this.file = file;
  }
}

/**
 * An embedder whose model is a vector for each token: a text has the mean of the vectors of its tokens. It computes what
 * `StaticModel.encode` of model2vec 0.8 computes of a text alone, in double precision. A text without a known token has the
 * zero vector.
 *
 * @param name of the model, in results. Its version is a hash of the files.
 * @throws StaticModelError
 */
export async function createStaticEmbedder(name: string, files: StaticModelFiles): Promise<Embedder> {
  const settings = parseObject('config.json', files);
  const tokenizerJson = parseObject('tokenizer.json', files);
  const vocabulary = explainFailure('tokenizer.json', () => readVocabulary(tokenizerJson));
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const tokenizer = explainFailure('tokenizer.json', () => openTokenizer(Tokenizer, tokenizerJson));
  const vectors = explainFailure('model.safetensors', () => openVectors(files['model.safetensors'], vocabulary));
  const isNormalized = get(settings, 'normalize') === true;
  return {
    provider: 'static',
    model: name,
    version: hashOf(files),
    async embed(texts, signal) {
      return texts.map((text) => {
        signal.throwIfAborted();
        const vector = meanVector(tokenize(text, tokenizer, vocabulary), vectors, isNormalized);
        if (vector.every(Number.isFinite)) return vector;
        throw new Error(`The model ${name} has vectors with numbers that are not finite. Save it again.`);
      });
    },
  };
}

function parseObject(file: StaticModelFile, files: StaticModelFiles): JsonObject {
  const value: unknown = explainFailure(file, () => JSON.parse(new TextDecoder().decode(files[file])), 'is not JSON');
  if (!isObject(value)) throw new StaticModelError(file, 'is no JSON object');
  return value;
}

function explainFailure<Value>(file: StaticModelFile, open: () => Value, clause?: string): Value {
  try {
    return open();
  } catch (error) {
    throw new StaticModelError(file, clause ?? errorMessage(error));
  }
}

function hashOf(files: StaticModelFiles): string {
  const hash = createHash('sha256');
  for (const file of STATIC_MODEL_FILES) hash.update(`${files[file].length} `).update(files[file]);
  return hash.digest('hex').slice(0, 12);
}

function openTokenizer(TokenizerClass: typeof Tokenizer, json: JsonObject): Tokenizer {
  try {
    // Tokenizers of whole words take their unknown token from the second argument.
    const settings = { unk_token: get(get(json, 'model'), 'unk_token') };
    return new TokenizerClass({ ...json, pre_tokenizer: withUnicodeWords(get(json, 'pre_tokenizer')) }, settings);
  } catch (error) {
    throw new Error(`is no tokenizer that Turnwise can use (${errorMessage(error)})`);
  }
}

/** Replaces the pre-tokenizer `Whitespace` by its definition: the library's own knows the letters of ASCII only. */
function withUnicodeWords(preTokenizer: unknown): unknown {
  if (getString(preTokenizer, 'type') === 'Whitespace') {
    return { type: 'Split', pattern: { Regex: '\\w+|[^\\w\\s]+' }, behavior: 'Removed', invert: true };
  }
  const parts = getArray(preTokenizer, 'pretokenizers');
  return parts && isObject(preTokenizer)
    ? { ...preTokenizer, pretokenizers: parts.map(withUnicodeWords) }
    : preTokenizer;
}

/** Tokens of a text that count, as by default in model2vec. */
const MAX_TOKENS = 512;

/** The ids of a text's known tokens. Only as much text is read as is likely to have the tokens that count. */
function tokenize(text: string, tokenizer: Tokenizer, vocabulary: StaticVocabulary): readonly number[] {
  const { medianTokenLength, unknownId, truncation } = vocabulary;
  const start = firstCodePoints(text, MAX_TOKENS * medianTokenLength);
  const { ids } = tokenizer.encode(start, { add_special_tokens: false });
  const kept = truncation ? truncate(ids, truncation) : ids;
  // A word that is unknown to a tokenizer without an unknown token has no id.
  return kept.filter((id) => Number.isInteger(id) && id !== unknownId).slice(0, MAX_TOKENS);
}

function truncate(
  ids: readonly number[],
  { maxLength, keepsEnd }: NonNullable<StaticVocabulary['truncation']>,
): readonly number[] {
  return keepsEnd ? ids.slice(Math.max(0, ids.length - maxLength)) : ids.slice(0, maxLength);
}

function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** The vectors of tokens. */
interface TokenVectors {
  readonly dimension: number;
  readonly values: Tensor;
  /** The weight of each token, by its id; null: all weigh the same. */
  readonly weights: Tensor | null;
  /** The row of each token, by its id; null: its id. Several tokens may share a row. */
  readonly rows: Tensor | null;
}

function openVectors(bytes: Uint8Array, vocabulary: StaticVocabulary): TokenVectors {
  const find = openSafetensors(bytes);
  const [values, weights, rows] = [find('embeddings'), find('weights'), find('mapping')];
  const [count = 0, dimension = 0] = values?.shape ?? [];
  if (values?.shape.length !== 2 || count === 0 || dimension === 0) {
    throw new Error('has no table of vectors with the name "embeddings"');
  }
  for (const [name, tensor] of Object.entries({ weights, mapping: rows })) {
    const [length = 0] = tensor?.shape ?? [];
    if (tensor && (tensor.shape.length !== 1 || length <= vocabulary.lastId)) {
      throw new Error(`has "${name}" for ${length} tokens, but tokenizer.json has ${vocabulary.lastId + 1}`);
    }
  }
  if (!rows && (count !== vocabulary.size || count <= vocabulary.lastId)) {
    const { size, lastId } = vocabulary;
    throw new Error(`has vectors of ${count} tokens, but tokenizer.json has ${size} and ids up to ${lastId}`);
  }
  for (let id = 0; rows && id <= vocabulary.lastId; id += 1) {
    const row = rows.at(id);
    if (!(Number.isInteger(row) && row >= 0 && row < count))
      throw new Error(`maps the token ${id} to row ${row} of ${count}`);
  }
  if (isConstantTable(values, count, dimension)) throw new Error('has the same vector for every token');
  return { dimension, values, weights, rows };
}

/** Such a model makes all texts look equal, which is the best score of some metric. */
function isConstantTable(values: Tensor, count: number, dimension: number): boolean {
  for (let index = dimension; index < count * dimension; index += 1) {
    if (values.at(index) !== values.at(index - dimension)) return false;
  }
  return true;
}

/** What model2vec adds to a length, so that zero can be divided by it. */
const EPSILON = 1e-32;

function meanVector(
  ids: readonly number[],
  { dimension, values, weights, rows }: TokenVectors,
  isNormalized: boolean,
): Float32Array {
  const mean = new Float64Array(dimension);
  for (const id of ids) {
    const weight = (weights?.at(id) ?? 1) / ids.length;
    const start = (rows?.at(id) ?? id) * dimension;
    for (let i = 0; i < dimension; i += 1) mean[i] = (mean[i] ?? 0) + weight * values.at(start + i);
  }
  const length = isNormalized ? Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0)) + EPSILON : 1;
  return Float32Array.from(mean, (value) => value / length);
}
