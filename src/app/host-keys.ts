import { SHARED_KEY_VARIABLES, serverKeyVariable } from '../llm/api-keys.ts';
import type { Environment } from '../store/home.ts';
import type { ModelHost } from './model-hosts.ts';

/** API keys by host. */
export type KeysByHost = ReadonlyMap<string, string>;

/** An environment that has each host's own key and no key that applies to several hosts. */
export function environmentWithKeys(hosts: readonly ModelHost[], keys: KeysByHost, env: Environment): Environment {
  const rest = Object.entries(env).filter(([name]) => !SHARED_KEY_VARIABLES.includes(name));
  const own = hosts.flatMap(({ host, baseUrls }) => {
    const key = keys.get(host);
    return key === undefined ? [] : baseUrls.map((baseUrl) => [serverKeyVariable(baseUrl), key] as const);
  });
  return Object.fromEntries([...rest, ...own]);
}
