import type { Configuration } from '../config/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import type { Embedder } from '../embed/embedder.ts';
import { type Clock, SYSTEM_CLOCK } from '../llm/clock.ts';
import type { Environment } from '../store/home.ts';
import { openServerEmbedder } from './open-models.ts';
import { requiredModels } from './required-models.ts';
import { checkModelFolder, openStaticModel, staticModelFolder } from './static-model.ts';

/** How an embedder answered the test. */
export interface EmbedderAnswer {
  readonly model: string;
  /** Numbers in a vector. */
  readonly dimensions: number;
  readonly ms: number;
}

interface TestOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Two, since a model that gives all texts one vector cannot compare them. They have nothing of a trace. */
const TEXTS = ['The parcel arrived on Monday.', 'A refund takes five days.'];

/**
 * Embeds two short sentences with the embedder of a configuration: one on a server, or a model in a folder. A request that fails
 * is not sent again.
 *
 * @param env with the key of its host. @returns a sentence where there are no vectors.
 */
export async function testEmbedder(
  configuration: Configuration,
  env: Environment,
  { signal, clock = SYSTEM_CLOCK }: TestOptions,
): Promise<EmbedderAnswer | string> {
  const started = clock.now();
  const opened = await openEmbedder(configuration, env);
  if (typeof opened === 'string') return opened;
  try {
    const [first] = await opened.embed(TEXTS, signal);
    if (!first?.some((value) => value !== 0)) return `${opened.model} knows no word of the test texts.`;
    return { model: opened.model ?? opened.provider, dimensions: first.length, ms: clock.now() - started };
  } catch (error) {
    return errorMessage(error);
  }
}

/** A sentence where there is nothing to test. */
async function openEmbedder(configuration: Configuration, env: Environment): Promise<Embedder | string> {
  const folder = staticModelFolder(configuration);
  if (folder !== null) {
    const missing = await checkModelFolder(folder);
    if (missing !== null) return missing;
    const { embedder, failure } = await openStaticModel(folder);
    return failure ?? embedder;
  }
  const { embedder } = requiredModels(configuration);
  return embedder ? openServerEmbedder(embedder, configuration, env) : 'The configuration names no embedding model.';
}
