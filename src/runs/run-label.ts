import type { RecordedRun } from '../core/run-record.ts';

/** The last part of a run's id, which its user sees and types; the part before it is the time. */
export function shortRunId(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1);
}

export interface LabelledRun {
  readonly run: RecordedRun;
  /** As `labelRuns` names it among the others. */
  readonly label: string;
}
