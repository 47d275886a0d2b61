/** Which key belongs to which host: a key is never sent to a host that did not issue it. */
import { PROVIDERS } from './providers/index.ts';
import type { ModelProvider } from './providers/provider.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROVIDERS_WITH_HOSTS: readonly ModelProvider[] = PROVIDERS;

/** The environment variable whose key may be sent to a base URL: a provider's own host has its own, all others share one. */
export function keyVariable(baseUrl: string): string {
  return ownHostOf(baseUrl)?.keyVariable ?? 'TURNWISE_API_KEY';
}

/** Whether a base URL leads to a host that requires an API key. */
export function requiresKey(baseUrl: string): boolean {
  return ownHostOf(baseUrl) !== undefined;
}

function ownHostOf(baseUrl: string): ModelProvider['ownHost'] {
  const url = URL.parse(baseUrl);
  if (url?.protocol !== 'https:' || url.port !== '') return undefined;
  return PROVIDERS_WITH_HOSTS.find(({ ownHost }) => ownHost?.pattern.test(url.hostname))?.ownHost;
}

/** The environment variables that hold keys for several hosts. */
export const SHARED_KEY_VARIABLES: readonly string[] = [
  'TURNWISE_API_KEY',
  ...PROVIDERS_WITH_HOSTS.flatMap(({ ownHost }) => ownHost?.keyVariable ?? []),
];

/**
 * The variable for the key of one server alone, which takes precedence over those for several. No shell can set it: it is for
 * hosts of the engine that store a key for each server.
 */
export function serverKeyVariable(baseUrl: string): string {
  return `TURNWISE_API_KEY ${URL.parse(baseUrl)?.origin ?? ''}`;
}

/** The key for a base URL; undefined if the environment has none. */
export function readKey(baseUrl: string, env: Environment): string | undefined {
  return (env[serverKeyVariable(baseUrl)] ?? env[keyVariable(baseUrl)])?.trim() || undefined;
}
