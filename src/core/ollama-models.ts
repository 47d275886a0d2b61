import { get, getArray, getObject, getString } from './json.ts';
import { isEmbeddingModel, type ModelRole } from './model-role.ts';

/**
 * The names of models for a use in an answer of `/api/tags`. Null for any other answer. Without a schema library: the help of
 * the command line must not load one.
 */
export function parseOllamaModels(answer: unknown, use: ModelRole): readonly string[] | null {
  const models = getArray(answer, 'models')?.map(parseModel);
  if (!models?.every((model) => model !== null)) return null;
  const isUsable = ({ name, families }: OllamaModel) =>
    (isEmbeddingModel(name) || families.some((family) => /bert/i.test(family))) === (use === 'embedder');
  return models.filter(isUsable).map(({ name }) => name);
}

interface OllamaModel {
  readonly name: string;
  readonly families: readonly string[];
}

function parseModel(model: unknown): OllamaModel | null {
  const name = getString(model, 'name');
  const details = get(model, 'details');
  if (name === undefined || (details !== undefined && !getObject(model, 'details'))) return null;
  const families = get(details, 'families') ?? [];
  const areNames = Array.isArray(families) && families.every((family): family is string => typeof family === 'string');
  return areNames ? { name, families } : null;
}
