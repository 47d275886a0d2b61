import type { Configuration } from '../config/schema.ts';
import { createProblem, type Problem } from '../core/problem.ts';
import type { Embedder } from '../embed/embedder.ts';
import { lexicalEmbedder } from '../embed/lexical.ts';
import { openStaticModel, staticModelFolder } from './static-model.ts';

/** The embedder that needs no server. Null where the configuration has none. */
export async function openLocalEmbedder(
  configuration: Pick<Configuration, 'embedder'>,
): Promise<{ readonly embedder: Embedder | null; readonly problems: Problem[] }> {
  if (configuration.embedder.provider === 'none') return { embedder: null, problems: [] };
  const folder = staticModelFolder(configuration);
  if (folder === null) return { embedder: lexicalEmbedder(), problems: [] };
  const { embedder, failure } = await openStaticModel(folder);
  return { embedder, problems: failure === null ? [] : [createProblem('warning', 'embedder', '', failure)] };
}
