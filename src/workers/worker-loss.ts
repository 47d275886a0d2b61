/** Why a worker could not finish its work. */
export type WorkerLoss =
  | { readonly kind: 'silent'; readonly seconds: number }
  | { readonly kind: 'memory' | 'ended' | 'stopped' }
  /** @property reason the message of the error that ended it */
  | { readonly kind: 'failed'; readonly reason: string };

/** Work that a worker could not finish: it was terminated, or has ended by itself. */
export class WorkerLostError extends Error {
  readonly loss: WorkerLoss;
  /** Whether it had begun to work, so that its work may be why. */
  readonly hasStarted: boolean;

  constructor(loss: WorkerLoss, hasStarted = true) {
    super(`A worker was lost: ${describeLoss(loss)}.`);
    this.loss = loss;
    this.hasStarted = hasStarted;
  }
}

/** The clause of a sentence. */
export function describeLoss(loss: WorkerLoss): string {
  switch (loss.kind) {
    case 'silent':
      return `it took more than ${loss.seconds} s without progress`;
    case 'memory':
      return 'it needs more memory than there is';
    case 'ended':
      return 'it ended unexpectedly';
    case 'stopped':
      return 'it was stopped';
    case 'failed':
      return `Turnwise failed on it (${loss.reason})`;
  }
}
