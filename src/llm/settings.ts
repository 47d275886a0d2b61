/** How a judge asks, whatever model it is. */
export interface JudgeSettings {
  /** Questions about one turn that travel in one call; 1 asks each metric's stages on their own. */
  readonly questionsPerCall: number;
  /** How often each question is asked. */
  readonly samples: number;
  readonly temperature: number;
  /** Requests that are under way at once. */
  readonly concurrency: number;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Of one request, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxCalls?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Whether known patterns of secrets are taken out of what is sent. */
  readonly redact: boolean;
  readonly structuredOutput: 'auto' | 'schema' | 'json' | 'text';
  /** Around the JSON of an answer in words. */
  readonly jsonFence?: readonly [string, string] | undefined;
}
