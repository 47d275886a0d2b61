import type { ModelHost } from '../../app/model-hosts.ts';
import { keyVariable, readKey, requiresKey } from '../../llm/api-keys.ts';
import type { Environment } from '../../store/home.ts';
import type { Editor } from '../editor.ts';

/** The key that the editor stores for a host, else that of the environment, as in the command line. */
export async function findApiKey(
  { host, baseUrls }: Pick<ModelHost, 'host' | 'baseUrls'>,
  editor: Pick<Editor, 'findKey'>,
  env: Environment,
): Promise<string | null> {
  const kept = (await editor.findKey(host))?.trim();
  return kept || (baseUrls.map((baseUrl) => readKey(baseUrl, env)).find((key) => key !== undefined) ?? null);
}

/** The environment variable with the key of a host that rejects requests without one; null for any other host. */
export function requiredKeyVariable({ baseUrls }: ModelHost): string | null {
  const baseUrl = baseUrls.find(requiresKey);
  return baseUrl === undefined ? null : keyVariable(baseUrl);
}
