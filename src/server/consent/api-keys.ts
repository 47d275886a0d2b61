import { keyVariable, readKey, requiresKey, SHARED_KEY_VARIABLES, serverKeyVariable } from '../../llm/api-keys.ts';
import type { Environment } from '../../store/home.ts';
import type { Editor } from '../editor.ts';
import type { ModelHost } from './model-hosts.ts';

/** API keys by host. */
export type KeysByHost = ReadonlyMap<string, string>;

/** The key that the editor stores for a host, else that of the environment, as in the command line. */
export async function findApiKey(
  { host, baseUrls }: ModelHost,
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

/** An environment that has each host's own key and no key that applies to several hosts. */
export function environmentWithKeys(hosts: readonly ModelHost[], keys: KeysByHost, env: Environment): Environment {
  const rest = Object.entries(env).filter(([name]) => !SHARED_KEY_VARIABLES.includes(name));
  const own = hosts.flatMap(({ host, baseUrls }) => {
    const key = keys.get(host);
    return key === undefined ? [] : baseUrls.map((baseUrl) => [serverKeyVariable(baseUrl), key] as const);
  });
  return Object.fromEntries([...rest, ...own]);
}
