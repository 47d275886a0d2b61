import { getArray, getString } from './json.ts';

/** Models that answer no questions in text, by their names: servers list all that they have. */
const OTHER_MODELS = /embed|rerank|moderation|whisper|transcribe|realtime|dall-e|\btts\b/i;

/** The names of models that can judge in an answer of `/models`. Null for any other answer. */
export function parseOpenaiModels(answer: unknown): readonly string[] | null {
  const names = getArray(answer, 'data')?.map((model) => getString(model, 'id'));
  if (!names?.every((name) => name !== undefined)) return null;
  return names.filter((name) => name !== '' && !OTHER_MODELS.test(name));
}
