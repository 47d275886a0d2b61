import { DEFAULT_PROVIDER_NAME, PROVIDER_NAMES, type ProviderName } from '../../core/model-providers.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import type { ModelProvider } from './provider.ts';

const BY_NAME = { openai, ollama } as const satisfies Readonly<Record<ProviderName, ModelProvider>>;

/** Every provider with a server of its own. The editor's models have none: the host that has them binds them itself. */
export const PROVIDERS = PROVIDER_NAMES.map((name) => BY_NAME[name]);

export const DEFAULT_PROVIDER = BY_NAME[DEFAULT_PROVIDER_NAME];

export function findProvider(name: ProviderName): ModelProvider;
export function findProvider(name: string): ModelProvider | undefined;
export function findProvider(name: string): ModelProvider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}

export function isProviderName(name: string): name is ProviderName {
  return findProvider(name) !== undefined;
}
