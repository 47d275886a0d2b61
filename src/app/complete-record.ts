import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Report } from '../core/report.ts';
import type { RecordedRun, RecordedSession, RunManifest, RunTotals } from '../core/run-record.ts';
import type { SessionOutcome } from '../core/session-outcome.ts';
import { toRecordedSession } from '../runs/record/session-row.ts';
import type { RunWriter } from '../runs/run-store.ts';
import { runTotals, tasksHash } from '../runs/run-totals.ts';

/**
 * Adds what a report has beside the evaluation, such as the gates that other runs set, before the record is completed: its verdict is
 * that of the returned report.
 *
 * @param run what the record says; null where nothing could be recorded.
 */
export type GateReport = (report: Report, run: RecordedRun | null) => Promise<Report>;

/** A run that came to its end, or was stopped. */
export interface EndedRun {
  readonly report: Report;
  /** Of its sessions, in their order. */
  readonly outcomes: readonly SessionOutcome[];
  /** As the run began, with what is known only now. */
  readonly manifest: RunManifest;
  /** Why it is not complete, as a sentence. */
  readonly stoppedBy: string;
  /** The file of a session as rows name it. */
  readonly fileOf: (report: Report['sessions'][number]) => string;
  readonly gate: GateReport;
}

/** Completes the record of a run. @returns the gated report. @throws what the gate throws */
export async function completeRecord(writer: RunWriter, ended: EndedRun): Promise<Report> {
  const { report, outcomes, stoppedBy, gate } = ended;
  const { complete, durationMs } = report.run;
  const rows = toRows(ended);
  const totals = runTotals(report, rows);
  const manifest: RunManifest = {
    ...ended.manifest,
    endedAt: new Date().toISOString(),
    durationMs,
    state: complete ? 'complete' : 'interrupted',
    ...(complete ? {} : { stoppedBy }),
    tasksHash: complete ? tasksHash(rows) : null,
    totals,
  };
  const gated = await gate(report, { manifest, rows });
  const completed = { ...manifest, totals: { ...totals, ...gatesOf(gated) }, ...alertsOf(gated) };
  await writer.finish(rows, completed, { report: gated, outcomes });
  return gated;
}

function toRows({ report: { sessions, failures }, outcomes, manifest: { plan }, fileOf }: EndedRun): RecordedSession[] {
  const problems = Map.groupBy(
    failures.flatMap(({ occurrences }) => occurrences),
    ({ session }) => session,
  );
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  return sessions.flatMap((report) => {
    const outcome = byId.get(report.id);
    if (!outcome) return [];
    return [
      toRecordedSession({ outcome, report, problems: problems.get(report.id) ?? [], plan, file: fileOf(report) }),
    ];
  });
}

/** A report whose paths can be followed from the root of the repository. @param folder see `folderInProject` */
export function withFolder(report: Report, folder: string | undefined): Report {
  return folder === undefined ? report : { ...report, run: { ...report.run, folder } };
}

/** Where a folder is in its project; undefined where it is the project itself. */
export function folderInProject(folder: string, project: string): string | undefined {
  return relative(project, folder).replaceAll(sep, '/') || undefined;
}

/** With `/` on every system, so that runs of several machines can be compared. */
export function fileInProject(
  file: string,
  { project, cwd }: { readonly project: string; readonly cwd: string },
): string {
  if (file === '-') return file;
  const path = resolve(cwd, file);
  const inside = relative(project, path);
  const isInside = inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  return (isInside ? inside : path).replaceAll(sep, '/');
}

function alertsOf({ alerts = [] }: Report): Pick<RunManifest, 'alerts'> {
  return alerts.length === 0 ? {} : { alerts: alerts.map((alert) => ({ ...alert, runs: [...alert.runs] })) };
}

/** What gates decided; the answer of a baseline where there is one. */
function gatesOf({ verdict, baseline }: Report): Pick<RunTotals, 'verdict' | 'baseline'> {
  return { verdict, ...(baseline ? { baseline: baseline.answer } : {}) };
}
