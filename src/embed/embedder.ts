/** Text to vectors. Cosine similarity of two vectors is all that metrics use. */
export interface Embedder {
  /** `lexical`, `static`, or the name of a model provider. */
  readonly provider: string;
  readonly model: string | null;
  /** Differs between models of one name, where that can be known. */
  readonly version?: string;
  /** One vector per text, in order, all of one length. Rejects with an `Error` whose message is a sentence. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/** Whether it computes in this process: then nothing is sent, and nothing is gained by asking several times at once. */
export function isLocalEmbedder({ provider }: Embedder): boolean {
  return provider === 'lexical' || provider === 'static';
}

/** In [-1, 1]; null when either vector has no length. @throws RangeError if they are vectors of different models. */
export function cosine(a: Float32Array, b: Float32Array): number | null {
  if (a.length !== b.length) {
    throw new RangeError(`vectors of ${a.length} and of ${b.length} numbers cannot be compared.`);
  }
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? null : dot / Math.sqrt(aa * bb);
}
