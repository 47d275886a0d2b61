import type { Report } from '../core/report.ts';
import type { INCOMPLETE_CAUSES } from '../core/statuses.ts';

export type IncompleteCause = (typeof INCOMPLETE_CAUSES)[number];

/** Why a run is not complete: it was stopped, parts of it were not merged, or some sessions could not be evaluated; null: it is. */
export function incompleteCause({ run, undecided }: Pick<Report, 'run' | 'undecided'>): IncompleteCause | null {
  if (run.complete) return null;
  if (undecided.some(({ code }) => code === 'incomplete-merge')) return 'parts-missing';
  return undecided.some(({ code, cause }) => code === 'interrupted' && cause === null) ? 'sessions-lost' : 'stopped';
}
