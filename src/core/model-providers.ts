import { parseOllamaModels } from './ollama-models.ts';

/**
 * The kinds of model servers, with what messages and the editor show of them. How to talk to each is in a file of its own in
 * `src/llm/providers`: a new provider is a row here, and that file, listed in its `index.ts`.
 */
export const MODEL_PROVIDERS = {
  openai: { title: 'OpenAI-compatible', defaultBaseUrl: 'https://api.openai.com/v1', concurrency: 8 },
  ollama: {
    title: 'Ollama',
    defaultBaseUrl: 'http://127.0.0.1:11434',
    concurrency: 2,
    modelList: {
      path: '/api/tags',
      parse: parseOllamaModels,
      startCommand: 'ollama serve',
      installCommand: 'ollama pull qwen3:8b',
    },
  },
} as const satisfies Readonly<Record<string, ModelProviderInfo>>;

export interface ModelProviderInfo {
  readonly title: string;
  /** Where its server is unless a configuration says otherwise. */
  readonly defaultBaseUrl: string;
  /** Default for `judge.concurrency`. */
  readonly concurrency: number;
  /** How its server on this machine lists the models that the user can choose from; without it, the user enters a name. */
  readonly modelList?: ModelList;
}

export interface ModelList {
  /** Below the default base URL. */
  readonly path: string;
  /** The names of the models in an answer; null where another server answered. */
  parse(answer: unknown): readonly string[] | null;
  /** Commands that start the server, and that install a model. */
  readonly startCommand: string;
  readonly installCommand: string;
}

/** In configurations, as `provider`, and before the model on the command line. */
export type ProviderName = keyof typeof MODEL_PROVIDERS;

export const PROVIDER_NAMES = Object.keys(MODEL_PROVIDERS) as readonly ProviderName[];

/** How a model of each provider is written: `openai:MODEL`. */
export const MODEL_SYNTAX: readonly string[] = PROVIDER_NAMES.map((name) => `${name}:MODEL`);

/** For defaults where no provider is configured: most servers speak its API. */
export const DEFAULT_PROVIDER_NAME = 'openai' satisfies ProviderName;
