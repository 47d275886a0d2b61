import { ModelFault } from './fault.ts';

/** Why there is no answer. */
export interface Failure {
  readonly status: 'error' | 'cancelled';
  /** A sentence. */
  readonly reason: string;
}

/** A request that was not sent, and why. */
export class NotSent extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.reason);
    this.name = 'NotSent';
    this.failure = failure;
  }
}

/** What became of a question whose call threw. */
export function failureOf(cause: unknown, signal: AbortSignal): Failure {
  if (signal.aborted) return { status: 'cancelled', reason: 'The run was stopped before this was answered.' };
  if (cause instanceof NotSent) return cause.failure;
  if (cause instanceof ModelFault) return { status: 'error', reason: cause.message };
  return { status: 'error', reason: `Asking failed unexpectedly: ${cause instanceof Error ? cause.message : cause}` };
}
