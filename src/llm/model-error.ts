/** What can go wrong with one request. */
export type ModelErrorKind =
  | 'timeout'
  | 'connection'
  | 'rate_limit'
  | 'server'
  /** 4xx: asking again is no use. */
  | 'refused'
  /** A 400 that names a parameter: worth one try without it. */
  | 'parameter'
  /** The server does not take this kind of `response_format`. */
  | 'structured_output'
  /** A redirect to another host. */
  | 'redirect'
  /** What came back is no answer: HTML, no choices, empty. */
  | 'no_answer'
  /** The server cut the prompt without saying so. */
  | 'prompt_cut';

/** A request that failed; the message is a sentence that names the host and what to do, and never a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** What the server asked to wait. */
  readonly retryAfterMs: number | null;
  constructor(kind: ModelErrorKind, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ModelFault';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
