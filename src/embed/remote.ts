import type { EmbeddingModel } from '../llm/chat-model.ts';
import { ModelError } from '../llm/model-error.ts';
import { type EmbeddedText, hasDifferentTexts, isConstant } from './constant-vectors.ts';
import type { Embedder } from './embedder.ts';

/** Texts of one request, and the UTF-16 code units that they may have together: well below what servers accept. */
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 200_000;

/**
 * Embeds with a model on a server, in several requests if there are many texts. Servers refuse blank texts, and there is nothing
 * to compare in them: they have the zero vector.
 *
 * A server that returns vectors that cannot be compared has failed: zero vectors make all texts look different, and equal
 * vectors all texts look equal, which would be the best score of some metric.
 */
export function remoteEmbedder(model: EmbeddingModel): Embedder {
  // Of the last request: whether an embedder tells texts apart shows only when there are two.
  let last: EmbeddedText | undefined;
  return {
    provider: model.provider,
    model: model.model,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (const batch of splitIntoBatches(texts.filter(isNotBlank))) {
        const values = await model.embed(batch, signal);
        if (values.length !== batch.length) {
          throw new ModelError(
            'no_answer',
            `${model.host} returned ${values.length} vectors for ${batch.length} texts.`,
          );
        }
        const parsed: EmbeddedText[] = [];
        for (const [index, text] of batch.entries()) {
          const vector = parseVector(values[index], model.host, (last ?? parsed[0])?.[1].length);
          parsed.push([text, vector]);
        }
        if (isConstant(last === undefined || hasDifferentTexts(parsed) ? parsed : [last, ...parsed])) {
          throw new ModelError(
            'no_answer',
            `${model.host} returned the same vector for different texts. Is it an embedding model?`,
          );
        }
        last = parsed.at(-1);
        for (const [, vector] of parsed) vectors.push(vector);
      }
      const length = vectors[0]?.length ?? 0;
      const rest = vectors.values();
      return texts.map((text) => (isNotBlank(text) ? rest.next().value : undefined) ?? new Float32Array(length));
    },
  };
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}

function splitIntoBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let last: string[] = [];
  let size = 0;
  for (const text of texts) {
    size += text.length;
    if (last.length === 0 || last.length === MAX_TEXTS || size > MAX_CHARACTERS) {
      last = [];
      batches.push(last);
      size = text.length;
    }
    last.push(text);
  }
  return batches;
}

/** @param length of the vectors before it. @throws ModelError unless it is a vector of that length, and not of zeros. */
function parseVector(value: unknown, host: string, length: number | undefined): Float32Array {
  const numbers = Array.isArray(value) ? value : [];
  const isNumbers = numbers.length > 0 && numbers.every((component) => typeof component === 'number');
  const vector = isNumbers ? Float32Array.from(numbers) : null;
  // As 32-bit floats: a number that is finite in JSON may not be.
  if (!vector?.every(Number.isFinite)) {
    throw new ModelError('no_answer', `${host} returned something that is not a vector. Is it an embedding model?`);
  }
  if (vector.every((component) => component === 0)) {
    throw new ModelError('no_answer', `${host} returned a vector of zeros. Is it an embedding model?`);
  }
  if (length !== undefined && vector.length !== length) {
    throw new ModelError('no_answer', `${host} returned vectors of ${length} and of ${vector.length} numbers.`);
  }
  return vector;
}
