import type { Report } from '../core/report.ts';
import { pluralize } from '../core/text/pluralize.ts';
import { summarizeHeadlines } from '../report-model/headline-counts.ts';
import { shortRunId } from './run-label.ts';

/** Whether all sessions were evaluated by earlier runs, and left out of this one. */
export function isNothingNew({ run, sessions }: Pick<Report, 'run' | 'sessions'>): boolean {
  return run.complete && sessions.length === 0 && (run.sinceRun?.leftOut ?? 0) > 0;
}

/** `Nothing is new since run 47f84af9. 107 sessions were evaluated before`; null where something is. */
export function nothingNewText(report: Pick<Report, 'run' | 'sessions'>): string | null {
  const { sinceRun } = report.run;
  if (!sinceRun || !isNothingNew(report)) return null;
  const were = sinceRun.leftOut === 1 ? 'was' : 'were';
  return `Nothing is new since run ${shortRunId(sinceRun.id)}. ${pluralize(sinceRun.leftOut, 'session')} ${were} evaluated before`;
}

/** What a report says first: how its sessions ended, or that there is none because nothing is new. */
export function runSummary(report: Pick<Report, 'run' | 'sessions'>): string {
  return nothingNewText(report) ?? summarizeHeadlines(report.sessions);
}
