import { LruCache } from '../core/cache/lru-cache.ts';
import type { Embedder } from '../embed/embedder.ts';

/** Texts per request: embedding APIs accept this many. */
const BATCH_SIZE = 96;

/** Metrics look back a few turns, never over a whole session. */
const MAX_VECTORS = 64;

/** Embeds each text of a session once while it is recent. Texts that are requested in the same microtask share a request. */
export class EmbeddingBatcher {
  readonly #embedder: Embedder | null;
  readonly #signal: AbortSignal;
  readonly #vectors = new LruCache<string, Promise<Float32Array>>(MAX_VECTORS);
  /** Collected until the next microtask. */
  #gathered: PendingText[] = [];
  embeddedTexts = 0;

  constructor(embedder: Embedder | null, signal: AbortSignal) {
    this.#embedder = embedder;
    this.#signal = signal;
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    return Promise.all(texts.map((text) => this.#vectorOf(text)));
  }

  #vectorOf(text: string): Promise<Float32Array> {
    const known = this.#vectors.get(text);
    if (known) return known;
    const vector = new Promise<Float32Array>((resolve, reject) => {
      if (this.#gathered.length === 0) queueMicrotask(() => this.#send());
      this.#gathered.push({ text, resolve, reject });
    });
    this.#vectors.set(text, vector);
    // Failures are not cached: the next turn that needs the text tries again.
    vector.catch(() => this.#vectors.delete(text));
    return vector;
  }

  #send(): void {
    const wanted = this.#gathered;
    this.#gathered = [];
    for (let from = 0; from < wanted.length; from += BATCH_SIZE)
      void this.#embedBatch(wanted.slice(from, from + BATCH_SIZE));
  }

  async #embedBatch(pending: readonly PendingText[]): Promise<void> {
    try {
      if (!this.#embedder) throw new Error('No embedder is configured.');
      const vectors = await this.#embedder.embed(
        pending.map(({ text }) => text),
        this.#signal,
      );
      this.embeddedTexts += pending.length;
      for (const [index, { resolve }] of pending.entries()) {
        const vector = vectors[index];
        if (!vector) throw new Error(`The embedder gave no vector for text ${index + 1} of ${pending.length}.`);
        resolve(vector);
      }
    } catch (error) {
      for (const { reject } of pending) reject(error);
    }
  }
}

interface PendingText {
  readonly text: string;
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}
