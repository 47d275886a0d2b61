/** What a model is chosen for: to answer questions, or to turn texts into vectors. */
export type ModelRole = 'judge' | 'embedder';

/** By its name: servers list all models that they have, and most do not say what each is for. */
export function isEmbeddingModel(name: string): boolean {
  return /embed|\b(?:bge|e5|gte)\b|minilm/i.test(name);
}
