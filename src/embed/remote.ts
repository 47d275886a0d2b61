import type { EmbeddingModel } from '../llm/chat-model.ts';
import { ModelError } from '../llm/model-error.ts';
import type { Embedder } from './embedder.ts';

/** Texts of one request, and the UTF-16 code units that they may have together: well below what servers accept. */
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 200_000;

/**
 * Embeds with a model on a server, in several requests if there are many texts. Servers refuse blank texts, and there is nothing
 * to compare in them: they have the zero vector.
 */
export function remoteEmbedder(model: EmbeddingModel): Embedder {
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
        for (const value of values) vectors.push(parseVector(value, model.host, vectors[0]?.length));
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

/** @param length of the vectors before it. @throws ModelError unless it is a vector of that length. */
function parseVector(value: unknown, host: string, length: number | undefined): Float32Array {
  const numbers = Array.isArray(value) ? value : [];
  if (numbers.length === 0 || !numbers.every(Number.isFinite)) {
    throw new ModelError('no_answer', `${host} returned something that is not a vector. Is it an embedding model?`);
  }
  if (length !== undefined && numbers.length !== length) {
    throw new ModelError('no_answer', `${host} returned vectors of ${length} and of ${numbers.length} numbers.`);
  }
  return Float32Array.from(numbers);
}
