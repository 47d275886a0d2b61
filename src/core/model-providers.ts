/**
 * The kinds of model servers, with what messages and the editor show of them. How to talk to each is in a file of its own in
 * `src/llm/providers`: a new provider is a row here, and that file, listed in its `index.ts`.
 */
export const MODEL_PROVIDERS = {
  openai: { title: 'OpenAI-compatible', defaultBaseUrl: 'https://api.openai.com/v1' },
  ollama: { title: 'Ollama', defaultBaseUrl: 'http://127.0.0.1:11434' },
} as const satisfies Readonly<Record<string, ModelProviderInfo>>;

interface ModelProviderInfo {
  readonly title: string;
  /** Where its server is unless a configuration says otherwise. */
  readonly defaultBaseUrl: string;
}

/** In configurations, as `provider`, and before the model on the command line. */
export type ProviderName = keyof typeof MODEL_PROVIDERS;

export const PROVIDER_NAMES = Object.keys(MODEL_PROVIDERS) as readonly ProviderName[];
