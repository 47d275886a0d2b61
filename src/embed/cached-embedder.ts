import { createHash } from 'node:crypto';
import type { AnswerCache } from '../llm/answer-cache.ts';
import { type EmbeddedText, haveSameDirection, isConstant } from './constant-vectors.ts';
import type { Embedder } from './embedder.ts';

/** What replaces a cached vector that turns out to be wrong. It is not a vector, so that the text is embedded again. */
const NO_VECTOR = '';

/**
 * Embeds each text once, as long as the cache has it. Failures are not cached.
 *
 * @param server where the embedder runs, such as its base URL: elsewhere the same name may mean another model
 */
export function cachedEmbedder(embedder: Embedder, server: string, cache: AnswerCache): Embedder {
  const { provider, model } = embedder;

  const cacheKey = (text: string) =>
    createHash('sha256')
      .update(JSON.stringify(['vector', provider, model, server, text]))
      .digest('hex');

  /** The vector of all texts in the cache, if they had only one. */
  let constant: Float32Array | undefined;
  /** Texts that were cached before a second text showed whether the embedder tells them apart. */
  let unproven: string[] | null = [];

  const readCached = async (texts: readonly string[]) => {
    const vectors = new Map<string, Float32Array>();
    for (const text of texts) {
      const vector = decodeVector(await cache.get(cacheKey(text)));
      if (vector && !(constant && haveSameDirection(constant, vector))) vectors.set(text, vector);
    }
    return vectors;
  };

  const embedNew = async (texts: readonly string[], signal: AbortSignal) => {
    const vectorsByText = new Map<string, Float32Array>();
    const vectors = texts.length === 0 ? [] : await embedder.embed(texts, signal).catch(withdrawUnproven);
    for (const [index, text] of texts.entries()) {
      const vector = vectors[index];
      if (!vector) throw new Error(`The embedder returned ${vectors.length} vectors for ${texts.length} texts.`);
      vectorsByText.set(text, vector);
      // An embedder that gets blank texts alone does not know how long a vector is.
      if (vector.length === 0) continue;
      unproven?.push(text);
      await cache.put(cacheKey(text), encodeVector(vector));
    }
    if (unproven && new Set(unproven).size > 1) unproven = null;
    return vectorsByText;
  };
  const withdrawUnproven = async (cause: unknown): Promise<never> => {
    for (const text of unproven ?? []) await cache.put(cacheKey(text), NO_VECTOR);
    throw cause;
  };

  return {
    provider,
    model,
    async embed(texts, signal) {
      signal.throwIfAborted();
      const unique = [...new Set(texts)];
      const cached = await readCached(unique);
      const missing = unique.filter((text) => !cached.has(text));
      let vectors = new Map([...cached, ...(await embedNew(missing, signal))]);
      const isOfBrokenModel = isConstant(notBlank(vectors));
      if (isOfBrokenModel) constant = notBlank(vectors)[0]?.[1];
      // Otherwise the name now stands for another model: what is cached is of the old one.
      if (isOfBrokenModel || vectorLengths(vectors).size > 1) vectors = await embedNew(unique, signal);
      const [length = 0] = vectorLengths(vectors);
      return texts.map((text) => {
        const vector = vectors.get(text);
        return vector && vector.length > 0 ? vector : new Float32Array(length);
      });
    },
  };
}

/** Blank texts have vectors without a length. */
function notBlank(vectors: ReadonlyMap<string, Float32Array>): readonly EmbeddedText[] {
  return [...vectors].filter(([, { length }]) => length > 0);
}

function vectorLengths(vectors: ReadonlyMap<string, Float32Array>): ReadonlySet<number> {
  return new Set(notBlank(vectors).map(([, { length }]) => length));
}

/** As base64 of 32-bit floats. */
function encodeVector(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** Null if it is not a vector. */
function decodeVector(text: string | null): Float32Array | null {
  if (text === null) return null;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  if (bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  const vector = new Float32Array(bytes.buffer);
  const isUsable = vector.every(Number.isFinite) && vector.some((component) => component !== 0);
  return isUsable ? vector : null;
}
