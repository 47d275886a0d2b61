/** The parts of a model's name: `openai:gpt-5-mini`, `ollama/qwen3:8b`. */
export interface ModelName {
  /** As written, and not checked. */
  readonly provider: string;
  readonly model: string | undefined;
}

/** The first separator ends the provider, since names of models may contain both `:` and `/`. */
export function parseModelName(text: string): ModelName {
  const [provider = '', model] = text.split(/[:/](.*)/s, 2);
  return { provider, model: model || undefined };
}
