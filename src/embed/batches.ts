import { ModelError } from '../llm/model-error.ts';

/** Texts of one request, and the UTF-16 code units that they may have together: well below what servers accept. */
const MAX_TEXTS = 64;
const MAX_CHARACTERS = 200_000;

/**
 * Vectors of texts, asked for in several requests where they are many. Servers refuse blank texts, and there is nothing
 * in them to compare: they have the zero vector.
 *
 * @param request vectors of some texts, in their order, as the server gave them
 * @throws ModelFault where they are no vectors, not one per text, or of different lengths
 */
export async function embedInBatches(
  texts: readonly string[],
  host: string,
  request: (texts: readonly string[]) => Promise<readonly unknown[]>,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const batch of splitIntoBatches(texts.filter(isNotBlank))) {
    const answered = await request(batch);
    if (answered.length !== batch.length) {
      throw new ModelError('no_answer', `${host} gave ${answered.length} vectors for ${batch.length} texts.`);
    }
    for (const value of answered) vectors.push(parseVector(value, host, vectors[0]?.length));
  }
  const length = vectors[0]?.length ?? 0;
  const rest = vectors.values();
  return texts.map((text) => (isNotBlank(text) ? rest.next().value : undefined) ?? new Float32Array(length));
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

function parseVector(value: unknown, host: string, length: number | undefined): Float32Array {
  const numbers = Array.isArray(value) ? value : [];
  if (numbers.length === 0 || !numbers.every(Number.isFinite)) {
    throw new ModelError('no_answer', `${host} gave something that is no vector. Does the model make embeddings?`);
  }
  if (length !== undefined && numbers.length !== length) {
    throw new ModelError('no_answer', `${host} gave vectors of ${length} and of ${numbers.length} numbers.`);
  }
  return Float32Array.from(numbers);
}
