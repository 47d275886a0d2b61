import type { MetricOutcome } from '../../core/result.ts';
import type { Embedder } from '../../embed/embedder.ts';

export const NEEDS_EMBEDDER: MetricOutcome = Object.freeze({
  status: 'needs_embedder',
  reason: 'Texts must be compared, and no embedder is configured.',
});

/** As results name it: `lexical`, `openai:text-embedding-3-small`. */
export function embedderName(embedder: Embedder): string {
  return embedder.model === null ? embedder.provider : `${embedder.provider}:${embedder.model}`;
}
