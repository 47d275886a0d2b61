import { createHash } from 'node:crypto';
import type { Embedder } from './embedder.ts';

/** Texts by key, kept for another day. Neither throws. */
export interface VectorCache {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

/**
 * Embeds each text once, as long as the cache remembers it. Failures are not kept.
 *
 * @param server where the embedder runs, such as its host: elsewhere the same name may mean another model
 */
export function cachedEmbedder(embedder: Embedder, server: string, cache: VectorCache): Embedder {
  const { provider, model } = embedder;

  const keyOf = (text: string) =>
    createHash('sha256')
      .update(JSON.stringify(['vector', provider, model, server, text]))
      .digest('hex');

  const known = (texts: readonly string[]) => {
    const vectors = texts.map((text) => [text, decodeVector(cache.get(keyOf(text)))] as const);
    return new Map(vectors.filter((pair): pair is readonly [string, Float32Array] => pair[1] !== null));
  };

  const embedNew = async (texts: readonly string[], signal: AbortSignal) => {
    const found = new Map<string, Float32Array>();
    const vectors = texts.length === 0 ? [] : await embedder.embed(texts, signal);
    for (const [index, text] of texts.entries()) {
      const vector = vectors[index];
      if (!vector) throw new Error(`The embedder gave ${vectors.length} vectors for ${texts.length} texts.`);
      found.set(text, vector);
      // An embedder that is asked for blank texts alone does not know how long a vector is.
      if (vector.length > 0) cache.set(keyOf(text), encodeVector(vector));
    }
    return found;
  };

  return {
    provider,
    model,
    async embed(texts, signal) {
      signal.throwIfAborted();
      const different = [...new Set(texts)];
      const kept = known(different);
      const missing = different.filter((text) => !kept.has(text));
      let vectors = new Map([...kept, ...(await embedNew(missing, signal))]);
      // Another model goes by that name now: what was kept is of the old one.
      if (vectorLengths(vectors).size > 1) vectors = await embedNew(different, signal);
      const [length = 0] = vectorLengths(vectors);
      return texts.map((text) => {
        const vector = vectors.get(text);
        return vector && vector.length > 0 ? vector : new Float32Array(length);
      });
    },
  };
}

/** But for the vectors of blank texts. */
function vectorLengths(vectors: ReadonlyMap<string, Float32Array>): ReadonlySet<number> {
  return new Set(Array.from(vectors.values(), ({ length }) => length).filter((length) => length > 0));
}

/** As base64 of 32-bit floats. */
function encodeVector(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

/** Null where it is no vector. */
function decodeVector(text: string | null): Float32Array | null {
  if (text === null) return null;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  if (bytes.length === 0 || bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  const vector = new Float32Array(bytes.buffer);
  return vector.every(Number.isFinite) ? vector : null;
}
