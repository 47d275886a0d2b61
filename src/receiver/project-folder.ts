import { join } from 'node:path';
import { nodeFileSystem } from '../input/node-file-system.ts';
import { createFolder, writeFile } from '../output/write-file.ts';

/** Where the traces of a project's agents are written, unless the user names a folder. */
export function projectLiveFolder(project: string): string {
  return join(project, '.turnwise', 'live');
}

/** Creates the folder, which Git ignores. @returns whether it is inside of the project. @throws the system's error */
export async function createProjectLiveFolder(project: string): Promise<boolean> {
  const folder = projectLiveFolder(project);
  await createFolder(folder);
  if (await nodeFileSystem.leadsOutside(folder, project)) return false;
  // Traces of a user are not committed by accident.
  const ignore = join(folder, '.gitignore');
  if ((await nodeFileSystem.stat(ignore)) === null) await writeFile(ignore, '*\n');
  return true;
}
