import { basename, relative, resolve } from 'node:path';
import { PROJECT_ARG } from '../../agent-tools/editor-tools.ts';
import { ToolError } from '../../agent-tools/tool-error.ts';
import { findProject } from '../../app/git-state.ts';
import { sanitizeLine } from '../../core/sanitize.ts';
import type { FileSystem } from '../../input/file-system.ts';
import { isInside } from '../disk/paths.ts';
import type { AgentToolQuery } from './tool-calls.ts';

type ToolInput = AgentToolQuery['input'];

/**
 * The project that a call is about: of the folder that it names, else of the path, else the only one that is open.
 *
 * @returns it, and the arguments for the tool, whose path is relative to it. @throws ToolError with the folders to choose from
 */
export async function chooseProject(
  { [PROJECT_ARG]: named, ...input }: ToolInput,
  folders: ReadonlySet<string>,
  files: Pick<FileSystem, 'stat'>,
): Promise<Pick<AgentToolQuery, 'project' | 'input'>> {
  const open = [...folders];
  if (open.length === 0) throw new ToolError('No folder is open. The user can open the folder of the project.');
  const { path } = input;
  const candidates = named === undefined ? open : open.filter(isNamed(named));
  const around = typeof path === 'string' ? await foldersWith(path, candidates, files) : [];
  const [first, ...others] = await Promise.all(
    (around.length > 0 ? around : candidates).map(async (folder) => ({ folder, project: await findProject(folder) })),
  );
  if (!first || others.some(({ project }) => project !== first.project)) {
    const names = open.map((folder) => `"${nameOf(folder, open)}"`).join(', ');
    const which = named === undefined ? 'Several folders are open.' : 'No such folder is open.';
    throw new ToolError(`${which} Say which is meant, as "${PROJECT_ARG}": ${names}.`);
  }
  const { folder, project } = first;
  if (typeof path !== 'string' || !around.includes(folder)) return { project, input };
  return { project, input: { ...input, path: relative(project, resolve(folder, path)) || '.' } };
}

/** The folders in which there is something at a path. */
async function foldersWith(
  path: string,
  open: readonly string[],
  files: Pick<FileSystem, 'stat'>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    open.map(async (folder) => {
      const absolute = resolve(folder, path);
      const isPart = absolute === folder || isInside(absolute, folder);
      return isPart && (await files.stat(absolute).catch(() => null)) !== null;
    }),
  );
  return open.filter((_, index) => found[index]);
}

function isNamed(named: unknown): (folder: string) => boolean {
  return (folder) => named === basename(folder) || (typeof named === 'string' && resolve(folder, named) === folder);
}

/** The base name, or the path where several folders have the same. */
function nameOf(folder: string, open: readonly string[]): string {
  const isUnique = open.filter((other) => basename(other) === basename(folder)).length === 1;
  return sanitizeLine(isUnique ? basename(folder) : folder);
}
