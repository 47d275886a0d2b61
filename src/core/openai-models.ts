import { getArray, getString } from './json.ts';
import { isEmbeddingModel, type ModelRole } from './model-role.ts';

/** Models that neither answer questions in text nor embed, by their names: servers list all that they have. */
const OTHER_MODELS = /rerank|moderation|whisper|transcribe|realtime|dall-e|\btts\b/i;

/** The names of models for a use in an answer of `/models`. Null for any other answer. */
export function parseOpenaiModels(answer: unknown, use: ModelRole): readonly string[] | null {
  const names = getArray(answer, 'data')?.map((model) => getString(model, 'id'));
  if (!names?.every((name) => name !== undefined)) return null;
  return names.filter(
    (name) => name !== '' && !OTHER_MODELS.test(name) && isEmbeddingModel(name) === (use === 'embedder'),
  );
}
