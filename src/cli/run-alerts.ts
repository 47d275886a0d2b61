import { dirname, resolve } from 'node:path';
import type { OpenRecording } from '../app/open-recording.ts';
import { addAlerts, runAlertCommand } from '../app/run-alerts.ts';
import { isCode } from '../config/load.ts';
import type { Configuration } from '../config/schema.ts';
import { createProblem } from '../core/problem.ts';
import type { Report } from '../core/report.ts';

interface AlertContext {
  /** The configuration that was found or named; undefined without one. */
  readonly file: string | undefined;
  /** Whether `--config` names it. */
  readonly isNamed: boolean;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** A report with its alerts, after their command was run. */
export async function reportAlerts(
  report: Report,
  configuration: Configuration,
  recording: OpenRecording | null,
  { file = '', isNamed, cwd, signal }: AlertContext,
): Promise<Report> {
  const { when, command } = configuration.alerts;
  if (when.length === 0) return report;
  const warn = (reported: Report, messages: readonly string[]): Report => ({
    ...reported,
    problems: [...reported.problems, ...messages.map((message) => createProblem('warning', 'alerts', file, message))],
  });
  if (!recording) return warn(report, ['Alerts are not checked, because this run is not recorded.']);
  const alerted = await addAlerts(report, configuration, recording.recording);
  if (!command || !alerted.alerts?.length) return alerted;
  // A file that anybody may have put there starts no program, unless it is code, which already ran.
  if (!isNamed && !isCode(file)) {
    return warn(alerted, [
      `The command of alerts was not run: only a configuration that is code, or that --config names, runs programs.`,
    ]);
  }
  const folder = dirname(resolve(cwd, file));
  return warn(alerted, await runAlertCommand(command, alerted, { cwd: folder, signal }));
}
