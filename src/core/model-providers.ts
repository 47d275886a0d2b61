import type { EDITOR_PROVIDER } from './editor-models.ts';
import type { ModelRole } from './model-role.ts';
import { parseOllamaModels } from './ollama-models.ts';
import { parseOpenaiModels } from './openai-models.ts';

/**
 * The kinds of model servers, with what messages and the editor show of them. How to talk to each is in a file of its own in
 * `src/llm/providers`: a new provider is a row here, and that file, listed in its `index.ts`.
 */
export const MODEL_PROVIDERS = {
  openai: {
    title: 'OpenAI-compatible',
    defaultBaseUrl: 'https://api.openai.com/v1',
    concurrency: 8,
    modelList: { path: 'models', parse: parseOpenaiModels },
  },
  ollama: {
    title: 'Ollama',
    defaultBaseUrl: 'http://127.0.0.1:11434',
    concurrency: 2,
    modelList: { path: 'api/tags', parse: parseOllamaModels },
  },
} as const satisfies Readonly<Record<string, ModelProviderInfo>>;

export interface ModelProviderInfo {
  readonly title: string;
  /** Where its server is unless a configuration says otherwise. */
  readonly defaultBaseUrl: string;
  /** Default for `judge.concurrency`. */
  readonly concurrency: number;
  /** How its server lists the models that the user can choose from. */
  readonly modelList: {
    /** Below the base URL. */
    readonly path: string;
    /** The names of the models in an answer that can be used so; null where another server answered. */
    parse(answer: unknown, use: ModelRole): readonly string[] | null;
  };
}

/** In configurations, as `provider`, and before the model on the command line. */
export type ProviderName = keyof typeof MODEL_PROVIDERS;

/** Where a judge can be: on a server, or in the editor. */
export type JudgeSource = ProviderName | typeof EDITOR_PROVIDER;

export const PROVIDER_NAMES = Object.keys(MODEL_PROVIDERS) as readonly ProviderName[];

/** How a model of each provider is written: `openai:MODEL`. */
export const MODEL_SYNTAX: readonly string[] = PROVIDER_NAMES.map((name) => `${name}:MODEL`);

/** For defaults where no provider is configured: most servers speak its API. */
export const DEFAULT_PROVIDER_NAME = 'openai' satisfies ProviderName;
