import type { RunAlert } from '../core/report.ts';

/** An alert as a sentence, and whether it fails the run. */
export function alertText({ message, gate }: Pick<RunAlert, 'message' | 'gate'>): string {
  return gate ? message : `${message} It fails nothing.`;
}
