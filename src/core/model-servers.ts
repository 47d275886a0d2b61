import { MODEL_PROVIDERS, type ProviderName } from './model-providers.ts';
import type { ModelRole } from './model-role.ts';
import { trimEnd } from './text/trim-end.ts';

/** A model server that has a name in the editor. A configuration has its provider and its base URL. */
export interface ModelServer {
  readonly title: string;
  readonly provider: ProviderName;
  /** With `RESOURCE` where each user has a name of their own. */
  readonly baseUrl: string;
  /** Of a server on this machine: the command that starts it. */
  readonly startCommand?: string;
  /** The command that installs a model, where a running server may have none. */
  readonly installCommand?: Readonly<Record<ModelRole, string>>;
  /** How answers are requested where `auto` would not find out: the server ignores the schema without an error. */
  readonly structuredOutput?: 'text';
  /** It lists other names than those that are asked. */
  readonly listsNoModels?: true;
  /** It has no models that embed. */
  readonly hasNoEmbedders?: true;
}

/** Those on this machine first. */
export const MODEL_SERVERS = {
  ollama: {
    title: 'Ollama',
    provider: 'ollama',
    baseUrl: MODEL_PROVIDERS.ollama.defaultBaseUrl,
    startCommand: 'ollama serve',
    installCommand: { judge: 'ollama pull qwen3:8b', embedder: 'ollama pull nomic-embed-text' },
  },
  lmStudio: {
    title: 'LM Studio',
    provider: 'openai',
    baseUrl: 'http://localhost:1234/v1',
    startCommand: 'lms server start',
  },
  vllm: { title: 'vLLM', provider: 'openai', baseUrl: 'http://localhost:8000/v1', startCommand: 'vllm serve MODEL' },
  llamaCpp: {
    title: 'llama.cpp',
    provider: 'openai',
    baseUrl: 'http://localhost:8080/v1',
    startCommand: 'llama-server -m MODEL.gguf',
  },
  openai: { title: 'OpenAI', provider: 'openai', baseUrl: MODEL_PROVIDERS.openai.defaultBaseUrl },
  anthropic: {
    title: 'Anthropic',
    provider: 'openai',
    baseUrl: 'https://api.anthropic.com/v1',
    structuredOutput: 'text',
    hasNoEmbedders: true,
  },
  gemini: {
    title: 'Google Gemini',
    provider: 'openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  openrouter: { title: 'OpenRouter', provider: 'openai', baseUrl: 'https://openrouter.ai/api/v1' },
  azure: {
    title: 'Azure OpenAI',
    provider: 'openai',
    baseUrl: 'https://RESOURCE.openai.azure.com/openai/v1',
    // It lists its models, and is asked for deployments of them.
    listsNoModels: true,
  },
} as const satisfies Readonly<Record<string, ModelServer>>;

/** The server with a name that has this base URL. */
export function findModelServer(baseUrl: string): ModelServer | undefined {
  const servers: readonly ModelServer[] = Object.values(MODEL_SERVERS);
  return servers.find((server) => server.baseUrl === trimEnd(baseUrl, /\//));
}
