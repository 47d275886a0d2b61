import { ModelError } from './model-error.ts';

/** Why there is no answer. */
export interface MissingAnswer {
  readonly status: 'error' | 'cancelled';
  /** A sentence. */
  readonly reason: string;
}

/** A request that was not sent, and why. */
export class RequestSkipped extends Error {
  readonly missingAnswer: MissingAnswer;
  constructor(failure: MissingAnswer) {
    super(failure.reason);
    this.name = 'NotSent';
    this.missingAnswer = failure;
  }
}

/** What became of a question whose call threw. */
export function toMissingAnswer(cause: unknown, signal: AbortSignal): MissingAnswer {
  if (signal.aborted) return { status: 'cancelled', reason: 'The run was stopped before this was answered.' };
  if (cause instanceof RequestSkipped) return cause.missingAnswer;
  if (cause instanceof ModelError) return { status: 'error', reason: cause.message };
  return { status: 'error', reason: `Asking failed unexpectedly: ${cause instanceof Error ? cause.message : cause}` };
}
