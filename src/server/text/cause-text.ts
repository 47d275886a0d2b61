import type { VerdictCause } from '../../report-model/verdict-causes.ts';
import { formatScore } from './inline-text.ts';

/** `step_efficiency is 0.40; the threshold is 0.50` */
export function causeText(cause: VerdictCause): string {
  switch (cause.kind) {
    case 'undecided':
      return cause.text;
    case 'gate':
      return cause.metric === 'severity' ? cause.text : `${cause.metric}: ${cause.text}`;
    case 'threshold':
      return `${cause.metric} is ${formatScore({ ...cause, label: null })}; the threshold is ${cause.threshold}`;
    case 'no-score':
      return `${cause.metric}: nothing scored${cause.text === null ? '' : `, ${cause.text}`}`;
  }
}
