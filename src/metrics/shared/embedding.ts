import type { MetricOutcome } from '../../core/result.ts';
import type { Embedder } from '../../embed/embedder.ts';

export const NEEDS_EMBEDDER: MetricOutcome = Object.freeze({
  status: 'needs_embedder',
  reason: 'Texts must be compared, and no embedder is configured.',
});

/** No token of a text is known to the embedder, so nothing can be said about it. */
export function cannotCompare(embedder: Embedder, texts: string): MetricOutcome {
  const name = embedderName(embedder);
  const reason = `${name} knows no word of ${texts}, so they cannot be compared. Choose an embedder for their language.`;
  return { status: 'needs_embedder', reason, metadata: { embedder: name } };
}

/** As results name it: `lexical`, `openai:text-embedding-3-small`. */
export function embedderName(embedder: Embedder): string {
  return embedder.model === null ? embedder.provider : `${embedder.provider}:${embedder.model}`;
}
