import { join, resolve } from 'node:path';
import type { Report } from '../core/report.ts';
import type { RunRecord } from '../runs/run-store.ts';
import { COMPRESSED_SESSIONS, MANIFEST, SESSIONS } from '../store/runs/record-folder.ts';
import { findProject } from './git-state.ts';

/**
 * Absolute paths of files that a recorded run read, as far as it names them, and of its records. Traces may have been read in another
 * folder or on another machine: then they are also looked for in the project of the present folder.
 *
 * @param records the record of the run, or those of its parts
 */
export async function filesOfRun(
  records: readonly RunRecord[],
  { sessions, problems }: Pick<Report, 'sessions' | 'problems'>,
  cwd: string,
): Promise<readonly string[]> {
  const project = await findProject(cwd);
  const files = new Set<string>();
  for (const record of records) {
    const { path, manifest } = record;
    for (const file of [path, ...RECORD_FILES.map((name) => join(path, name))]) files.add(file);
    for (const input of manifest.inputs) files.add(resolve(cwd, input));
    for (const { file } of await record.rows()) {
      for (const folder of [manifest.project, project]) files.add(resolve(folder, file));
    }
  }
  for (const file of [...sessions.map(({ source }) => source.file), ...problems.map((problem) => problem.file)]) {
    if (file !== '') files.add(resolve(cwd, file));
  }
  return [...files];
}

/** What a record has, where it is a folder. */
const RECORD_FILES = [MANIFEST, SESSIONS, COMPRESSED_SESSIONS];
