import { resolve } from 'node:path';
import type { RecordedRun } from '../core/run-record.ts';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { parseFile } from '../input/parse-file.ts';
import { runOfReport } from '../runs/compare/report-run.ts';
import type { RunStore } from '../runs/run-store.ts';
import { findProject } from './git-state.ts';

/** A run to compare, and where it was read. */
export interface OpenedRun {
  readonly run: RecordedRun;
  /** The record or the report. */
  readonly path: string;
}

/**
 * Reads what a user names as runs: all that the store finds, and JSON reports.
 *
 * @throws Error with a sentence that says what there is instead
 */
export async function openRuns(
  references: readonly string[],
  { store, cwd, signal }: { readonly store: RunStore; readonly cwd: string; readonly signal: AbortSignal },
): Promise<OpenedRun[]> {
  const project = await findProject(cwd);
  const opened: OpenedRun[] = [];
  for (const reference of references) {
    const path = resolve(cwd, reference);
    const report = (await isReport(path)) ? await readReport(path, reference, signal) : null;
    if (report) {
      opened.push({ run: report, path });
      continue;
    }
    const record = await store.find(reference, project);
    opened.push({ run: { manifest: record.manifest, rows: await record.rows() }, path: record.path });
  }
  return opened;
}

/** Records are folders, archives and JSON Lines. */
async function isReport(path: string): Promise<boolean> {
  if (!path.endsWith('.json') || path.endsWith('manifest.json')) return false;
  return (await nodeFileSystem.stat(path))?.kind === 'file';
}

async function readReport(path: string, name: string, signal: AbortSignal): Promise<RecordedRun> {
  const { document, problems } = parseFile(path, await nodeFileSystem.read(path, signal));
  const run = document && runOfReport(document.value, name);
  if (run) return run;
  const reason = problems[0]?.message ?? 'it is no JSON report of Turnwise';
  throw new Error(`${name} cannot be compared: ${reason} (turnwise eval --format json --out FILE writes one).`);
}
