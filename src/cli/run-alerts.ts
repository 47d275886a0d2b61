import { dirname, resolve } from 'node:path';
import { runAlertCommand } from '../app/run-alerts.ts';
import { isCode } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { createProblem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';

interface AlertContext {
  /** The configuration that was found or named; undefined without one. */
  readonly file: string | undefined;
  /** Whether `--config` names it. */
  readonly isNamed: boolean;
  readonly isRecorded: boolean;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs the command for the alerts of a report. @returns it with warnings about alerts that went nowhere. */
export async function announceAlerts(
  report: Report,
  { alerts: { when, command } }: Configuration,
  { file = '', isNamed, isRecorded, cwd, signal }: AlertContext,
): Promise<Report> {
  if (when.length === 0) return report;
  const warn = (messages: readonly string[]): Report => ({
    ...report,
    problems: [...report.problems, ...messages.map((message) => createProblem('warning', 'alerts', file, message))],
  });
  if (!isRecorded) return warn(['Alerts are not checked, because this run is not recorded.']);
  if (!command || !report.alerts?.length) return report;
  // A file that anybody may have put there starts no program, unless it is code, which already ran.
  if (!isNamed && !isCode(file)) {
    return warn([
      `The command of alerts was not run: only a configuration that is code, or that --config names, runs programs.`,
    ]);
  }
  const folder = dirname(resolve(cwd, file));
  return warn(await runAlertCommand(command, report, { cwd: folder, signal }));
}
