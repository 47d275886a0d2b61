/** What can go wrong with one request. */
export type ModelErrorKind =
  | 'timeout'
  | 'connection'
  | 'rate_limit'
  | 'server'
  /** 4xx: retrying does not help. */
  | 'refused'
  /** Every request would fail in the same way: there is no consent, no quota or no such model. */
  | 'unavailable'
  /** A 400 that names a parameter: worth one retry without it. */
  | 'parameter'
  /** The server does not support this kind of `response_format`. */
  | 'structured_output'
  /** A redirect to another host. */
  | 'redirect'
  /** The response is no answer: HTML, no choices, empty. */
  | 'no_answer'
  /** The server truncated the prompt without saying so. */
  | 'prompt_cut';

/** A failed request. The message is a sentence that names the host and what to do, and never contains a key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | null;
  constructor(kind: ModelErrorKind, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The server answered with an error status. Its body may say which parameter to leave out. */
export class RequestRejected extends ModelError {
  readonly status: number;
  /** Private, so that no log prints it with the error: servers repeat what they were sent. */
  readonly #body: unknown;
  constructor(kind: ModelErrorKind, message: string, status: number, body: unknown, retryAfterMs?: number) {
    super(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs });
    this.status = status;
    this.#body = body;
  }

  /** Parsed JSON, or text where it is not JSON. */
  get body(): unknown {
    return this.#body;
  }
}

/** Why a question has no answer. */
export interface MissingAnswer {
  readonly status: 'error' | 'cancelled';
  /** A sentence. */
  readonly reason: string;
}

/** A request that was not sent, and why. */
export class RequestSkipped extends Error {
  readonly missingAnswer: MissingAnswer;
  constructor(missingAnswer: MissingAnswer) {
    super(missingAnswer.reason);
    this.name = 'RequestSkipped';
    this.missingAnswer = missingAnswer;
  }
}

/** The result of a question whose call threw. */
export function toMissingAnswer(cause: unknown, signal: AbortSignal): MissingAnswer {
  if (signal.aborted) return { status: 'cancelled', reason: 'The run was stopped before this was answered.' };
  if (cause instanceof RequestSkipped) return cause.missingAnswer;
  if (cause instanceof ModelError) return { status: 'error', reason: cause.message };
  return {
    status: 'error',
    reason: `The request failed unexpectedly: ${cause instanceof Error ? cause.message : cause}`,
  };
}
