import { dirname } from 'node:path';
import type { Connection } from 'vscode-languageserver/node';
import { nodeFileSystem } from '../../input/node-file-system.ts';
import { isInside, uriToPath } from './paths.ts';

/** Paths of the folders that are open in the editor and on disk. */
export async function openFolders(connection: Pick<Connection, 'workspace'>): Promise<readonly string[]> {
  const open = await connection.workspace.getWorkspaceFolders().catch(() => null);
  return (open ?? []).flatMap(({ uri }) => uriToPath(uri) ?? []);
}

/** The folders that evaluated traces belong to. */
export interface TraceFolders {
  readonly folders: readonly string[];
  /** Whether other folders are open as well. */
  readonly isMultiRoot: boolean;
}

/** The open folders that files are in. @param cwd the folder for files in none of them. */
export async function traceFolders(
  paths: readonly string[],
  cwd: string,
  editor: { readonly folders: () => Promise<readonly string[]> },
): Promise<TraceFolders> {
  const open = await editor.folders();
  const folders = [...new Set(paths.map((path) => innermostFolder(path, open) ?? cwd))];
  return { folders, isMultiRoot: new Set([...open, ...folders]).size > 1 };
}

function innermostFolder(path: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => path === folder || isInside(path, folder));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

/** The folder that a path is or is in. */
export async function containingFolder(path: string): Promise<string> {
  const stat = await nodeFileSystem.stat(path).catch(() => null);
  return stat?.kind === 'directory' ? path : dirname(path);
}
