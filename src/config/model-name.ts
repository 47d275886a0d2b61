/** A model as one text: `openai:gpt-5-mini`, `ollama/qwen3:8b`. */
export interface ModelName {
  /** As it was written: whether there is such a provider is for the check to say. */
  readonly provider: string;
  readonly model: string | undefined;
}

/** The first separator ends the provider: names of models have both `:` and `/` in them. */
export function parseModelName(text: string): ModelName {
  const [provider = '', model] = text.split(/[:/](.*)/s, 2);
  return { provider, model: model || undefined };
}
