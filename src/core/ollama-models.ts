import { get, getArray, getObject, getString } from './json.ts';

/**
 * The names of models that can judge in an answer of `/api/tags`, without embedding models. Null for any other answer. Without
 * a schema library: the help of the command line must not load one.
 */
export function parseOllamaModels(answer: unknown): readonly string[] | null {
  const models = getArray(answer, 'models')?.map(parseModel);
  if (!models?.every((model) => model !== null)) return null;
  return models.filter(({ families }) => !families.some((family) => /bert/i.test(family))).map(({ name }) => name);
}

function parseModel(model: unknown): { readonly name: string; readonly families: readonly string[] } | null {
  const name = getString(model, 'name');
  const details = get(model, 'details');
  if (name === undefined || (details !== undefined && !getObject(model, 'details'))) return null;
  const families = get(details, 'families') ?? [];
  const areNames = Array.isArray(families) && families.every((family): family is string => typeof family === 'string');
  return areNames ? { name, families } : null;
}
